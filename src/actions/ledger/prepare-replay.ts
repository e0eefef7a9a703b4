// The first half of a replay: before anything is processed, everything that the ledgers contain and the store lacks is
// written to the store, on stable storage. Erases nothing. docs/decisions describes the states.

import { limits } from "../../domain/limits.ts";
import { actOf, type App } from "../app.ts";
import { findShared } from "./audit-links.ts";
import { catchUpLedger, wasRolledBack } from "./keep-ledger.ts";
import { OperatorError } from "../operator/operator-error.ts";
import {
  type LedgerFindings,
  type LedgerSource,
  readDeletions,
  readLedgers,
} from "./read-ledgers.ts";

export interface Preparing {
  readonly sources: readonly LedgerSource[];
  /** The name of the restored backup; undefined if an earlier state was put back in another way. */
  readonly backup?: string;
}

/** Whether the store lacks anything that the ledgers contain, or a restore is unfinished. Does not change the store. */
export async function needsReplay(app: App, sources: readonly LedgerSource[]): Promise<boolean> {
  if ((await app.store.replay.restoreState()) !== undefined) return true;
  const first = await readCaughtUp(app, sources);
  if (first.behind || first.unreplayed + first.uncancelled > 0) return true;
  const { holds, floors } = first;
  if (holds.place.length + holds.release.length + floors.length === 0) return false;
  // The ledger was read first, so another process may have released a hold or changed a floor since. The ledger
  // contains that by now.
  const again = await readCaughtUp(app, sources);
  const placed = new Set(holds.place.map(({ holdId }) => holdId));
  return (
    again.holds.release.length > 0 ||
    again.holds.place.some(({ holdId }) => placed.has(holdId)) ||
    again.floors.some(({ entryNo }) => floors.some((floor) => floor.entryNo === entryNo))
  );
}

/** An entry that the ledger lacks, such as the release of a hold, would otherwise seem to be lost. */
async function readCaughtUp(app: App, sources: readonly LedgerSource[]): Promise<LedgerFindings> {
  if (!(await wasRolledBack(app))) await catchUpLedger(app);
  return readLedgers(app, sources);
}

/** Repeated after a crash, it starts again with the same result. Throws OperatorError replay_unread. */
export async function prepareReplay(app: App, { sources, backup }: Preparing): Promise<void> {
  const { replay } = app.store;
  const act = actOf(app);
  const before = await replay.restoreState();
  if (before?.state === "replaying" && sources.length === 0) return;
  requireSources(before?.state === "loading" ? before.sources : [], sources);
  const findings = await readLedgers(app, sources);
  const isCut = findings.behind || backup !== undefined;
  const known = isCut ? { ...findings.known, shared: await findShared(app) } : undefined;
  const names = sources.map(({ name }) => name);
  await replay.beginReplay({ known, backup, sources: names }, act);
  await loadHolds(app, findings);
  // Floors are replaced before anything is processed, so that nothing is erased early.
  for (let at = 0; at < findings.floors.length; at += limits.ledgerEntriesAtOnce) {
    await replay.replaceFloors(findings.floors.slice(at, at + limits.ledgerEntriesAtOnce), act);
  }
  await replay.replaceSettings(findings.settings, act);
  for await (const { deletions } of readDeletions(app, sources))
    await replay.queueReplay(deletions);
  // This comes afterwards, because what was completed is erased, whatever a ledger says besides.
  for await (const { cancelled } of readDeletions(app, sources)) {
    await replay.cancelAgain(cancelled, act);
  }
  await replay.startReplay();
}

async function loadHolds(app: App, { holds }: LedgerFindings): Promise<void> {
  const { place, release } = holds;
  const act = actOf(app);
  const atOnce = limits.ledgerEntriesAtOnce;
  for (let at = 0; at < Math.max(place.length, release.length); at += atOnce) {
    const part = { place: place.slice(at, at + atOnce), release: release.slice(at, at + atOnce) };
    await app.store.replay.replaceHolds(part, act);
  }
}

function requireSources(needed: readonly string[], given: readonly LedgerSource[]): void {
  const missing = needed.filter((name) => given.every((source) => source.name !== name));
  if (missing.length === 0) return;
  throw new OperatorError(
    "replay_unread",
    `A replay was interrupted before it had read ${missing.join(", ")} completely. Run it again with the same ledgers.`,
    { context: { ledgers: needed } },
  );
}
