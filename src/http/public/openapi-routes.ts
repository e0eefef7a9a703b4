// Serves /openapi.json, and the reference page at /docs. Each is made once, when it is first requested.

import type { OpenApiDocument } from "../openapi/document.ts";
import { makeOnce } from "../coalesce.ts";
import {
  makeRepresentation,
  representationAnswer,
  representText,
  type Representation,
  type Encoded,
} from "../reply/representation.ts";
import type { PublicRoute } from "./public-route.ts";
import { onlyMessage, startThread } from "../../basics/thread.ts";

/** Scalar adds inline styles, some without a nonce, so those are allowed; inline scripts are not. */
const contentSecurityPolicy = [
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
const referencePage = `<!doctype html>
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
const startScript = `"use strict";
const base = new URL(".", location.href).href.replace(/\\/$/, "");
Scalar.createApiReference("#app", {
  ...${JSON.stringify(settings)},
  url: base + "/openapi.json",
  servers: [{ url: base }],
});
`;

const javaScript = "text/javascript; charset=utf-8";
/** Browsers ask each time, because the next version may have other documents. */
const revalidated = { "cache-control": "no-cache" };
const pageHeaders = {
  ...revalidated,
  "content-security-policy": contentSecurityPolicy,
  "referrer-policy": "no-referrer",
};
const scriptHeaders = { "cache-control": "public, max-age=3600" };

export const documentRoute: PublicRoute = {
  path: "/openapi.json",
  limited: true,
  document: {
    operationId: "readOpenApi",
    summary: "Read this document",
    description: "The OpenAPI 3.1 document of this service. `/docs` shows it as a page.",
    answers: "This document.",
    contentType: "application/json",
    cached: true,
    schema: {
      type: "object",
      required: ["openapi", "info", "paths"],
      properties: {
        openapi: { type: "string" },
        info: { type: "object", additionalProperties: true },
        paths: { type: "object", additionalProperties: true },
      },
      additionalProperties: true,
    },
  },
  makeHandler: (_context, { loadDocument }) => {
    const find = makeOnce(async () => renderDocument(await loadDocument()));
    return async (request) => representationAnswer(request, await find());
  },
};

export const pageRoute = pageFile("/docs", () =>
  representText("text/html; charset=utf-8", referencePage, pageHeaders),
);
export const startScriptRoute = pageFile("/docs/start.js", () =>
  representText(javaScript, startScript, scriptHeaders),
);
export const pageScriptRoute = pageFile("/docs/reference.js", async () =>
  makeRepresentation(javaScript, await loadReferenceScript(), scriptHeaders),
);

function pageFile(path: string, make: () => Promise<Representation>): PublicRoute {
  return {
    path,
    limited: true,
    makeHandler: () => {
      const find = makeOnce(make);
      return async (request) => representationAnswer(request, await find());
    },
  };
}

/** Its server is a relative URL, which is right at every address. */
function renderDocument(text: string): Promise<Representation> {
  const document = JSON.parse(text) as OpenApiDocument;
  const servers = document.servers.map((server) => ({ ...server, url: "/" }));
  return representText("application/json", JSON.stringify({ ...document, servers }), revalidated);
}

/** Rejects if the thread fails. */
async function loadReferenceScript(): Promise<Encoded> {
  const thread = startThread(import.meta.url, "reference-bundle-thread");
  const ended = new Error("the thread of the script ended without a result");
  const made = await onlyMessage<Record<keyof Encoded, Uint8Array>>(thread, ended);
  return { gzip: asBuffer(made.gzip), identity: asBuffer(made.identity) };
}

/** Posting a Buffer loses its class; this does not copy. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
