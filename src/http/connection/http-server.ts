// Creates Node's HTTP server with its timeouts and bounds, and handles a connection before its first byte and after its
// last one. Contains no routes.

import { createServer, type Server } from "node:http";
import { Socket } from "node:net";
import { limits } from "../../domain/limits.ts";
import type { Logger } from "../../log.ts";
import { answerExpectations } from "../body/expectation.ts";
import { answerClientError, answerConnect } from "./client-error.ts";
import { dropForwardedPorts } from "./forwarded-address.ts";
import type { Edge } from "./shared-bounds.ts";
import { unparsedBytes } from "./parser.ts";
import type { RequestHandler } from "./pipeline.ts";
import { watchReading } from "./pause-reading.ts";

/** Connections beyond the bound of `OpenConnections`, for those that are being closed. */
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
      // Node's requestTimeout would also end long streams. `RequestWatch` does not.
      requestTimeout: 0,
      // Node would reply to a missing Host without a body; `refuseAmbiguousRequest` replies like any other error.
      requireHostHeader: false,
    },
    edge.pipelines.inOrder((request, response) => {
      dropForwardedPorts(request.headers);
      handle(request, response);
    }),
  );
  // A socket that is silent for this long is closed.
  server.setTimeout(limits.idleSocketTimeoutMs);
  server.maxConnections = edge.connectionsMax + closingConnectionsMax;
  server.on("drop", () => edge.connections.countRefused());
  acceptGradually(server, edge);
  server.on("connect", answerConnect);
  answerExpectations(server);
  answerHalfClosed(server);
  // An error before it listens is handled by the caller of `listen`.
  server.on("error", (error) => {
    if (server.listening) log.error({ err: error }, "a connection could not be accepted");
  });
  return server;
}

/** Node's own listener, which attaches the parser, runs when it is a connection's turn. Until then nothing is read. */
function acceptGradually(
  server: Server,
  { connections, admission, bodies, pipelines, lingering }: Edge,
): void {
  const listeners = server.listeners("connection");
  server.removeAllListeners("connection");
  // An option of `net.createServer` that `http.createServer` does not pass on.
  Object.assign(server, { pauseOnConnect: true });
  const accept = (socket: Socket) => {
    if (socket.destroyed) return;
    for (const listener of listeners) listener.call(server, socket);
    watchReading(socket);
    lingering.watch(socket);
    bodies.watch(socket);
    pipelines.watch(socket);
    socket.resume();
  };
  server.on("connection", (socket: Socket) => {
    // Where Node removes its own listener, as for CONNECT, an error without this one would end the process.
    socket.on("error", ignore);
    if (connections.add(socket)) admission.add(socket, accept);
  });
}

/**
 * Handles Node's event `clientError`, which also reports that the parser was stopped after a request that must wait.
 */
export function onClientError(
  { bodies, pipelines }: Edge,
  error: NodeJS.ErrnoException,
  socket: unknown,
): void {
  if (!(socket instanceof Socket)) return;
  const bytes = unparsedBytes(error);
  const unfed = bodies.unfed(bytes ?? nothing);
  if (bytes === undefined) answerClientError(error, socket);
  else if (!bodies.defer(socket, unfed)) pipelines.deferUnparsed(socket, unfed);
}

const nothing = Buffer.alloc(0);

/** The system has closed the connection, so Node emits `close` next. */
function ignore(): void {}

/**
 * A client that closes its writing side after its request (as `nc -N` does) still receives its reply. By default Node
 * would close the connection without one, and the client would not know whether the request was executed.
 */
function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}
