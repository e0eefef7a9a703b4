// Finds where a head or a chunked body may end: at an empty line. Node's parser gets no byte behind it before.

const emptyLine = "\r\n\r\n";
const emptyLineCode = 0x0d0a0d0a;
const carriageReturn = 13;
const lineFeed = 10;
const nothing = Buffer.alloc(0);

/** The number of bytes up to the first empty line, with it; all of them if there is none. `before`: what preceded. */
export function lengthToEmptyLine(before: Buffer, bytes: Buffer, from: number): number {
  if (before.length > 0) {
    const seam = Buffer.concat([before, bytes.subarray(0, emptyLine.length - 1)]);
    const at = seam.indexOf(emptyLine, 0, "latin1");
    if (at !== -1) return at + emptyLine.length - before.length;
  }
  const at = bytes.indexOf(emptyLine, from, "latin1");
  return at === -1 ? bytes.length : at + emptyLine.length;
}

/** The end of the bytes in which an empty line may begin; nothing if they end with one. */
export function lastBytes(before: Buffer, bytes: Buffer): Buffer {
  const all = bytes.length < emptyLine.length ? Buffer.concat([before, bytes]) : bytes;
  const last = all[all.length - 1];
  if (last !== carriageReturn && last !== lineFeed) return nothing;
  if (all.length >= emptyLine.length && all.readUInt32BE(all.length - 4) === emptyLineCode)
    return nothing;
  // A copy, which does not retain the packet.
  return Buffer.from(all.subarray(1 - emptyLine.length));
}

export function firstByteOf(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === carriageReturn || bytes[at] === lineFeed) at += 1;
  return at;
}
