// Makes documents that are slow to make and rarely requested. A thread makes each and ends, which releases its memory,
// and other requests do not wait.

import { nextMessage, startThread } from "../../basics/thread.ts";
import type { Encoded } from "../reply/representation.ts";

/** The script of the reference page, several megabytes from a package. Rejects if the thread fails. */
export async function loadReferenceScript(): Promise<Encoded> {
  const made = await runThread<Record<keyof Encoded, Uint8Array>>("reference-bundle-thread");
  const { br, gzip, identity } = made;
  return { br: asBuffer(br), gzip: asBuffer(gzip), identity: asBuffer(identity) };
}

/** The text of the OpenAPI document. Rejects if the thread fails. */
export function loadDocument(): Promise<string> {
  return runThread("document-thread");
}

function runThread<Result>(name: string): Promise<Result> {
  const ended = new Error(`the thread ${name} ended without a result`);
  return nextMessage(startThread(import.meta.url, name), ended);
}

/** Posting a Buffer loses its class; this does not copy. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
