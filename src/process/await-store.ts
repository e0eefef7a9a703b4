// A start waits for its database, which may start at the same time, switch to another primary, or be locked. Retries
// only what fails for a reason that ends without an operator.

import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "../domain/error.ts";
import type { Logger } from "../log.ts";
import { StoreError } from "../store/interface/store-error.ts";

const pauseMs = 500;

export type AwaitStore = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Returns a function that calls `work` again while it fails, for this long in all, and logs the first failure. */
export function makeAwaitStore(timeoutMs: number, log: Logger): AwaitStore {
  const until = performance.now() + timeoutMs;
  let isLogged = false;
  return async (work) => {
    for (;;) {
      try {
        return await work();
      } catch (failure) {
        const error = asStoreError(failure);
        if (error?.isTemporary !== true) throw failure;
        if (performance.now() + pauseMs > until) throw error;
        if (!isLogged) log.warn(`Waiting up to ${timeoutMs} ms for the database. ${error.message}`);
        isLogged = true;
        await sleep(pauseMs);
      }
    }
  };
}

/** The reason of a store that is unavailable is for operators. */
function asStoreError(error: unknown): StoreError | undefined {
  if (!isUnavailable(error)) return error instanceof StoreError ? error : undefined;
  const reason = error.cause instanceof Error ? ` ${error.cause.message}.` : "";
  return new StoreError(error.message + reason, { isTemporary: true, cause: error });
}
