// Detects that a client has disconnected before its reply was sent, so that work for it can stop.

import type { ServerResponse } from "node:http";

/** The signal is aborted if the connection ends before the reply is written. */
export function clientGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once("close", () => response.writableFinished || gone.abort());
  return gone.signal;
}
