// Builds the HTTP server: connection limits, the routes from the table, and what answers when no route does.

import { type FastifyInstance, type FastifyRequest, fastify, LogController } from "fastify";
import { AppError } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";
import { answerOnSocket } from "./connection/client-error.ts";
import { makeHttpServer, onClientError } from "./connection/http-server.ts";
import type { HttpContext } from "./http-context.ts";
import { sendError } from "./reply/send-error.ts";
import { registerHealth } from "./public/health.ts";
import { type MetricsOptions, registerMetrics } from "./public/metrics-route.ts";
import { asMalformed, registerMissing } from "./public/missing.ts";
import { registerOpenApi } from "./public/openapi-routes.ts";
import { RequestWatch } from "./connection/request-watch.ts";
import { requestIdOf } from "./request/request-id.ts";
import { registerReceiptKeys } from "./public/receipt-keys.ts";
import type { RequestContext } from "./reply/reply.ts";
import { registerOperations } from "./register.ts";
import { rejectAmbiguousRequest } from "./connection/request-smuggling.ts";
import { limitUnauthenticated } from "./rate-limit/unauthenticated.ts";

export interface ServerOptions extends MetricsOptions {
  readonly trustProxy: boolean | string;
}

export async function makeServer(
  context: HttpContext,
  options: ServerOptions,
): Promise<FastifyInstance> {
  const server = fastify({
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    genReqId: requestIdOf,
    bodyLimit: limits.bodyBytesMax,
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
      answerOnSocket(response.socket, { error, requestId: requestIdOf(raw) });
    },
  });
  server.addHook("onClose", (_instance, done) => {
    watch.stop();
    done();
  });
  server.decorateRequest("requestContext", undefined);
  // Bodies are read by the handlers, after authentication, within their own bounds: to Fastify no method has one.
  for (const method of ["POST", "PUT", "DELETE"]) {
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, _payload, done) => done(null));
  registerMissing(server, context);
  registerOperations(server, context, watch);
  await server.register((beside: FastifyInstance, _options: object, done: () => void) => {
    // Operations look for themselves, and spare the way through a hook.
    beside.addHook("onRequest", rejectAmbiguousRequestFirst);
    registerHealth(beside, context);
    registerMetrics(beside, context, options);
    done();
  });
  await server.register((open: FastifyInstance, _options: object, done: () => void) => {
    open.addHook("onRequest", async (request, reply) => {
      rejectAmbiguousRequest(request.raw);
      return limitUnauthenticated(context, request, reply) ? undefined : reply;
    });
    registerReceiptKeys(open, context);
    registerOpenApi(open, context);
    done();
  });
  return server;
}

async function rejectAmbiguousRequestFirst({ raw }: FastifyRequest): Promise<void> {
  rejectAmbiguousRequest(raw);
}
