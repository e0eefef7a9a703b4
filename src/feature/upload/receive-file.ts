// Writes what a person uploads to a new private file of bounded size.

import { createWriteStream } from "node:fs";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { newFile } from "../../files/own-file.ts";
import { sluice } from "../../basics/program-name.ts";
import { inputError } from "../csv/input-error.ts";

/** Throws OperatorError, and what the source throws; then the caller removes the file. */
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
  await pipeline(source, counted, createWriteStream(path, newFile));
  if (bytes === 0) throw inputError("The file is empty. Choose a file.");
  return bytes;
}

function tooLarge(bytesMax: number): OperatorError {
  return inputError(
    `The file has more than ${bytesMax.toLocaleString("en")} bytes. Upload it in parts, use ${sluice} import on the server, or ` +
      "raise UPLOAD_BYTES_MAX.",
  );
}
