// Reads files that a command line names: text up to a number of bytes, or in parts. Says why a file can't be read.

import { createReadStream, readFileSync, statSync } from "node:fs";
import { type Readable, pipeline } from "node:stream";
import { fileReasonOf, OperatorError } from "../../actions/operator/operator-error.ts";
import { compressionOf } from "../../bulk/formats/compression.ts";

/** Decompresses according to the ending of the name. Iterating throws OperatorError file. */
export async function* readParts(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  const decompress = compressionOf(path)?.decompress();
  // An error of the file destroys the decompression stream, whose reader gets the error.
  const content: Readable =
    decompress === undefined ? file : pipeline(file, decompress, () => undefined);
  try {
    for await (const part of content) yield part as Buffer;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): OperatorError {
  return new OperatorError("file", `${path} can't be read: ${fileReasonOf(cause)}.`, { cause });
}

/** Throws OperatorError file. `advice` follows what is said of a file that is too large. */
export function readText(path: string, bytesMax: number, advice = ""): string {
  try {
    return readAtMost(path, bytesMax, advice);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Reads nothing of a file that is too large. The size of a pipe is known only when it has been read. */
export function readAtMost(path: string, bytesMax: number, advice = ""): string {
  const tooLarge = () => new Error(`it is larger than ${bytesMax} bytes${advice}`);
  if (statSync(path).size > bytesMax) throw tooLarge();
  const bytes = readFileSync(path);
  if (bytes.length > bytesMax) throw tooLarge();
  return bytes.toString("utf8");
}
