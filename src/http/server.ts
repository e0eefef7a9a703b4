// Builds the HTTP server: connection limits, the routes from the table, and what answers when no route does.

import { type FastifyInstance, type FastifyRequest, fastify, LogController } from "fastify";
import { AppError } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";
import { recordTypes } from "../domain/record-types.ts";
import { answerClientError, answerConnect, answerOnSocket } from "./client-error.ts";
import type { Door } from "./door.ts";
import { answerExpectations } from "./expectation.ts";
import { sendError } from "./send-error.ts";
import { registerHealth } from "./health.ts";
import { asMalformed, registerMissing } from "./missing.ts";
import { registerOpenApi } from "./openapi-routes.ts";
import { RequestWatch } from "./request-watch.ts";
import { requestIdOf } from "./request-id.ts";
import { registerReceiptKeys } from "./receipt-keys.ts";
import type { Visit } from "./reply.ts";
import { registerOperations } from "./register.ts";
import { requireSoundHead } from "./sound-head.ts";

export interface ServerOptions {
  readonly trustProxy: boolean | string;
  readonly renderMetrics: () => Promise<{ text: string; contentType: string }>;
}

export async function makeServer(door: Door, options: ServerOptions): Promise<FastifyInstance> {
  const server = fastify({
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy,
    genReqId: requestIdOf,
    bodyLimit: limits.bodyBytesMax,
    // A socket that is silent for this long is closed; slow requests are ended by the watch below.
    connectionTimeout: limits.idleSocketTimeoutMs,
    keepAliveTimeout: limits.idleSocketTimeoutMs,
    // Node would end long streams with its requestTimeout; the watch spares them.
    requestTimeout: 0,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: limits.headerBytesMax,
      // Node would answer one without a body; operations answer as everywhere.
      requireHostHeader: false,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      sendError(door, request, { reply, error: asMalformed(error) });
    },
  });
  answerExpectations(server.server);
  answerHalfClosed(server);
  server.server.on("connect", (_request, socket) => answerConnect(socket));
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
    registerReceiptKeys(beside, door);
    registerHealth(beside, door, options.renderMetrics);
    registerOpenApi(beside, door, recordTypes);
    done();
  });
  return server;
}

async function requireSoundHeadFirst({ raw }: FastifyRequest): Promise<void> {
  requireSoundHead(raw);
}

/**
 * A client that closes its writing side once it has sent its request (as `nc -N` does) gets its reply. By itself Node
 * would close the connection without one, and nobody could tell whether the request was carried out.
 */
function answerHalfClosed({ server }: FastifyInstance): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}
