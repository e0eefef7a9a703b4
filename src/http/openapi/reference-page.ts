// The page at /docs. It refers to no other host, and its policy forbids the browser to contact one.

/** Scalar adds inline styles, some without a nonce, so those are allowed; inline scripts are not. */
export const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** URLs are relative, so that the page also works under a path of a proxy. */
export const referencePage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Sluice API reference</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
  </head>
  <body>
    <noscript>This page needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>.</noscript>
    <div id="app"></div>
    <script src="docs/reference.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** Every feature of Scalar that would contact another host is off. */
const settings = {
  theme: "default",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  documentDownloadType: "json",
  orderSchemaPropertiesBy: "preserve",
  metaData: { title: "Sluice API reference" },
};

/** Requests from the page go to the server of the page, whatever server the document names. */
export const startScript = `"use strict";
const base = new URL(".", location.href).href.replace(/\\/$/, "");
Scalar.createApiReference("#app", {
  ...${JSON.stringify(settings)},
  url: base + "/openapi.json",
  servers: [{ url: base }],
});
`;
