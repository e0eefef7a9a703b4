// The parts of the store on PostgreSQL that operators use: holds, restores, the audit trail. Which of their methods runs in which
// transaction, and what that one may see. Holds no SQL.

import { emptyChain, toHead } from "../audit-row.ts";
import type { HoldStore } from "../holds.ts";
import type { ReplayStore } from "../replay.ts";
import { auditAct, readAuditHead } from "../sql/audit.ts";
import type { TrailStore } from "../trail.ts";
import type { Database } from "./database.ts";
import { findDeletions, listDeletionsById } from "./deletion.ts";
import { dropHold, findHold, findHoldsOf, listHolds, placeHold } from "./hold.ts";
import { listLedgerMarks, markLedger } from "./ledger-mark.ts";
import { findReceipts } from "./receipt.ts";
import * as reopening from "./reopening.ts";
import { allOrganizations, oneOrAll, organization, rebuilding } from "./scope.ts";

export function makeHoldStore(database: Database): HoldStore {
  return {
    place: (hold, act) =>
      database.transaction(organization(hold.organizationId), (tx) => placeHold(tx, { hold, act })),
    release: (holdId, act) =>
      database.transaction(allOrganizations, (tx) => dropHold(tx, { holdId, act })),
    find: (holdId) => database.inOneGo(allOrganizations, (tx) => findHold(tx, holdId)),
    ofRecords: (keys) =>
      database.inOneGo({ organizations: keys.map(({ organizationId }) => organizationId) }, (tx) =>
        findHoldsOf(tx, keys),
      ),
    list: (filter) =>
      database.inOneGo(oneOrAll(filter.organizationId), (tx) => listHolds(tx, filter)),
  };
}

export function makeReplayStore(database: Database): ReplayStore {
  return {
    restoreState: () => database.inOneGo(allOrganizations, reopening.readRestoreState),
    countUnreplayed: (entries) =>
      database.inOneGo(allOrganizations, (tx) => reopening.countUnreplayed(tx, entries)),
    beginReplay: (beginning, act) =>
      database.transaction(allOrganizations, (tx) => reopening.beginReplay(tx, beginning, act)),
    queueReplay: (entries) =>
      database.transaction(rebuilding, (tx) => reopening.queueReplay(tx, entries)),
    replaceHolds: (holds, act) =>
      database.transaction(rebuilding, (tx) => reopening.replaceHolds(tx, holds, act)),
    startReplay: () => database.transaction(allOrganizations, reopening.startReplay),
    takeOver: () => database.transaction(rebuilding, reopening.takeOver),
    reopenDeletions: (page, act) =>
      database.transaction(rebuilding, (tx) => reopening.reopenDeletions(tx, page, act)),
    countReopened: () => database.inOneGo(allOrganizations, reopening.countReopened),
    finishReplay: (act) =>
      database.transaction(allOrganizations, (tx) => reopening.finishReplay(tx, act)),
    listLedgerMarks: () => database.inOneGo(allOrganizations, listLedgerMarks),
    markLedger: (mark) => database.transaction(allOrganizations, (tx) => markLedger(tx, mark)),
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
    findDeletions: (ids) => database.inOneGo(allOrganizations, (tx) => findDeletions(tx, ids)),
    listDeletions: (afterId, limit) =>
      database.inOneGo(allOrganizations, (tx) => listDeletionsById(tx, afterId, limit)),
    findReceipts: (ids) => database.inOneGo(allOrganizations, (tx) => findReceipts(tx, ids)),
  };
}
