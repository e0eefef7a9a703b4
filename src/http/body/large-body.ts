// Reads a body that the bulk thread parses, in memory that was reserved for it and grows with it.

import type { IncomingMessage } from "node:http";
import { freeBuffer, freeMemory } from "../../basics/own-memory.ts";
import { limits } from "../../domain/limits.ts";
import type { MemoryBudget, Reservation } from "../load/memory-budget.ts";
import { receive, tooLarge } from "./read-body.ts";
import { decodedBody, windowBytesOf } from "./decoded-body.ts";

/** Undefined for a body without a Content-Length, or whose length changes when decoded. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers["content-length"];
  return length === undefined || headers["content-encoding"] !== undefined
    ? undefined
    : Number(length);
}

export interface LargeBodyOptions {
  readonly organizationId: string;
  readonly budget: Pick<MemoryBudget, "reserve">;
  readonly signal: AbortSignal;
  /** Gets the decoded bytes of a body that is refused while it is read: decoding them was work, too. */
  readonly onRefused: (bytes: number) => void;
}

/** Waits for a reservation first. Throws like `readSmallBody`, and AppError unavailable if there is no room. */
export async function readLargeBody(
  request: IncomingMessage,
  { organizationId, budget, signal, onRefused }: LargeBodyOptions,
) {
  const sent = Number(request.headers["content-length"] ?? 0);
  if (sent > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax);
  const expected = declaredBytes(request) ?? 0;
  const reservation = await budget.reserve(organizationId, expected || unknownBytes, signal);
  const body = new LargeBodyBytes(expected, reservation);
  try {
    const source = decodedBody(request);
    await receive(source, (chunk) => {
      body.add(chunk, windowBytesOf(source));
      // Neither the parser nor a decoder has a further use for a buffer that it has filled.
      freeMemory(chunk);
    });
    return { bytes: body.whole(), reservation };
  } catch (error) {
    onRefused(body.length);
    body.discard();
    reservation.release();
    throw error;
  }
}

const unknownBytes = 256 * 1_024;

class LargeBodyBytes {
  readonly #reservation: Reservation;
  #memory: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(expected: number, reservation: Reservation) {
    this.#reservation = reservation;
    // The system allocates its pages only when they are written, so a body that never arrives takes none.
    this.#memory = newMemory(expected || firstBytes);
  }

  /** Throws AppError too_large. */
  add(chunk: Buffer, windowBytes: number): void {
    const length = this.#length + chunk.length;
    if (length > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax);
    // A window takes memory only as far as it is decoded.
    const needed = length + Math.min(length, windowBytes);
    const { bytes: reserved } = this.#reservation;
    if (needed > reserved) {
      const wanted = Math.min(limits.bodyBytesMax, reserved + unknownBytes);
      this.#reservation.extend(Math.max(needed, wanted) - reserved);
    }
    if (length > this.#memory.length) this.#grow(length);
    this.#memory.set(chunk, this.#length);
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  whole(): Uint8Array<ArrayBuffer> {
    return this.#memory.subarray(0, this.#length);
  }

  discard(): void {
    freeBuffer(this.#memory);
    this.#length = 0;
  }

  /** Grows in large steps, because memory that is not written costs nothing. */
  #grow(needed: number): void {
    const bytes = Math.min(limits.bodyBytesMax, Math.max(needed, this.#memory.length * growth));
    const larger = newMemory(bytes);
    larger.set(this.whole());
    freeBuffer(this.#memory);
    this.#memory = larger;
  }
}

const firstBytes = 64 * 1_024;
const growth = 16;

function newMemory(bytes: number): Uint8Array<ArrayBuffer> {
  const memory = Buffer.allocUnsafeSlow(bytes);
  return new Uint8Array(memory.buffer, memory.byteOffset, bytes);
}
