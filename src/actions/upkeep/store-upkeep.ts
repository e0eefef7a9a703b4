// The work of serving processes on the store as a whole, besides requests and deletions.

import type { App } from "../app.ts";

/** True if there may be more. */
export function purgeExpired({ store, now }: App): Promise<boolean> {
  return store.purgeExpired(now());
}

/** True if there is more. */
export function scrubSome({ store }: App): Promise<boolean> {
  return store.scrubSome();
}

/** So that callers are found in memory. Rejects as the store does. */
export async function confirmCallers({ store, callers }: App): Promise<void> {
  await callers.confirm(store);
}

/** Does what a write needs. Rejects if writes would be refused, for example because the disk is full. */
export function probeWrite({ store }: App): Promise<void> {
  return store.probeWrite();
}

/** Rejects if the store does not answer. */
export async function describeStore({
  store,
}: App): Promise<Pick<App["store"], "engine" | "traits" | "schemaVersion">> {
  await store.ping();
  const { engine, traits, schemaVersion } = store;
  return { engine, traits, schemaVersion };
}
