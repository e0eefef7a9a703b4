// Tells when a client is gone before it has had its reply, so that nobody works on for it.

import type { ServerResponse } from "node:http";

/** Aborted when the connection ends before the reply is written. */
export function clientGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once("close", () => response.writableFinished || gone.abort());
  return gone.signal;
}
