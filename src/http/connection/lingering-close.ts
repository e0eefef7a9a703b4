// Closes a connection so that its last reply arrives: an immediate close would reset it when the client sends more.
// Later bytes are discarded unparsed, at a limited rate, so that they don't occupy the event loop.

import type { Socket } from "node:net";
import { limits } from "../../domain/limits.ts";

const bytesPerSecond = 16 * 1_024 * 1_024;
const intervalMs = 10;
const bytesPerInterval = (bytesPerSecond * intervalMs) / 1_000;
/** The size of a read is known only afterwards; usually it is 64 KiB. */
const socketsPerInterval = 3;
/** A paused connection has up to two reads in memory, so together they have at most 32 MiB. */
const pausedMax = 256;

export class LingeringClose {
  readonly #waiting = new Set<Socket>();
  /** Discarded bytes that count against the current interval; may exceed the bytes of one interval. */
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** RFC 9112, section 9.6: closes the writing side, then reads within a bound of time and bytes. */
  close(socket: Socket): void {
    socket.removeAllListeners("data");
    let discarded = 0;
    socket.on("data", (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > limits.lingerBytesMax) socket.destroy();
      else this.#count(socket, chunk.length);
    });
    socket.resume();
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
    if (this.#waiting.size > pausedMax) this.#closeOldest();
  }

  /** It had the most time to read its reply. Node emits its `close` only after many others may have been paused. */
  #closeOldest(): void {
    const [oldest] = this.#waiting;
    if (oldest === undefined) return;
    this.#waiting.delete(oldest);
    oldest.destroy();
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
