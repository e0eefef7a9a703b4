// Accepts connections, and waits for their first bytes. Thousands that send nothing share their listeners, and have
// neither a stream of ours nor a parser.

import type { Server } from "node:http";
import type { Socket } from "node:net";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { Connection } from "./connection.ts";
import type { SharedBounds } from "./shared-bounds.ts";
import { sharedListener } from "./shared-listener.ts";

const closingConnectionsMax = 256;

/** Node's own listener, which attaches the parser, gets a stream of ours. Nothing is read before its turn. */
export function acceptGradually(server: Server, sharedBounds: SharedBounds): void {
  server.maxConnections = sharedBounds.connectionsMax + closingConnectionsMax;
  server.on("drop", () => (sharedBounds.connections.refused += 1));
  const attach = server.listeners("connection");
  server.removeAllListeners("connection");
  // An option of `net.createServer` that `http.createServer` does not pass on.
  Object.assign(server, { pauseOnConnect: true });
  const listeners = listenersOf(sharedBounds, (connection) => {
    for (const listener of attach) Reflect.apply(listener, server, [connection]);
  });
  const read = (socket: Socket): void => {
    socket.setTimeout(limits.headersTimeoutMs);
    for (const [event, listener] of listeners) socket.on(event, listener);
    socket.resume();
  };
  server.on("connection", (socket: Socket) => {
    // The system has closed the connection, so `close` is next.
    socket.on("error", () => undefined);
    if (sharedBounds.connections.add(socket))
      sharedBounds.admission.add(socket, () => read(socket));
    else socket.destroy();
  });
}

/** Those of a connection that has sent nothing. */
function listenersOf(
  { connections, turns }: SharedBounds,
  attach: (connection: Connection) => void,
) {
  const begin = (socket: Socket): Connection => {
    for (const [event, listener] of listeners) socket.off(event, listener);
    socket.setTimeout(limits.idleSocketTimeoutMs);
    const connection = new Connection(socket, turns);
    connections.began(socket, connection);
    return connection;
  };
  const start = (socket: Socket, packet: Buffer): void => begin(socket).start(packet, attach);
  // Thousands can end or time out at the same moment.
  const close = (socket: Socket): void => turns.closings.add(socket, () => socket.destroy());
  const answer = (socket: Socket): void => {
    turns.closings.add(socket, () => {
      if (socket.bytesRead === 0) begin(socket).fail(new AppError("request_timeout"));
    });
  };
  const listeners = [
    ["data", sharedListener(start)],
    ["end", sharedListener(close)],
    ["timeout", sharedListener(answer)],
  ] as const;
  return listeners;
}
