// Releases the memory of a large body immediately. Otherwise it would remain until a garbage collection, and the budget of
// bodies would not bound the memory of the process.

/** Detaches the buffer: every view of it is empty afterwards. */
export function freeMemory({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (!buffer.detached) buffer.transfer(0);
}
