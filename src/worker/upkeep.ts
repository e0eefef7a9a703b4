// What a serving process does beside requests and deletions: forgets what has expired, keeps the ledger of deletions, gives
// unused space back, and notices when credentials change in another process, so that a revoked key ends here within 2 seconds
// (contract, section 4).

import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../actions/app.ts";
import { applyRetention, type RetentionPlace } from "../actions/apply-retention.ts";
import { keepLedger } from "../actions/keep-ledger.ts";
import { limits } from "../domain/limits.ts";
import type { Logger } from "../log.ts";
import { startLoop } from "./loop.ts";

const purgeIntervalMs = 60_000;
const spaceRestMs = 100;

/** No version of the store's: with it, no caller is kept and each one is looked up. */
const unknownVersion = -1;

export interface Upkeep {
  stop(): Promise<void>;
}

/** Resolves once the credentials version is known. */
export async function startUpkeep(app: App, log: Logger): Promise<Upkeep> {
  app.callers.observe(await app.store.credentialsVersion());
  const purge = startLoop(() => purgeExpired(app), {
    intervalMs: purgeIntervalMs,
    backOffMsMax: purgeIntervalMs,
    onError: (error) => log.error({ err: error }, "expired tokens and replies could not be purged"),
  });
  const ledger = startLoop(() => noteInLedger(app), {
    intervalMs: limits.ledgerCatchUpMs,
    backOffMsMax: purgeIntervalMs,
    onError: (error) => log.error({ err: error }, "the ledger of deletions could not be kept"),
  });
  const retention = startLoop(makeRetentionRound(app, log), {
    intervalMs: purgeIntervalMs,
    backOffMsMax: purgeIntervalMs,
    onError: (error) =>
      log.error({ err: error }, "records past their time could not be looked for"),
  });
  const space = startLoop((stopping) => reclaimSpace(app, stopping), {
    intervalMs: purgeIntervalMs,
    backOffMsMax: purgeIntervalMs,
    onError: (error) => log.error({ err: error }, "unused space could not be released"),
  });
  const watch = startLoop(() => watchCredentials(app), {
    intervalMs: limits.credentialsPollMs,
    backOffMsMax: limits.credentialsPollMs,
    onError: (error) => log.error({ err: error }, "the credentials version could not be read"),
  });
  return {
    stop: async () => {
      await Promise.all([purge, ledger, retention, space, watch].map((loop) => loop.stop()));
    },
  };
}

async function purgeExpired(app: App): Promise<boolean> {
  await app.store.purgeExpired(app.now());
  return false;
}

/** Step by step, with rests in which writers have the store to themselves. */
async function reclaimSpace(app: App, signal: AbortSignal): Promise<boolean> {
  const more = await app.store.reclaimSpace();
  if (more) await sleep(spaceRestMs, undefined, { signal }).catch(() => undefined);
  return more;
}

/** Goes through all records part by part, and rests at the end. */
function makeRetentionRound(app: App, log: Logger): () => Promise<boolean> {
  let place: RetentionPlace | undefined;
  return async () => {
    const { queued, next } = await applyRetention(app, place);
    if (queued > 0) log.info({ queued }, "retention queued deletions");
    place = next;
    return next !== undefined;
  };
}

/** What other processes on the same store have done belongs in this one's ledger too. */
async function noteInLedger(app: App): Promise<boolean> {
  await keepLedger(app);
  return false;
}

/** While the version can't be read nobody is believed from memory: a key might have been revoked meanwhile. */
async function watchCredentials(app: App): Promise<boolean> {
  try {
    app.callers.observe(await app.store.credentialsVersion());
  } catch (error) {
    app.callers.observe(unknownVersion);
    throw error;
  }
  return false;
}
