// Reads a file as text in pieces: decompresses it according to the ending of its name, checks that it is UTF-8, and
// counts the bytes.

import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { codeOf } from "../../files/file-error.ts";
import { statOf } from "../../files/present.ts";
import { fileReasonOf, OperatorError } from "../../actions/operator/operator-error.ts";
import { compressionOf } from "./compression.ts";

export interface TextInput {
  readonly path: string;
  /** The size of the file, compressed or not. */
  readonly bytes: number;
  /** The bytes of the file that have been read so far. */
  bytesRead(): number;
  /** Sets the number of bytes read, for a format that reads the file itself. */
  advance(bytes: number): void;
  /** Reads from the beginning; may be called once. Throws OperatorError. */
  read(): AsyncGenerator<string>;
}

/** Throws OperatorError unless there is such a file. */
export function openText(path: string): TextInput {
  const bytes = sizeOf(path);
  let bytesRead = 0;
  return {
    path,
    bytes,
    bytesRead: () => bytesRead,
    advance: (reached) => void (bytesRead = reached),
    read: async function* () {
      const file = createReadStream(path);
      file.on("data", (chunk) => (bytesRead += chunk.length));
      const decompressor = compressionOf(path)?.decompress();
      const source =
        decompressor === undefined ? file : pipeline(file, decompressor, () => undefined);
      const decoder = new TextDecoder("utf-8", { fatal: true });
      try {
        for await (const chunk of source) yield decoder.decode(chunk as Buffer, { stream: true });
        // The last line may be one of which the rest is still being written.
        if (bytesRead !== bytes) throw changedWhileRead(path);
        const rest = decoder.decode();
        if (rest !== "") yield rest;
      } catch (cause) {
        throw explain(path, cause);
      } finally {
        file.destroy();
      }
    },
  };
}

function sizeOf(path: string): number {
  const stats = statOf(path, "The file");
  if (stats === undefined) throw new OperatorError("input", `There is no file ${path}.`);
  if (!stats.isFile()) throw new OperatorError("input", `${path} is not a file.`);
  return stats.size;
}

function changedWhileRead(path: string): OperatorError {
  return new OperatorError(
    "input",
    `${path} has changed while it was read. Import it again when it is complete.`,
  );
}

function explain(path: string, cause: unknown): Error {
  if (cause instanceof OperatorError) return cause;
  const code = codeOf(cause) ?? "";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
    return new OperatorError(
      "input",
      `${path} is not UTF-8; convert it first, for example with iconv.`,
    );
  }
  if (code === "ZSTD_error_frameParameter_windowTooLarge") {
    return new OperatorError(
      "input",
      `${path} needs a window of more than 8 MiB to be decompressed; compress it without --long or --ultra.`,
    );
  }
  if (code.startsWith("Z_") || code.startsWith("ERR_BROTLI") || code.startsWith("ZSTD")) {
    return new OperatorError(
      "input",
      `${path} is damaged or truncated, or not compressed as its name says.`,
    );
  }
  return new OperatorError("input", `${path} can't be read: ${fileReasonOf(cause)}.`, { cause });
}
