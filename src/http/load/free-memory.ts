// Gives the memory of a large body back at once. Left alone it would wait for a garbage collection, and the bounds of what
// is held would not bound the memory of the process.

/** The bytes are gone, and so are those of every other view of the same buffer. */
export function freeMemory({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (!buffer.detached) buffer.transfer(0);
}
