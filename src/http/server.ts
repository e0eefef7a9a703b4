// Builds the HTTP server: connection limits, the routes from the table, and what answers when no route does.

import { Socket } from "node:net";
import { type FastifyInstance, fastify, LogController } from "fastify";
import { AppError } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";
import { recordTypes } from "../domain/record-types.ts";
import type { Door } from "./door.ts";
import { errorBody, statusOf } from "./error-response.ts";
import { registerHealth } from "./health.ts";
import { registerMissing } from "./missing.ts";
import { registerOpenApi } from "./openapi-routes.ts";
import { RequestWatch } from "./request-watch.ts";
import { requestIdOf } from "./request-id.ts";
import type { Visit } from "./reply.ts";
import { registerOperations } from "./register.ts";

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
    },
    clientErrorHandler: answerClientError,
  });
  const watch = new RequestWatch<Visit>({
    limitMs: limits.bodyTimeoutMs,
    sweepMs: 5_000,
    onOverdue: ({ raw, response }) => {
      if (response.destroyed || response.headersSent) return;
      answerRaw(response.socket, new AppError(raw.complete ? "unavailable" : "request_timeout"));
    },
  });
  server.addHook("onClose", (_instance, done) => {
    watch.stop();
    done();
  });
  server.decorateRequest("visit", undefined);
  // Bodies are read by the handlers, after the gate, within their own bounds.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, _payload, done) => done(null));
  registerOperations(server, door, watch);
  registerHealth(server, door, options.renderMetrics);
  registerOpenApi(server, door, recordTypes);
  registerMissing(server, door);
  return server;
}

/** What Node could not read as a request: the connection is answered and closed. */
function answerClientError(error: NodeJS.ErrnoException, socket: unknown): void {
  if (!(socket instanceof Socket)) return;
  if (error.code === "ECONNRESET" || socket.destroyed) {
    socket.destroy();
    return;
  }
  const name =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "headers_too_large"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "request_timeout"
        : "malformed_http";
  answerRaw(socket, new AppError(name));
}

function answerRaw(socket: Socket | null, error: AppError): void {
  if (socket === null || !socket.writable) return;
  const body = JSON.stringify(errorBody(error));
  socket.end(
    `HTTP/1.1 ${statusOf(error)} Error\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
