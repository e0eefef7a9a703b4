// Serves /openapi.json, and at /docs the reference page that is made from it. The page loads nothing from elsewhere. All
// of it is made once, when somebody first asks for it, and never again.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";
import type { OpenApiDocument } from "../openapi/document.ts";
import { loadDocument, loadReferenceScript } from "../openapi/made-in-thread.ts";
import { contentSecurityPolicy, referencePage, startScript } from "../openapi/reference-page.ts";
import {
  encode,
  makeRepresentation,
  type Representation,
  sendRepresentation,
} from "../reply/representation.ts";
import { sendError } from "../reply/send-error.ts";

const html = "text/html; charset=utf-8";
const json = "application/json";
const javaScript = "text/javascript; charset=utf-8";
/** The next version of the service may have others; what has not changed is not sent again. */
const revalidated = { "cache-control": "no-cache" };
const pageHeaders = {
  ...revalidated,
  "content-security-policy": contentSecurityPolicy,
  "referrer-policy": "no-referrer",
};
const scriptHeaders = { "cache-control": "public, max-age=3600" };

export function registerOpenApi(server: FastifyInstance, context: HttpContext): void {
  const documents = makeDocuments();
  const page = once(() => fromText(html, referencePage, pageHeaders));
  const start = once(() => fromText(javaScript, startScript, scriptHeaders));
  const script = once(async () =>
    makeRepresentation(javaScript, await loadReferenceScript(), scriptHeaders),
  );

  serve("/openapi.json", documents);
  serve("/docs", page);
  serve("/docs/start.js", start);
  serve("/docs/reference.js", script);

  function serve(path: string, find: (request: FastifyRequest) => Promise<Representation>): void {
    server.get(path, async (request, reply: FastifyReply) => {
      try {
        sendRepresentation(context.replies, { request, reply }, await find(request));
      } catch (error) {
        sendError(context, request, { reply, error });
      }
      return reply;
    });
  }
}

/** Addresses under which the document is kept ready; beyond them it names its server by a relative URL. */
const addressesMax = 16;

const hostForm = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** Names the address at which the client reached the service, so that a client made from the document finds it too. */
function makeDocuments(): (request: FastifyRequest) => Promise<Representation> {
  const load = once(async () => JSON.parse(await loadDocument()) as OpenApiDocument);
  const known = new Map<string, () => Promise<Representation>>();
  const find = (url: string | undefined): Promise<Representation> => {
    const key = url ?? "";
    const found = known.get(key) ?? once(async () => render(await load(), url));
    known.set(key, found);
    return found();
  };
  return ({ protocol, host }) => {
    if (!hostForm.test(host)) return find(undefined);
    const url = `${protocol}://${host}`;
    return find(known.has(url) || known.size < addressesMax ? url : "/");
  };
}

/** `url`: of the service; undefined leaves the document as it is. */
function render(document: OpenApiDocument, url: string | undefined): Promise<Representation> {
  const servers = document.servers.map((server) => ({ ...server, url: url ?? server.url }));
  return fromText(json, JSON.stringify({ ...document, servers }), revalidated);
}

async function fromText(
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>>,
): Promise<Representation> {
  return makeRepresentation(contentType, await encode(Buffer.from(text)), headers);
}

/** Keeps what was made, but not a failure. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
