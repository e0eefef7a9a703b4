// Builds the HTTP server: connection limits, the routes from the table, and what answers when no route does.

import { type FastifyInstance, type FastifyRequest, fastify, LogController } from "fastify";
import { AppError } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";
import { answerOnSocket } from "./connection/client-error.ts";
import { makeHttpServer, onClientError } from "./connection/http-server.ts";
import type { Door } from "./door.ts";
import { sendError } from "./send-error.ts";
import { registerHealth } from "./health.ts";
import { type MetricsOptions, registerMetrics } from "./metrics-route.ts";
import { asMalformed, registerMissing } from "./missing.ts";
import { registerOpenApi } from "./openapi-routes.ts";
import { RequestWatch } from "./request-watch.ts";
import { requestIdOf } from "./request-id.ts";
import { registerReceiptKeys } from "./receipt-keys.ts";
import type { Visit } from "./reply.ts";
import { registerOperations } from "./register.ts";
import { requireSoundHead } from "./sound-head.ts";
import { admitStranger } from "./unauthenticated.ts";

export interface ServerOptions extends MetricsOptions {
  readonly trustProxy: boolean | string;
}

export async function makeServer(door: Door, options: ServerOptions): Promise<FastifyInstance> {
  const server = fastify({
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    genReqId: requestIdOf,
    bodyLimit: limits.bodyBytesMax,
    serverFactory: (handle) => makeHttpServer(handle, door),
    return503OnClosing: false,
    forceCloseConnections: "idle",
    clientErrorHandler: (error, socket) => onClientError(door.edge, error, socket),
    frameworkErrors: (error, request, reply) => {
      sendError(door, request, { reply, error: asMalformed(error) });
    },
  });
  const watch = new RequestWatch<Visit>({
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
  server.decorateRequest("visit", undefined);
  // Bodies are read by the handlers, after the gate, within their own bounds: to Fastify no method has one.
  for (const method of ["POST", "PUT", "DELETE"]) {
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, _payload, done) => done(null));
  registerMissing(server, door);
  registerOperations(server, door, watch);
  await server.register((beside: FastifyInstance, _options: object, done: () => void) => {
    // Operations look for themselves, and spare the way through a hook.
    beside.addHook("onRequest", requireSoundHeadFirst);
    registerHealth(beside, door);
    registerMetrics(beside, door, options);
    done();
  });
  await server.register((open: FastifyInstance, _options: object, done: () => void) => {
    open.addHook("onRequest", async (request, reply) => {
      requireSoundHead(request.raw);
      return admitStranger(door, request, reply) ? undefined : reply;
    });
    registerReceiptKeys(open, door);
    registerOpenApi(open, door);
    done();
  });
  return server;
}

async function requireSoundHeadFirst({ raw }: FastifyRequest): Promise<void> {
  requireSoundHead(raw);
}
