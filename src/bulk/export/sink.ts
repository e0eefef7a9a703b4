// The destination of an export: standard output, or a file that gets its name only when it is complete.

import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { once } from "node:events";
import { dirname } from "node:path";
import { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import { newFile, syncFolder } from "../../files/own-file.ts";
import { compressionOf } from "../formats/compression.ts";

interface Output {
  write(text: string): unknown;
}

export interface Sink {
  write(part: string | Uint8Array): Promise<void>;
  /** Resolves when everything is on stable storage and the file has its name. */
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

const partCharacters = 64 * 1_024;
/** A file accepts several parts before the producer has to wait, so that the next parts are made while it writes. */
const fileBufferBytes = 512 * 1_024;

export function standardOutput(out: Output): Sink {
  const stream = out instanceof Writable ? out : undefined;
  let failure: Error | undefined;
  const onError = (error: Error): void => void (failure ??= error);
  stream?.on("error", onError);
  const write: Write = async (part) => {
    if (failure !== undefined) throw failure;
    if (typeof part !== "string" && stream === undefined) throw new Error("it accepts only text");
    const hasRoom = (stream ?? out).write(part as string);
    if (hasRoom === false && stream !== undefined) {
      await Promise.race([once(stream, "drain"), once(stream, "close")]).catch(onError);
    }
  };
  return inParts("standard output", write);
}

/**
 * A file is written under the name `unfinished`, which must not exist, until it is complete. Only its owner can read
 * it, as the store.
 */
export function fileSink(path: string, unfinished: string): Sink {
  const file = createWriteStream(unfinished, {
    ...newFile,
    flush: true,
    highWaterMark: fileBufferBytes,
  });
  const compressor = compressionOf(path)?.compress();
  const stream: Writable = compressor ?? file;
  const written = compressor === undefined ? finished(file) : pipeline(compressor, file);
  written.catch(() => undefined);
  const write: Write = async (part) => {
    if (!stream.write(part)) await Promise.race([once(stream, "drain"), written]);
  };
  return inParts(path, write, {
    finish: async () => {
      stream.end();
      await written.catch((cause: unknown) => {
        throw unwritable(path, cause);
      });
      await rename(unfinished, path);
      syncFolder(dirname(path));
    },
    abandon: async () => {
      stream.destroy();
      file.destroy();
      await written.catch(() => undefined);
      await rm(unfinished, { force: true });
    },
  });
}

type Write = (part: string | Uint8Array) => Promise<void>;

/** Collects text to parts of some size. Throws OperatorError output. */
function inParts(where: string, writePart: Write, end?: Pick<Sink, "finish" | "abandon">): Sink {
  let text = "";
  const write = async (part: string | Uint8Array): Promise<void> => {
    try {
      if (part.length > 0) await writePart(part);
    } catch (cause) {
      throw unwritable(where, cause);
    }
  };
  const flush = (): Promise<void> => {
    const part = text;
    text = "";
    return write(part);
  };
  return {
    write: async (part) => {
      if (typeof part === "string") text += part;
      else await flush().then(() => write(part));
      if (text.length >= partCharacters) await flush();
    },
    finish: async () => {
      await flush();
      await end?.finish();
    },
    abandon: async () => end?.abandon(),
  };
}

function unwritable(where: string, cause: unknown): OperatorError {
  return new OperatorError("output", `${where} can't be written: ${reasonOf(cause)}.`, { cause });
}
