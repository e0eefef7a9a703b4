// Closes a connection so that its last reply arrives. Closed at once, the system would answer what the client still sends
// with a reset, and many a client loses the reply to it. What comes after the reply is dropped without being parsed.

import type { Socket } from "node:net";
import { limits } from "../../domain/limits.ts";
import { resumeReading } from "./reading.ts";

/** To be called once for each connection. Node calls `destroySoon` when the last reply of a connection is written. */
export function lingerOnClose(socket: Socket): void {
  socket.destroySoon = linger;
}

/**
 * RFC 9112, section 9.6: closes the writing side, then takes in what still comes, until the client closes, or has had its
 * time or its bytes. From here on no request on this connection reaches the parser.
 */
function linger(this: Socket): void {
  if (this.destroyed) return;
  // The only one is the parser's, which Node attaches to any stream that it is given as a connection.
  this.removeAllListeners("data");
  let dropped = 0;
  this.on("data", (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > limits.lingerBytesMax) this.destroy();
  });
  resumeReading(this);
  this.resume();
  this.end();
  const timer = setTimeout(() => this.destroy(), limits.lingerMs);
  this.once("close", () => clearTimeout(timer));
}
