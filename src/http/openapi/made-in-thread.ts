// Makes documents that are slow to make and rarely requested. A thread makes each and ends, which releases its memory,
// and other requests do not wait.

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Encoded } from "../reply/representation.ts";

/** The script of the reference page, several megabytes from a package. Rejects if the thread fails. */
export async function loadReferenceScript(): Promise<Encoded> {
  const { br, gzip, identity } = (await runThread("reference-bundle-thread")) as {
    readonly [Name in keyof Encoded]: Uint8Array;
  };
  return { br: asBuffer(br), gzip: asBuffer(gzip), identity: asBuffer(identity) };
}

/** The text of the OpenAPI document. Rejects if the thread fails. */
export async function loadDocument(): Promise<string> {
  return String(await runThread("document-thread"));
}

function runThread(name: string): Promise<unknown> {
  // The source and the published package both have the thread's file in this folder.
  const thread = new Worker(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));
  return new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", (code) =>
      reject(new Error(`the thread ${name} ended with ${code}, without a result`)),
    );
  });
}

/** Posting a Buffer loses its class; this does not copy. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
