// Reads a file as text in pieces: decompresses, decodes and counts. Never replaces bytes that are not text.

import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { codeOf } from "../../files/file-error.ts";
import { statOf } from "../../files/present.ts";
import { fileReasonOf, OperatorError } from "../../actions/operator/operator-error.ts";
import { bulkKeys } from "../../bulk/formats/bulk-keys.ts";
import { compressionOf } from "../../bulk/formats/compression.ts";
import { inputError } from "./input-error.ts";

export interface TextInput {
  readonly path: string;
  readonly bytes: number;
  bytesRead(): number;
  advance(bytes: number): void;
  /** An encoding other than UTF-8 that the first bytes show; known when text was read. */
  detectedEncoding(): string | undefined;
  /** Reads from the beginning; may be called once. Throws OperatorError. */
  read(encoding?: string): AsyncGenerator<string>;
}

/** Throws OperatorError unless there is such a file. */
export function openText(path: string): TextInput {
  const bytes = sizeOf(path);
  let bytesRead = 0;
  let detected: string | undefined;
  return {
    path,
    bytes,
    bytesRead: () => bytesRead,
    advance: (reached) => void (bytesRead = reached),
    detectedEncoding: () => detected,
    read: async function* (encoding) {
      const file = createReadStream(path);
      file.on("data", (chunk) => (bytesRead += chunk.length));
      const decompressor = compressionOf(path)?.decompress();
      const source =
        decompressor === undefined ? file : pipeline(file, decompressor, () => undefined);
      let decoder: TextDecoder | undefined;
      let decodedBytes = 0;
      let part: Buffer = Buffer.alloc(0);
      try {
        for await (const chunk of source) {
          decodedBytes += part.length;
          part = chunk as Buffer;
          if (decoder === undefined) {
            requireText(path, part);
            detected = shownEncoding(part);
          }
          decoder ??= decoderOf(part, encoding ?? detected);
          yield decoder.decode(part, { stream: true });
        }
        // The last line may be one of which the rest is still being written.
        if (bytesRead !== bytes) throw changedWhileRead(path);
        const lastText = decoder?.decode() ?? "";
        if (lastText !== "") yield lastText;
      } catch (cause) {
        if (decoder === undefined || codeOf(cause) !== notText) throw explain(path, cause);
        throw withOtherBytes(path, decodedBytes + countTextBytes(part, decoder.encoding));
      } finally {
        file.destroy();
      }
    },
  };
}

/** How files begin that are not text with rows, whatever their names say. */
const otherKinds: readonly (readonly [beginning: string, what: string])[] = [
  ["PK\x03\x04", "a ZIP archive, as .xlsx is; unpack it, or save the sheet as CSV"],
  ["\xd0\xcf\x11\xe0", "an old spreadsheet (.xls); save the sheet as CSV"],
  ["%PDF-", "a PDF; import the data that it was made from"],
  ["PAR1", "Parquet; give it a name that ends in .parquet"],
  ["\x1f\x8b", "compressed with gzip; give it a name that ends in .gz"],
  ["\x28\xb5\x2f\xfd", "compressed with Zstandard; give it a name that ends in .zst"],
];
const html = "a web page (HTML), perhaps one that asks to sign in; download the file itself";

const kindBytes = 256;

function requireText(path: string, start: Buffer): void {
  const text = start.toString("latin1", 0, kindBytes);
  const isHtml = /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body|table)\b/i.test(text);
  const kind = isHtml ? html : otherKinds.find(([beginning]) => text.startsWith(beginning))?.[1];
  if (kind !== undefined) throw inputError(`${path} is ${kind}.`);
}

/** Finds it by a byte order mark, or by the zero that UTF-16 has in each sign of ASCII, and UTF-8 in none. */
function shownEncoding([first, second]: Buffer): string | undefined {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return "utf-16be";
  return undefined;
}

/** A file of refused rows is UTF-8, whatever the file has of which they are. */
function decoderOf(start: Buffer, encoding = "utf-8"): TextDecoder {
  const isRefused = start.toString("latin1", 0, bulkKeys.row.length) === bulkKeys.row;
  return new TextDecoder(isRefused ? "utf-8" : encoding, { fatal: true });
}

function sizeOf(path: string): number {
  const stats = statOf(path, "The file");
  if (stats === undefined) throw inputError(`There is no file ${path}.`);
  if (!stats.isFile()) throw inputError(`${path} is not a file.`);
  return stats.size;
}

function changedWhileRead(path: string): OperatorError {
  return inputError(`${path} has changed while it was read. Import it again when it is complete.`);
}

const notText = "ERR_ENCODING_INVALID_ENCODED_DATA";

/** How many bytes there are before those that are not text; one more if these begin like a character. */
function countTextBytes(part: Buffer, encoding: string): number {
  let [least, most] = [0, part.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (isText(part.subarray(0, middle), encoding)) least = middle;
    else most = middle - 1;
  }
  return least;
}

/** The last character may be incomplete. */
function isText(bytes: Buffer, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function withOtherBytes(path: string, textBytes: number): OperatorError {
  const where = compressionOf(path) === undefined ? "" : " of its decompressed content";
  return inputError(
    `${path} has bytes that are not text in its encoding, near byte ${textBytes + 1}${where}. Give its encoding, such as ` +
      "windows-1252, or convert it to UTF-8.",
    { context: { option: "--encoding" } },
  );
}

function explain(path: string, cause: unknown): Error {
  if (cause instanceof OperatorError) return cause;
  const code = codeOf(cause) ?? "";
  if (code === "ZSTD_error_frameParameter_windowTooLarge") {
    return inputError(
      `${path} needs a window of more than 8 MiB to be decompressed; compress it without --long or --ultra.`,
    );
  }
  if (/^(Z_|ERR_BROTLI|ERR__ERROR_|ZSTD)/.test(code)) {
    return inputError(`${path} is damaged or truncated, or not compressed as its name says.`);
  }
  return inputError(`${path} can't be read: ${fileReasonOf(cause)}.`, { cause });
}
