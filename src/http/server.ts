// Builds the HTTP server: connection limits, the routes of the tables, and the replies where there is no route.

import { type FastifyInstance, fastify, LogController } from "fastify";
import { AppError } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";
import { answerOnSocket } from "./connection/client-error.ts";
import { makeHttpServer, onClientError } from "./connection/http-server.ts";
import type { HttpContext } from "./http-context.ts";
import { sendError } from "./reply/send-error.ts";
import { asMalformed, registerMissing } from "./public/missing.ts";
import type { PublicOptions } from "./public/public-route.ts";
import { registerPublicRoutes } from "./public-routes.ts";
import { RequestWatch } from "./connection/request-watch.ts";
import { requestIdOf } from "./request/request-id.ts";
import type { RequestContext } from "./reply/reply.ts";
import { registerOperations } from "./register.ts";

export interface ServerOptions extends PublicOptions {
  readonly trustProxy: boolean | string;
  /** Adds routes that this folder does not know. */
  readonly mount?:
    ((server: FastifyInstance, watch: RequestWatch<RequestContext>) => void) | undefined;
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
    clientErrorHandler: (error, socket) => onClientError(context.edge, error, socket),
    frameworkErrors: (error, request, reply) => {
      sendError(context, request, { reply, error: asMalformed(error) });
    },
  });
  const watch = new RequestWatch<RequestContext>({
    limitMs: limits.bodyTimeoutMs,
    sweepMs: 5_000,
    onOverdue: ({ raw, response }) => {
      if (response.destroyed || response.headersSent) return;
      const error = new AppError(raw.complete ? "unavailable" : "request_timeout");
      const isHead = raw.method === "HEAD";
      answerOnSocket(response.socket, { error, requestId: requestIdOf(raw), isHead });
    },
  });
  server.addHook("onClose", (_instance, done) => {
    watch.stop();
    done();
  });
  server.decorateRequest("requestContext", undefined);
  // The handlers read bodies, after authentication and within their own bounds; for Fastify no method has a body.
  for (const method of ["POST", "PUT", "DELETE"]) {
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, _payload, done) => done(null));
  registerMissing(server, context);
  registerOperations(server, context, watch);
  registerPublicRoutes(server, context, options);
  options.mount?.(server, watch);
  return server;
}

/** Fastify loads compilers of its own unless it gets others. No route has a schema that Fastify knows of. */
function noSchema(): never {
  throw new TypeError("a route has a schema for Fastify");
}
