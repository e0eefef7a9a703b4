// Builds the HTTP server: connection limits, the routes of the tables, and the replies for other paths.

import {
  type FastifyInstance,
  fastify,
  LogController,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { unavailable } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";
import { answerClientError, makeHttpServer } from "./connection/http-server.ts";
import type { HttpContext } from "./http-context.ts";
import { sendError } from "./reply/send-error.ts";
import type { PublicOptions } from "./public/public-route.ts";
import { registerPublicRoutes } from "./public-routes.ts";
import { requestIdOf } from "./request/request-id.ts";
import { type Exchange, makeRequestContext, sendAnswer } from "./reply/reply.ts";
import type { Identity } from "../actions/access/caller-cache.ts";
import type { Scope } from "../domain/scope.ts";
import { refuseAmbiguousRequest, refuseBodyOfGet } from "./connection/request-smuggling.ts";
import { type Handler, type Operation, scopesOf } from "./operation.ts";
import { authenticate } from "./request/authenticate.ts";
import { registerMissing, asMalformed } from "./missing-routes.ts";

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
  const sweep = setInterval(() => {
    for (const connection of context.sharedBounds.connections)
      connection.endOverdue(limits.bodyTimeoutMs);
  }, sweepMs).unref();
  server.addHook("onClose", (_instance, done) => {
    clearInterval(sweep);
    done();
  });
  server.decorateRequest("requestContext", undefined);
  server.decorateRequest("rate", undefined);
  // The handlers read bodies, after authentication and within their own bounds; for Fastify no method has a body.
  for (const method of ["POST", "PUT", "DELETE"]) {
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, _payload, done) => done(null));
  registerMissing(server, context, options);
  registerOperations(server, context, options.operations);
  registerPublicRoutes(server, context, options);
  options.mount?.(server);
  return server;
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
  { request, reply }: Exchange,
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
    const result = await handler({ request, reply, requestContext, caller });
    if (result !== undefined) sendAnswer(context, { request, reply }, result);
  } catch (error) {
    sendError(context, request, { reply, error });
  } finally {
    if (began !== undefined) organizations.endRequest(began);
  }
}
