// Makes Node's HTTP server as this service uses it: times, bounds, and what happens to a connection before the first byte
// and after the last. Knows nothing of routes.

import { createServer, type Server } from "node:http";
import { Socket } from "node:net";
import { limits } from "../../domain/limits.ts";
import type { Logger } from "../../log.ts";
import { answerExpectations } from "../body/expectation.ts";
import { answerClientError, answerConnect } from "./client-error.ts";
import type { Edge } from "./edge.ts";
import { unparsedBytes } from "./parser.ts";
import type { RequestHandler } from "./pipeline.ts";
import { watchReading } from "./reading.ts";

/** Beyond the bound of `OpenConnections`, for those that are just being closed. */
const closingConnectionsMax = 256;

export function makeHttpServer(
  handle: RequestHandler,
  { edge, log }: { readonly edge: Edge; readonly log: Logger },
): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: limits.headerBytesMax,
      keepAliveTimeout: limits.idleSocketTimeoutMs,
      // Node would end long streams with its requestTimeout; the watch over requests spares them.
      requestTimeout: 0,
      // Node would answer one without a body; operations answer as everywhere.
      requireHostHeader: false,
    },
    edge.pipelines.inTurn(handle),
  );
  // A socket that is silent for this long is closed.
  server.setTimeout(limits.idleSocketTimeoutMs);
  server.maxConnections = edge.connectionsMax + closingConnectionsMax;
  server.on("drop", () => edge.connections.countRefused());
  server.on("connection", (socket: Socket) => begin(socket, edge));
  server.on("connect", answerConnect);
  answerExpectations(server);
  answerHalfClosed(server);
  // Before it listens, an error is for whoever asked it to.
  server.on("error", (error) => {
    if (server.listening) log.error({ err: error }, "a connection could not be accepted");
  });
  return server;
}

/** Runs after Node's own listener, before the first byte. */
function begin(socket: Socket, { connections, pipelines, lingering }: Edge): void {
  // Without a listener of ours an error ends the process where Node takes its own away, as for CONNECT.
  socket.on("error", ignore);
  if (!connections.add(socket)) return;
  watchReading(socket);
  lingering.watch(socket);
  pipelines.watch(socket);
}

/** For Node's event `clientError`, which also tells that the parser was stopped behind a request that has to wait. */
export function onClientError(
  { pipelines }: Edge,
  error: NodeJS.ErrnoException,
  socket: unknown,
): void {
  if (!(socket instanceof Socket)) return;
  const bytes = unparsedBytes(error);
  if (bytes === undefined) answerClientError(error, socket);
  else pipelines.keep(socket, bytes);
}

/** The system has closed the connection, and `close` follows. */
function ignore(): void {}

/**
 * A client that closes its writing side once it has sent its request (as `nc -N` does) gets its reply. By itself Node
 * would close the connection without one, and nobody could tell whether the request was executed.
 */
function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}
