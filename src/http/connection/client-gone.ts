// Detects that a client has disconnected before its reply was sent, so that work for it can stop.

import type { ServerResponse } from "node:http";

export function clientGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once("close", () => response.writableFinished || gone.abort());
  return gone.signal;
}
