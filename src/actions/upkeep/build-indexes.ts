// Builds indexes that are derived from records, beside the writes of these, and builds them again. That of parties, by
// which the transactions that name a person or a company are found, is here.

import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../app.ts";
import { auditAccess } from "../trail/audit-access.ts";

export interface DerivedIndex {
  /** What it finds. */
  readonly name: string;
  /** From now on it is built again, or continued if that has begun. */
  readonly begin: (app: App) => Promise<void>;
  /** Each round indexes the next changes, then pauses beside writers. False: nothing is left. */
  readonly makeRound: (app: App) => (stopping: AbortSignal) => Promise<boolean>;
}

export const partyIndex: DerivedIndex = {
  name: "parties",
  begin: ({ store }) => store.parties.rebuild(),
  makeRound: (app) => besideWriters(app, (settled) => app.store.parties.index(settled)),
};

/** While others write, such work takes a fortieth of the time; what needs its result does it itself. */
const restTimes = 40;
const restMsMax = 10_000;

/** A round of `work`, which then pauses beside writers. True: there is more to do. */
export function besideWriters(
  { store }: Pick<App, "store">,
  work: (settled: number) => Promise<boolean>,
): (stopping: AbortSignal) => Promise<boolean> {
  let before: number | undefined;
  return async (signal) => {
    const { settled, latest } = await store.settledArrival();
    const startedAt = performance.now();
    const more = await work(settled);
    const restMs = Math.min(restTimes * (performance.now() - startedAt), restMsMax);
    const isBeside = before !== undefined && latest > before;
    before = latest;
    if (isBeside && more) await sleep(restMs, undefined, { signal }).catch(() => undefined);
    return more;
  };
}

/** The caller then takes their rounds. Throws OperatorError not_permitted, and as `begin`. */
export async function rebuildIndexes(app: App, indexes: readonly DerivedIndex[]): Promise<void> {
  const { storeId: subject } = await app.store.receiptHead();
  await auditAccess(app, "subject.index", { organizationId: undefined, subject, detail: {} });
  for (const { begin } of indexes) await begin(app);
}
