// Closes a connection so that its last reply arrives. Closed at once, the system would answer what the client still sends
// with a reset, and many a client loses the reply to it. What comes after the reply is dropped without being parsed, and
// only so much of it each second: a client that sends large bodies against its limit must not keep the event loop busy.

import type { Socket } from "node:net";
import { limits } from "../../domain/limits.ts";
import { resumeReading } from "./reading.ts";

/** How fast all lingering connections together are read. */
const bytesPerSecond = 16 * 1_024 * 1_024;
const intervalMs = 10;
const bytesPerInterval = (bytesPerSecond * intervalMs) / 1_000;
/** What a connection has to be read is known only afterwards; mostly it is one read of 64 KiB. */
const socketsPerInterval = 3;

/** One for each serving process. */
export class LingeringClose {
  /** Connections whose next bytes have to wait, in the order in which they are read again. */
  readonly #waiting = new Set<Socket>();
  /** Dropped bytes that still count against the current interval; may be more than one has. */
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** To be called once for each connection. Node calls `destroySoon` when the last reply of a connection is written. */
  watch(socket: Socket): void {
    socket.destroySoon = () => this.#linger(socket);
  }

  /**
   * RFC 9112, section 9.6: closes the writing side, then reads what still comes, until the client closes, or has had its
   * time or its bytes. From here on no request on this connection reaches the parser.
   */
  #linger(socket: Socket): void {
    if (socket.destroyed) return;
    // The only one is the parser's, which Node attaches to any stream that it is given as a connection.
    socket.removeAllListeners("data");
    let dropped = 0;
    socket.on("data", (chunk: Buffer) => {
      dropped += chunk.length;
      if (dropped > limits.lingerBytesMax) socket.destroy();
      else this.#count(socket, chunk.length);
    });
    resumeReading(socket);
    socket.resume();
    socket.end();
    const timer = setTimeout(() => socket.destroy(), limits.lingerMs);
    socket.once("close", () => {
      clearTimeout(timer);
      this.#waiting.delete(socket);
    });
  }

  #count(socket: Socket, bytes: number): void {
    this.#bytes += bytes;
    this.#timer ??= setInterval(() => this.#nextInterval(), intervalMs).unref();
    if (this.#bytes <= bytesPerInterval) return;
    socket.pause();
    this.#waiting.add(socket);
  }

  #nextInterval(): void {
    this.#bytes = Math.max(0, this.#bytes - bytesPerInterval);
    if (this.#bytes === 0 && this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (this.#bytes >= bytesPerInterval) return;
    for (const socket of this.#waiting.values().take(socketsPerInterval)) {
      this.#waiting.delete(socket);
      socket.resume();
    }
  }
}
