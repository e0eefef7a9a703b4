// The parts of the store on PostgreSQL that operators use: holds, restores, the audit trail. Which of their methods runs in which
// transaction, and what that one may see. Holds no SQL.

import { emptyChain, toHead } from "../row/audit-row.ts";
import type { HoldStore } from "../holds.ts";
import type { ReplayStore } from "../replay.ts";
import { auditAct, readAuditHead } from "../sql/audit.ts";
import { findDeletions, listDeletionsById } from "../sql/deletion.ts";
import { findHold, listHolds, releaseHold } from "../sql/hold.ts";
import { listLedgerMarks, markLedger } from "../sql/ledger-mark.ts";
import { findReceipts } from "../sql/receipt.ts";
import * as replay from "../sql/replay.ts";
import type { TrailStore } from "../trail.ts";
import type { Database } from "./database.ts";
import { findHoldsOf, placeHold } from "./hold.ts";
import { allOrganizations, oneOrAll, organization, rebuilding } from "./scope.ts";

export function makeHoldStore(database: Database): HoldStore {
  return {
    place: (hold, act) =>
      database.transaction(organization(hold.organizationId), (tx) => placeHold(tx, { hold, act })),
    release: (holdId, act) =>
      database.transaction(allOrganizations, (tx) => tx.perform(releaseHold, { holdId, act })),
    find: (holdId) => database.inOneGo(allOrganizations, (tx) => tx.perform(findHold, holdId)),
    ofRecords: (keys) =>
      database.inOneGo({ organizations: keys.map(({ organizationId }) => organizationId) }, (tx) =>
        findHoldsOf(tx, keys),
      ),
    list: (filter) =>
      database.inOneGo(oneOrAll(filter.organizationId), (tx) => tx.perform(listHolds, filter)),
  };
}

export function makeReplayStore(database: Database): ReplayStore {
  return {
    restoreState: () =>
      database.inOneGo(allOrganizations, (tx) => tx.perform(replay.readRestoreState)),
    countUnreplayed: (entries) =>
      database.inOneGo(allOrganizations, (tx) => tx.perform(replay.countUnreplayed, entries)),
    beginReplay: (beginning, act) =>
      database.transaction(allOrganizations, (tx) =>
        tx.perform(replay.beginReplay, { beginning, act }),
      ),
    queueReplay: (entries) =>
      database.transaction(rebuilding, (tx) => tx.perform(replay.queueReplay, { entries })),
    replaceHolds: (holds, act) =>
      database.transaction(rebuilding, (tx) => tx.perform(replay.replaceHolds, { holds, act })),
    startReplay: () =>
      database.transaction(allOrganizations, (tx) => tx.perform(replay.startReplay)),
    takeOver: () => database.transaction(rebuilding, (tx) => tx.perform(replay.takeOver)),
    reopenDeletions: (page, act) =>
      database.transaction(rebuilding, (tx) => tx.perform(replay.reopenDeletions, { page, act })),
    countReplayed: () =>
      database.inOneGo(allOrganizations, (tx) => tx.perform(replay.countReplayed)),
    finishReplay: (act) =>
      database.transaction(allOrganizations, (tx) => tx.perform(replay.finishReplay, { act })),
    listLedgerMarks: () => database.inOneGo(allOrganizations, (tx) => tx.perform(listLedgerMarks)),
    markLedger: (mark) =>
      database.transaction(allOrganizations, (tx) => tx.perform(markLedger, { mark })),
  };
}

export function makeTrailStore(database: Database): TrailStore {
  return {
    head: () =>
      database.inOneGo(allOrganizations, async (tx) =>
        toHead((await tx.perform(readAuditHead)) ?? emptyChain),
      ),
    note: (note, act) =>
      database.transaction(allOrganizations, (tx) => tx.perform(auditAct, note, act)),
    findDeletions: (ids) =>
      database.inOneGo(allOrganizations, (tx) => tx.perform(findDeletions, ids)),
    listDeletions: (afterId, limit) =>
      database.inOneGo(allOrganizations, (tx) => tx.perform(listDeletionsById, afterId, limit)),
    findReceipts: (ids) =>
      database.inOneGo(allOrganizations, (tx) => tx.perform(findReceipts, ids)),
  };
}
