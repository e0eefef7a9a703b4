// Serves /openapi.json, and at /docs the reference page that is made from it. The page loads nothing from elsewhere; what
// it consists of is read from the installed package when somebody first asks for it, never at start.

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RecordType } from "../domain/record-type.ts";
import type { Door } from "./door.ts";
import { buildOpenApi } from "./openapi.ts";
import { loadBundle } from "./openapi/reference-bundle.ts";
import { contentSecurityPolicy, referencePage, startScript } from "./openapi/reference-page.ts";
import type { Answer } from "./reply.ts";

const javaScript = "text/javascript; charset=utf-8";
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

export function registerOpenApi(
  server: FastifyInstance,
  { replies }: Pick<Door, "replies">,
  types: readonly RecordType[],
): void {
  const render = rememberLast((serverUrl) => JSON.stringify(buildOpenApi({ serverUrl, types })));
  const bundle = onceGood(loadBundle);

  serve("/openapi.json", (request) => ({ body: render(originOf(request)), headers: sniffing }));
  serve("/docs", () => ({ body: referencePage, contentType: html, headers: pageHeaders }));
  serve("/docs/start.js", () => ({ body: startScript, contentType: javaScript, headers: file }));
  serve("/docs/reference.js", async (request) => {
    const script = await bundle();
    const headers = { ...file, vary: "accept-encoding" };
    if (!acceptsGzip(request))
      return { body: await script.plain(), contentType: javaScript, headers };
    const encoded = { ...headers, "content-encoding": "gzip" };
    return { body: script.gzipped, contentType: javaScript, headers: encoded };
  });

  type Found = Omit<Answer, "status">;

  function serve(path: string, answer: (request: FastifyRequest) => Found | Promise<Found>): void {
    server.get(path, async (request, reply) => {
      return replies.send(request, reply, { status: 200, ...(await answer(request)) });
    });
  }
}

function acceptsGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers["accept-encoding"] ?? "");
}

const hostForm = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** Where the client reached the service, so that a client generated from the document finds it there too. */
function originOf({ protocol, host }: FastifyRequest): string | undefined {
  return hostForm.test(host) ? `${protocol}://${host}` : undefined;
}

/** Nearly every client asks under one name, and a bound of one needs no clearing. */
function rememberLast<Value>(
  make: (key: string | undefined) => Value,
): (key: string | undefined) => Value {
  let last: { readonly key: string | undefined; readonly value: Value } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: make(key) };
    return last.value;
  };
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
