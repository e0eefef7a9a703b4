// What takes long to make and is asked for rarely: a thread makes it and ends, so that requests under way don't wait and
// the memory that it took goes with the thread.

import { Worker } from "node:worker_threads";
import type { Encoded } from "../reply/representation.ts";

/** The script of the reference page. It is some megabytes of text inside a package. Rejects if the thread fails. */
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
  // Both forms of this file have the thread's file beside them.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const thread = new Worker(new URL(`./${name}.${extension}`, import.meta.url));
  return new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", (code) =>
      reject(new Error(`the thread ${name} ended with ${code}, without a result`)),
    );
  });
}

/** Bytes that a thread posts lose their class; nothing is copied here. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
