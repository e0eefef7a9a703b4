// The work of serving processes on the store as a whole, besides requests and deletions.

import type { App } from "../app.ts";

/** No store has this version, so callers are looked up instead of cached. */
const unknownVersion = -1;

/** True if there may be more. */
export function purgeExpired({ store, now }: App): Promise<boolean> {
  return store.purgeExpired(now());
}

/** True if there is more. */
export function scrubSome({ store }: App): Promise<boolean> {
  return store.scrubSome();
}

/**
 * While the version can't be read, nobody is cached, because a key might have been revoked. Rejects as the store does.
 */
export async function refreshCallers({ store, callers }: App): Promise<void> {
  callers.observe(
    await store.credentialsVersion().catch((error: unknown) => {
      callers.observe(unknownVersion);
      throw error;
    }),
  );
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
