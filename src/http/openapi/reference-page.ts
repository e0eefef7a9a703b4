// The page at /docs: a frame around Scalar's reference, which draws /openapi.json. It names no other host, and its policy
// forbids the browser to ask one.

/** Scalar writes styles into the page, some without any nonce; they stay allowed, and no script that is written in. */
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

/** References are relative, so that the page also works under a path of a proxy. */
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

/** All of Scalar that would reach beyond this service is off. */
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

/** Requests made from the page go to where the page came from, whatever name the document has for it. */
export const startScript = `"use strict";
const base = new URL(".", location.href).href.replace(/\\/$/, "");
Scalar.createApiReference("#app", {
  ...${JSON.stringify(settings)},
  url: base + "/openapi.json",
  servers: [{ url: base }],
});
`;
