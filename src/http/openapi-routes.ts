// Serves /openapi.json, and at /docs the reference page that is made from it. The page loads nothing from elsewhere; what
// it consists of is read from the installed package when somebody first asks for it, never at start.

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RecordType } from "../domain/record-type.ts";
import type { Door } from "./door.ts";
import type { OpenApiDocument } from "./openapi/document.ts";
import { loadBundle } from "./openapi/reference-bundle.ts";
import { contentSecurityPolicy, referencePage, startScript } from "./openapi/reference-page.ts";
import type { Answer } from "./reply.ts";

const html = "text/html; charset=utf-8";
const sniffing = { "x-content-type-options": "nosniff" };
const pageHeaders = {
  ...sniffing,
  "content-security-policy": contentSecurityPolicy,
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};
/** The files of the page change only with the version of the service. */
const file = { ...sniffing, "cache-control": "public, max-age=3600" };

type Found = Omit<Answer, "status">;

export function registerOpenApi(
  server: FastifyInstance,
  { replies }: Pick<Door, "replies">,
  types: readonly RecordType[],
): void {
  const document = onceGood(() => makeDocument(types));
  const bundle = onceGood(loadBundle);

  serve("/openapi.json", async (request) => {
    return { body: renderFor(request, await document()), headers: sniffing };
  });
  serve("/docs", () => ({ body: referencePage, contentType: html, headers: pageHeaders }));
  serve("/docs/start.js", () => javaScript(startScript, file));
  serve("/docs/reference.js", async (request) => {
    const script = await bundle();
    const headers = { ...file, vary: "accept-encoding" };
    if (!acceptsGzip(request)) return javaScript(await script.plain(), headers);
    return javaScript(script.gzipped, { ...headers, "content-encoding": "gzip" });
  });

  function serve(path: string, answer: (request: FastifyRequest) => Found | Promise<Found>): void {
    server.get(path, async (request, reply) => {
      replies.send(request, reply, { status: 200, ...(await answer(request)) });
    });
  }
}

function javaScript(body: string | Buffer, headers: Record<string, string>): Found {
  return { body, contentType: "text/javascript; charset=utf-8", headers };
}

/** What makes the document is loaded only now: no other request needs it, and a start should not wait for it. */
async function makeDocument(types: readonly RecordType[]): Promise<OpenApiDocument> {
  const { buildOpenApi } = await import("./openapi.ts");
  return buildOpenApi({ types });
}

const hostForm = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** Names the address at which the client reached the service, so that a client made from the document finds it too. */
function renderFor({ protocol, host }: FastifyRequest, document: OpenApiDocument): string {
  if (!hostForm.test(host)) return JSON.stringify(document);
  const url = `${protocol}://${host}`;
  return JSON.stringify({
    ...document,
    servers: document.servers.map((server) => ({ ...server, url })),
  });
}

function acceptsGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers["accept-encoding"] ?? "");
}

/** Keeps what was loaded, but not a failure. */
function onceGood<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
