// Makes a document that is slow to make in a thread, which ends and releases its memory.

import { nextMessage, startThread } from "../../basics/thread.ts";
import type { Encoded } from "../reply/representation.ts";

/** Rejects if the thread fails. */
export async function loadReferenceScript(): Promise<Encoded> {
  const thread = startThread(import.meta.url, "reference-bundle-thread");
  const ended = new Error("the thread of the script ended without a result");
  const made = await nextMessage<Record<keyof Encoded, Uint8Array>>(thread, ended);
  const { br, gzip, identity } = made;
  return { br: asBuffer(br), gzip: asBuffer(gzip), identity: asBuffer(identity) };
}

/** Posting a Buffer loses its class; this does not copy. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
