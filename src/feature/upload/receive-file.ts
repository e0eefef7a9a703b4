// Writes what a person uploads to a new private file of bounded size. Leaves no file if it can't be received.

import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { newFile } from "../../files/own-file.ts";

/** If it can't, the folder of the file is removed. Throws OperatorError, and what the source throws. */
export async function receiveFile(
  path: string,
  source: Readable,
  bytesMax: number,
): Promise<number> {
  let bytes = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      yield chunk;
    }
  };
  try {
    await pipeline(source, counted, createWriteStream(path, newFile));
    if (bytes === 0) throw new OperatorError("input", "The file is empty. Choose a file.");
    return bytes;
  } catch (error) {
    await rm(dirname(path), { recursive: true, force: true });
    throw error;
  }
}

function tooLarge(bytesMax: number): OperatorError {
  return new OperatorError(
    "input",
    `The file has more than ${bytesMax.toLocaleString("en")} bytes. Upload it in parts, use sluice import on the server, or ` +
      "raise UPLOAD_BYTES_MAX.",
  );
}
