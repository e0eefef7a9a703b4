// Scalar's script for the reference page, ready to be sent. It is some megabytes of text inside a package, so a thread of
// its own takes it out and compresses it: requests under way don't wait, and the memory goes with the thread.

import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { gunzip } from "node:zlib";

export interface Bundle {
  readonly gzipped: Buffer;
  /** For the rare client that takes no gzip. */
  plain(): Promise<Buffer>;
}

/** Rejects if the thread fails. */
export async function loadBundle(): Promise<Bundle> {
  const gzipped = await runThread();
  return { gzipped, plain: () => promisify(gunzip)(gzipped) };
}

function runThread(): Promise<Buffer> {
  // Both forms of this file have the thread's file beside them.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const thread = new Worker(new URL(`./reference-bundle-thread.${extension}`, import.meta.url));
  return new Promise((resolve, reject) => {
    thread.once("message", (bytes: Uint8Array) => resolve(Buffer.from(bytes)));
    thread.once("error", reject);
    thread.once("exit", (code) =>
      reject(new Error(`the thread ended with ${code}, without a bundle`)),
    );
  });
}
