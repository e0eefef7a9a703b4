// Ends a connection whose client still sends what nobody will read, so that the reply gets there. Closed at once, the
// system would answer the rest with a reset, and many a client loses the reply to it.

import type { Socket } from "node:net";
import { limits } from "../domain/limits.ts";

/**
 * RFC 9112, section 9.6: closes the writing side after the reply, then takes in and drops what still comes, until the
 * client closes or has had its time. To be called before the reply, which has to say `connection: close`.
 */
export function lingerOnClose(socket: Socket): void {
  // Node calls this once the last reply of a connection is written.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), limits.lingerMs);
    socket.once("close", () => clearTimeout(timer));
  };
}
