// Waits at the start for a database that is not there yet: it starts at the same time, or is just switching to another
// primary.

import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../store/interface/store-error.ts";
import type { Logger } from "../log.ts";

const pauseMs = 500;

/** Calls `open` again after errors that end without an operator, for this long. Logs the first one. */
export async function awaitStore<Opened>(
  open: () => Promise<Opened>,
  { timeoutMs, log }: { readonly timeoutMs: number; readonly log: Logger },
): Promise<Opened> {
  const until = performance.now() + timeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open();
    } catch (error) {
      const isTemporary = error instanceof StoreError && error.isTemporary;
      if (!isTemporary || performance.now() + pauseMs > until) throw error;
      if (attempt === 1)
        log.warn(`Waiting up to ${timeoutMs} ms for the database. ${error.message}`);
      await sleep(pauseMs);
    }
  }
}
