// The parts of the store on SQLite that operators use: holds, restores, the audit trail. Which of their methods reads and which
// asks the writer; holds no SQL, and decides nothing.

import { emptyChain, toHead } from "../row/audit-row.ts";
import type { HoldStore } from "../holds.ts";
import type { ReplayStore } from "../replay.ts";
import { readAuditHead } from "../sql/audit.ts";
import { findDeletions, listDeletionsById } from "../sql/deletion.ts";
import { findHold, findHolds, listHolds } from "../sql/hold.ts";
import { listLedgerMarks } from "../sql/ledger-mark.ts";
import { findReceipts } from "../sql/receipt.ts";
import { countReplayed, countUnreplayed, readRestoreState } from "../sql/replay.ts";
import type { TrailStore } from "../trail.ts";
import type { Connection } from "./connection.ts";
import type { PerformOperation } from "./commit/operation.ts";

export interface StoreAccess {
  readonly reader: Connection;
  readonly perform: PerformOperation;
}

export function makeHoldStore({ reader, perform }: StoreAccess): HoldStore {
  return {
    place: (hold, act) => perform("placeHold", { hold, act }),
    release: (holdId, act) => perform("releaseHold", { holdId, act }),
    find: async (holdId) => reader.perform(findHold, holdId),
    ofRecords: async (keys) => keys.flatMap((key) => reader.perform(findHolds, key)),
    list: async (filter) => reader.perform(listHolds, filter),
  };
}

export function makeReplayStore({ reader, perform }: StoreAccess): ReplayStore {
  return {
    restoreState: async () => reader.perform(readRestoreState),
    countUnreplayed: async (entries) => reader.perform(countUnreplayed, entries),
    beginReplay: (beginning, act) => perform("beginReplay", { beginning, act }),
    queueReplay: (entries) => perform("queueReplay", { entries }),
    replaceHolds: (holds, act) => perform("replaceHolds", { holds, act }),
    startReplay: () => perform("startReplay", undefined),
    takeOver: () => perform("takeOver", undefined),
    reopenDeletions: (page, act) => perform("reopenDeletions", { page, act }),
    countReplayed: async () => reader.perform(countReplayed),
    finishReplay: (act) => perform("finishReplay", { act }),
    listLedgerMarks: async () => reader.perform(listLedgerMarks),
    markLedger: (mark) => perform("markLedger", { mark }),
  };
}

export function makeTrailStore({ reader, perform }: StoreAccess): TrailStore {
  return {
    head: async () => toHead(reader.perform(readAuditHead) ?? emptyChain),
    note: (note, act) => perform("noteAct", { note, act }),
    findDeletions: async (ids) => reader.perform(findDeletions, ids),
    listDeletions: async (afterId, limit) => reader.perform(listDeletionsById, afterId, limit),
    findReceipts: async (ids) => reader.perform(findReceipts, ids),
  };
}
