// Waits for a client that reads a reply slowly.

import type { ServerResponse } from "node:http";

interface WaitOptions {
  readonly everyMs: number;
  /** How often the caller is asked whether to stop waiting. */
  readonly giveUp: () => boolean;
}

/** Resolves when the client has read what was written, or has disconnected, or the caller gives up. */
export function waitForRoom(
  response: ServerResponse,
  { everyMs, giveUp }: WaitOptions,
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
