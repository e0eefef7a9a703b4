// Builds the HTTP server: connection limits, the routes of the tables, and the replies for other paths.

import {
  type FastifyInstance,
  fastify,
  LogController,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { AppError, unavailable } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";
import { answerOnSocket } from "./connection/client-error.ts";
import { connectionOf } from "./connection/connection.ts";
import { answerClientError, makeHttpServer } from "./connection/http-server.ts";
import type { HttpContext } from "./http-context.ts";
import { sendError } from "./reply/send-error.ts";
import type { PublicOptions } from "./public/public-route.ts";
import { registerPublicRoutes, publicRoutes } from "./public-routes.ts";
import { requestIdOf } from "./request/request-id.ts";
import { makeRequestContext } from "./reply/reply.ts";
import type { Identity } from "../actions/access/caller-cache.ts";
import type { Scope } from "../domain/scope.ts";
import { refuseAmbiguousRequest, refuseBodyOfGet } from "./connection/request-smuggling.ts";
import { type Handler, type Operation, scopesOf } from "./operation.ts";
import { authenticate, countUnknownPath } from "./request/authenticate.ts";
import { noSuchOperation } from "./reply/no-such-operation.ts";
import { limitUnauthenticated } from "./rate-limit/enforce-limit.ts";

/** How often requests that take too long are looked for. */
const sweepMs = 5_000;

export interface ServerOptions extends PublicOptions {
  readonly operations: readonly Operation[];
  readonly trustProxy: boolean | string;
  readonly mount?: ((server: FastifyInstance) => void) | undefined;
}

export function makeServer(context: HttpContext, options: ServerOptions): FastifyInstance {
  const server = fastify({
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    genReqId: requestIdOf,
    bodyLimit: limits.bodyBytesMax,
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    serverFactory: (handle) => makeHttpServer(handle, context),
    return503OnClosing: false,
    forceCloseConnections: "idle",
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      sendError(context, request, { reply, error: asMalformed(error) });
    },
  });
  const sweep = setInterval(() => endOverdue(context), sweepMs).unref();
  server.addHook("onClose", (_instance, done) => {
    clearInterval(sweep);
    done();
  });
  server.decorateRequest("requestContext", undefined);
  // The handlers read bodies, after authentication and within their own bounds; for Fastify no method has a body.
  for (const method of ["POST", "PUT", "DELETE"]) {
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, _payload, done) => done(null));
  registerMissing(server, context, options.operations);
  registerOperations(server, context, options.operations);
  registerPublicRoutes(server, context, options);
  options.mount?.(server);
  return server;
}

function endOverdue({ edge }: HttpContext): void {
  for (const reply of edge.connections.overdueReplies(limits.bodyTimeoutMs)) {
    const { req: raw } = reply;
    const error = new AppError(raw.complete ? "unavailable" : "request_timeout");
    const isHead = raw.method === "HEAD";
    answerOnSocket(connectionOf(reply), { error, requestId: requestIdOf(raw), isHead });
  }
}

/** Fastify loads compilers of its own unless it gets others. No route has a schema that Fastify knows of. */
function noSchema(): never {
  throw new TypeError("a route has a schema for Fastify");
}

// Connects each row of the route table with its authentication and its handler.

function registerOperations(
  server: FastifyInstance,
  context: HttpContext,
  operations: readonly Operation[],
): void {
  for (const operation of operations) {
    const endpoint: Endpoint = {
      operation,
      scopes: scopesOf(operation),
      handler: operation.makeHandler(context, operation),
    };
    server.route({
      method: operation.method,
      url: operation.path,
      exposeHeadRoute: operation.method === "GET",
      handler: makeRouteHandler(context, endpoint),
    });
  }
}

function makeRouteHandler(
  context: HttpContext,
  endpoint: Endpoint,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const { traceRequest } = context;
  const handle = (request: FastifyRequest, reply: FastifyReply): void => {
    void answer(context, { request, reply }, endpoint);
  };
  const { path, type } = endpoint.operation;
  // A trace would disclose that there are such records.
  if (traceRequest === undefined || type?.confidential === true) return handle;
  return (request, reply) => {
    traceRequest({ request, reply }, path, () => handle(request, reply));
  };
}

const nobody: Identity = {
  organizationId: "",
  organizationName: "",
  keyId: "",
  actor: "",
  expiresAt: 0,
  covered: new Set(),
  confidential: new Set(),
  rateLimitPerSecond: undefined,
  deletionGraceSeconds: 0,
};

interface Endpoint {
  readonly operation: Operation;
  readonly scopes: readonly Scope[];
  readonly handler: Handler;
}

async function answer(
  context: HttpContext,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { operation, scopes, handler }: Endpoint,
): Promise<void> {
  const requestContext = makeRequestContext(request, operation);
  const { organizations } = context.load;
  let began: string | undefined;
  try {
    if (context.closing()) throw unavailable("closing", { retryAfterSeconds: 1 });
    refuseAmbiguousRequest(request.raw);
    if (operation.permission !== undefined) {
      // A caller in memory is not awaited. In either case the body is not read before.
      const pending = authenticate(context, request, { requestContext, scopes });
      if (pending !== undefined) await pending;
    }
    refuseBodyOfGet(request.raw);
    const { caller = nobody } = requestContext;
    if (caller !== nobody) {
      organizations.beginRequest(caller.organizationId);
      began = caller.organizationId;
    }
    const found = await handler({ request, reply, requestContext, caller });
    if (found !== undefined) context.replies.send(request, reply, found);
  } catch (error) {
    sendError(context, request, { reply, error });
  } finally {
    if (began !== undefined) organizations.endRequest(began);
  }
}

// Replies to requests for which there is no route: 404, or 405 with the methods that the path has.

function registerMissing(
  server: FastifyInstance,
  context: HttpContext,
  operations: readonly Operation[],
): void {
  const methods = methodsByPath(operations);
  const answerMissing = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      refuseAmbiguousRequest(request.raw);
      if (request.headers.authorization === undefined || !request.url.startsWith("/v2/")) {
        if (!limitUnauthenticated(context, request, reply)) return reply;
      }
      if (request.url.startsWith("/v2/"))
        await countUnknownPath(context, request, makeRequestContext(request, undefined));
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

function refusal(
  { method, url }: FastifyRequest,
  methods: MethodsByPath,
  operations: readonly Operation[],
): { readonly error: AppError; readonly headers: Readonly<Record<string, string>> } {
  const path = url.split("?", 1)[0] ?? "";
  const allowed = methods.get(path);
  if (allowed === undefined) {
    return { error: noSuchOperation(path, [...methods.keys()], operations), headers: {} };
  }
  const allow = allowed.join(", ");
  const message = `${method} is not allowed here; this path allows ${allow}.`;
  return { error: new AppError("method_not_allowed", { message }), headers: { allow } };
}

/** Replaces Fastify's own errors before any handler: a path that cannot be decoded, an invalid content type. */
function asMalformed(error: unknown): unknown {
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

function methodsByPath(operations: readonly Operation[]): MethodsByPath {
  const methods = new Map<string, string[]>();
  for (const { path } of publicRoutes) methods.set(path, ["GET", "HEAD"]);
  for (const { path, method } of operations) {
    const known = methods.get(path) ?? [];
    methods.set(path, [...known, ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
  }
  return methods;
}
