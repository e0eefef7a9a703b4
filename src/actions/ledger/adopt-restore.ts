// After the deletions of a store were replayed with the ledger of one host, the ledgers of the other hosts still expect
// what the restore has lost. Each of them continues from the restore if the store has every deletion that it contains.

import { isDeepStrictEqual } from "node:util";
import type { RestoreEntry } from "../../domain/deletion/ledger-entry.ts";
import type { App } from "../app.ts";
import { auditPages } from "../pages.ts";
import { restoreOf, wasRolledBack } from "./keep-ledger.ts";
import { readLedgers } from "./read-ledgers.ts";

/** Notes the last restore in the ledger if it explains what the store lacks; true if no replay is needed. */
export async function adoptRestore(app: App): Promise<boolean> {
  const { store, ledger } = app;
  if ((await store.replay.restoreState()) !== undefined) return false;
  const restore = await findLastRestore(app);
  const { auditAnchor } = await ledger.state();
  if (restore === undefined || (auditAnchor?.no ?? 0) <= restore.audit.restored.no) return false;
  // If the ledger knows it, the store was put back to an earlier state once more.
  if (await isNoted(app, restore)) return false;
  const { unreplayed, uncancelled, holds, floors, settings } = await readLedgers(app, []);
  const lacking = holds.place.length + holds.release.length + floors.length + settings.length;
  if (unreplayed + uncancelled + lacking > 0) return false;
  await ledger.note([restore]);
  return !(await wasRolledBack(app));
}

async function findLastRestore(app: App): Promise<RestoreEntry | undefined> {
  let last: RestoreEntry | undefined;
  for await (const page of auditPages(app, 0)) {
    last = page.flatMap((entry) => restoreOf(entry) ?? []).at(-1) ?? last;
  }
  return last;
}

async function isNoted({ ledger }: App, { entry }: RestoreEntry): Promise<boolean> {
  for await (const { entries } of ledger.readParts()) {
    const isIt = entries.some(
      (one) => one.kind === "restore" && isDeepStrictEqual(one.entry, entry),
    );
    if (isIt) return true;
  }
  return false;
}
