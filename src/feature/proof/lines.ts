// Reads a file line by line as it arrives, hashes it, and separates the manifest in its last line. Holds at most one
// line of bounded length.

import { type ManifestFile, manifestLineStart } from "../../domain/export-manifest.ts";
import { Measure } from "../../actions/receipt/manifest.ts";

/** Longer lines are hashed, but not parsed. Receipts, entries and manifests are shorter. */
const lineBytesMax = 256 * 1_024;
const newline = 0x0a;

const manifestStart = Buffer.from(manifestLineStart);

export class LineReader {
  readonly #onLine: (line: Buffer | undefined) => void;
  readonly #measure = new Measure();
  /** The beginning of a line whose end has not arrived. */
  readonly #held = Buffer.alloc(lineBytesMax);
  #heldBytes = 0;
  #isLong = false;
  #manifest: string | undefined;
  #isAfterManifest = false;

  /** Calls `onLine` for each line except blank ones and the manifest; with undefined for a line that is too long. */
  constructor(onLine: (line: Buffer | undefined) => void) {
    this.#onLine = onLine;
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      const found = chunk.indexOf(newline, at);
      const end = found < 0 ? chunk.length : found + 1;
      const part = chunk.subarray(at, end);
      at = end;
      if (found >= 0 && this.#heldBytes === 0 && !this.#isLong) this.#endLine(part);
      else this.#hold(part, found >= 0);
    }
  }

  /** The counts cover everything before the manifest. */
  end(): ManifestFile & { manifest: string | undefined; isAfterManifest: boolean } {
    if (this.#heldBytes > 0 || this.#isLong) this.#hold(Buffer.alloc(0), true);
    const [manifest, isAfterManifest] = [this.#manifest, this.#isAfterManifest];
    return { ...this.#measure.end(), manifest, isAfterManifest };
  }

  #hold(part: Buffer, isEnd: boolean): void {
    const isLong = this.#isLong || this.#heldBytes + part.length > lineBytesMax;
    if (isLong) {
      this.#measure.add(this.#held.subarray(0, this.#heldBytes));
      this.#measure.add(part);
      this.#heldBytes = 0;
    } else {
      this.#heldBytes += part.copy(this.#held, this.#heldBytes);
    }
    this.#isLong = isLong && !isEnd;
    if (!isEnd) return;
    const line = this.#held.subarray(0, this.#heldBytes);
    this.#heldBytes = 0;
    if (isLong) this.#addRow(undefined);
    else this.#endLine(line);
  }

  #endLine(line: Buffer): void {
    const isManifest = manifestStart.equals(line.subarray(0, manifestStart.length));
    if (isManifest && this.#manifest === undefined) {
      this.#manifest = line.toString("utf8");
      return;
    }
    this.#measure.add(line);
    if (!isBlank(line)) this.#addRow(line);
  }

  #addRow(line: Buffer | undefined): void {
    this.#isAfterManifest ||= this.#manifest !== undefined;
    this.#measure.rows += 1;
    this.#onLine(line);
  }
}

/** True for spaces and line ends only, with which an edited file may end. */
function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= newline + 3));
}
