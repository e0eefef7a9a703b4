// Waits for a client that reads a reply slowly.

import type { ServerResponse } from "node:http";

/** Resolves when the client has read what was written, or has disconnected, or the caller gives up when asked. */
export function waitForRoom(
  response: ServerResponse,
  { everyMs, giveUp }: { readonly everyMs: number; readonly giveUp: () => boolean },
): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      clearInterval(timer);
      response.off("drain", finish).off("close", finish);
      resolve();
    };
    const timer = setInterval(() => giveUp() && finish(), everyMs);
    response.on("drain", finish).on("close", finish);
  });
}
