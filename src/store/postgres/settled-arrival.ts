// The arrival number up to which every change is stored and none will be added. Numbers become visible out of order, because
// the groups of several processes commit in any order; so a group marks where its numbers begin. Waits for nobody: transactions
// of other programs, and of ours that add no change, don't matter.

import { findLatestArrival } from "../sql/record/record.ts";
import { awaitVisibleCommits } from "./citus.ts";
import { markBits, markKey } from "./commit/arrival-mark.ts";
import type { Database } from "./database.ts";
import { inSequence } from "./commit/settle-all.ts";
import type { SettledArrival } from "../interface/store.ts";

const findLeastMark = `
  SELECT min(((classid::bigint << 32) | objid::bigint) - ${markKey}) AS least FROM pg_locks
  WHERE locktype = 'advisory' AND mode = 'ShareLock' AND objsubid = 1 AND (classid::bigint >> ${markBits - 32}) = 5
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * The latest number is read before the marks: whoever took it or a lower one has its mark by then, or has committed, and
 * whoever comes later takes a greater one. What is read after this sees all changes up to the result.
 */
export async function readSettledArrival(database: Database): Promise<SettledArrival> {
  const [latest, found] = await database.inOneGo({}, (transaction) =>
    inSequence([
      transaction.perform(findLatestArrival),
      transaction.get<{ least: number | null }>(findLeastMark),
    ] as const),
  );
  if (database.distributed) await database.transaction({}, awaitVisibleCommits);
  return { settled: Math.min(latest, found?.least ?? latest), latest };
}
