// Finds the replies in the bytes of a connection, without storing their bodies. Parses no more of
// HTTP than that.

const endOfHead = "\r\n\r\n";
const endOfChunks = "\r\n0\r\n\r\n";
/** More than the head of any reply of the server. */
const headBytesMax = 64 * 1_024;

export class ReplyScanner {
  readonly #onReply: (status: number) => void;
  #head = "";
  #status = 0;
  /** Bytes of the body that are still to come; undefined between replies. */
  #left: number | undefined;
  /** The last bytes of a chunked body; undefined where the body is not chunked. */
  #tail: string | undefined;

  /** `onReply` is called with the status of each complete reply. */
  constructor(onReply: (status: number) => void) {
    this.#onReply = onReply;
  }

  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#tail !== undefined) return this.#readChunks(rest);
      rest = this.#left === undefined ? this.#readHead(rest) : this.#readBody(rest);
    }
  }

  #readHead(bytes: Buffer): Buffer {
    const before = this.#head.length;
    this.#head += bytes.toString("latin1", 0, headBytesMax);
    const end = this.#head.indexOf(endOfHead);
    if (end === -1) return bytes.subarray(headBytesMax);
    const head = this.#head.slice(0, end + 2).toLowerCase();
    this.#head = "";
    this.#status = Number(head.slice(9, 12));
    const rest = bytes.subarray(end + endOfHead.length - before);
    if (this.#status < 200) return rest;
    if (/\r\ntransfer-encoding: *chunked\r\n/.test(head)) {
      this.#tail = "\r\n";
      return rest;
    }
    this.#left = Number(/\r\ncontent-length: *(\d+)\r\n/.exec(head)?.[1] ?? 0);
    return this.#readBody(rest);
  }

  #readBody(bytes: Buffer): Buffer {
    const left = this.#left ?? 0;
    const taken = Math.min(left, bytes.length);
    this.#left = left - taken;
    if (this.#left === 0) this.#finish();
    return bytes.subarray(taken);
  }

  /** The end of the chunks ends what was received: no request follows before it. */
  #readChunks(bytes: Buffer): void {
    const tail = (this.#tail ?? "") + bytes.subarray(-endOfChunks.length).toString("latin1");
    this.#tail = tail.slice(-endOfChunks.length);
    if (this.#tail === endOfChunks) this.#finish();
  }

  #finish(): void {
    this.#left = undefined;
    this.#tail = undefined;
    this.#onReply(this.#status);
  }
}
