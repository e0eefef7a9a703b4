// Makes the OpenAPI document, which is slow to make and rarely requested: a thread makes it and ends, which releases
// its memory, and other requests do not wait.

import { nextMessage, startThread } from "../basics/thread.ts";

/** Rejects if the thread fails. */
export function loadDocument(): Promise<string> {
  const ended = new Error("the thread of the OpenAPI document ended without a result");
  return nextMessage(startThread(import.meta.url, "document-thread"), ended);
}
