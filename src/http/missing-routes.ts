// Replies to requests for which there is no route: 404 with the operation that was probably meant, or 405 with the
// methods that the path has.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../domain/error.ts";
import { recordTypes } from "../domain/record-types.ts";
import { closestName } from "../domain/validation/suggest.ts";
import type { HttpContext } from "./http-context.ts";
import { sendError } from "./reply/send-error.ts";
import type { PublicOptions } from "./public/public-route.ts";
import { makeRequestContext, type RequestContext } from "./reply/reply.ts";
import { refuseAmbiguousRequest } from "./connection/request-smuggling.ts";
import type { Operation } from "./operation.ts";
import { authenticate, isCredentialError } from "./request/authenticate.ts";
import { limitUnauthenticated } from "./rate-limit/enforce-limit.ts";

interface Routes extends Pick<PublicOptions, "publicRoutes"> {
  readonly operations: readonly Operation[];
}

export function registerMissing(
  server: FastifyInstance,
  context: HttpContext,
  routes: Routes,
): void {
  const { operations } = routes;
  const methods = methodsByPath(routes);
  const answerMissing = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      refuseAmbiguousRequest(request.raw);
      const isApi = request.url.startsWith("/v2/");
      if (!isApi || request.headers.authorization === undefined)
        limitUnauthenticated(context, request);
      if (isApi) await countUnknownPath(context, request, makeRequestContext(request, undefined));
      const { error, headers } = refusal(request, methods, operations);
      sendError(context, request, { reply, error, headers });
    } catch (limit) {
      sendError(context, request, { reply, error: limit });
    }
    return reply;
  };
  server.setNotFoundHandler(answerMissing);
  server.setErrorHandler(async (error, request, reply) => {
    // Fastify refuses a QUERY without a content type before it looks for a route, and no route here has that method.
    if (codeOf(error) === "FST_ERR_ROUTE_MISSING_CONTENT_TYPE")
      return answerMissing(request, reply);
    sendError(context, request, { reply, error: asMalformed(error) });
    return reply;
  });
}

/**
 * Without a credential it counts against nothing; the reply has the limit of its address. Throws AppError
 * rate_limited.
 */
async function countUnknownPath(
  context: HttpContext,
  request: FastifyRequest,
  requestContext: RequestContext,
): Promise<void> {
  if (request.headers.authorization === undefined) {
    request.rate = context.rates.failuresLeft(request.ip).headers;
    return;
  }
  try {
    await authenticate(context, request, { requestContext, scopes: [] });
  } catch (error) {
    if (!isCredentialError(error)) throw error;
  }
}

/** Those of what is mounted beside the operations, such as the console; undefined for an unknown path. */
function mountedMethods(server: FastifyInstance, url: string): readonly string[] | undefined {
  // The router would read any other character as a pattern.
  if (!/^[a-z/_-]+$/.test(url)) return undefined;
  const found = (["GET", "HEAD", "POST"] as const).filter((method) =>
    server.hasRoute({ method, url }),
  );
  return found.length === 0 ? undefined : found;
}

function refusal(
  { method, url, server }: FastifyRequest,
  methods: MethodsByPath,
  operations: readonly Operation[],
): { readonly error: AppError; readonly headers: Readonly<Record<string, string>> } {
  const path = url.split("?", 1)[0] ?? "";
  const allowed = methods.get(path) ?? mountedMethods(server, path);
  if (allowed === undefined) {
    return { error: noSuchOperation(path, [...methods.keys()], operations), headers: {} };
  }
  const allow = allowed.join(", ");
  const message = `${method} is not allowed here; this path allows ${allow}.`;
  return { error: new AppError("method_not_allowed", { message }), headers: { allow } };
}

/** `known`: the paths that have operations, or are public. */
function noSuchOperation(
  path: string,
  known: readonly string[],
  operations: readonly Operation[],
): AppError {
  const hint = idInPath(path, operations) ?? nearPath(path, known);
  return new AppError("no_such_operation", { message: `There is no such operation. ${hint}` });
}

function idInPath(path: string, operations: readonly Operation[]): string | undefined {
  if (path.endsWith("/")) return undefined;
  const parent = path.slice(0, path.lastIndexOf("/"));
  const meant = operations.find((one) => one.method === "GET" && one.path === parent);
  const name = meant?.document(meant, recordTypes).query?.name;
  return name && `The id is a query parameter: ${parent}?${name}=…`;
}

function nearPath(path: string, known: readonly string[]): string {
  const close = closestName(path, known);
  return close === undefined ? "See /docs for all operations." : `Did you mean ${close}?`;
}

/** Replaces Fastify's own errors before any handler: a path that cannot be decoded, an invalid content type. */
export function asMalformed(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "FST_ERR_BAD_URL") {
    return new AppError("malformed_http", { message: "The path is not valid." });
  }
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return new AppError("content_type");
  return error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

type MethodsByPath = ReadonlyMap<string, readonly string[]>;

function methodsByPath({ operations, publicRoutes }: Routes): MethodsByPath {
  const methods = new Map<string, string[]>();
  for (const { path } of publicRoutes) methods.set(path, ["GET", "HEAD"]);
  for (const { path, method } of operations) {
    const known = methods.get(path) ?? [];
    methods.set(path, [...known, ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
  }
  return methods;
}
