// Memory outside the heap that belongs to one array of bytes. V8 frees it when it collects the array as garbage, and a
// few megabytes of it trigger a collection of the whole heap; so memory that nobody else can reach is better freed or
// passed on at once.

/** True if no other array can refer to the same memory: it is not part of a larger buffer. */
export function ownsMemory(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength;
}

/** Call this with bytes that nobody reads any more. Does nothing if the memory is shared. */
export function freeMemory(bytes: Uint8Array): void {
  if (ownsMemory(bytes)) bytes.buffer.transfer(0);
}

/** Frees the whole buffer behind the bytes. Call this where nobody else can have a part. */
export function freeBuffer({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (!buffer.detached) buffer.transfer(0);
}
