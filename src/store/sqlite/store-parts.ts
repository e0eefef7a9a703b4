// The parts of the store on SQLite that operators use: holds, restores, the audit trail. Which of their methods reads and which
// asks the writer; holds no SQL, and decides nothing.

import { emptyChain, toHead } from "../audit-row.ts";
import type { HoldStore } from "../holds.ts";
import type { ReplayStore } from "../replay.ts";
import { readAuditHead } from "../sql/audit.ts";
import type { TrailStore } from "../trail.ts";
import type { Connection } from "./connection.ts";
import { findDeletions, listDeletionsById } from "./deletion.ts";
import { findHold, findHolds, listHolds } from "./hold.ts";
import { listLedgerMarks } from "./ledger-mark.ts";
import type { PerformOperation } from "./commit/operation.ts";
import { findReceipts } from "./receipt.ts";
import { countReopened, countUnreplayed, readRestoreState } from "./reopening.ts";

export interface StoreAccess {
  readonly reader: Connection;
  readonly perform: PerformOperation;
}

export function makeHoldStore({ reader, perform }: StoreAccess): HoldStore {
  return {
    place: (hold, act) => perform("placeHold", { hold, act }),
    release: (holdId, act) => perform("releaseHold", { holdId, act }),
    find: async (holdId) => findHold(reader, holdId),
    ofRecords: async (keys) => keys.flatMap((key) => findHolds(reader, key)),
    list: async (filter) => listHolds(reader, filter),
  };
}

export function makeReplayStore({ reader, perform }: StoreAccess): ReplayStore {
  return {
    restoreState: async () => readRestoreState(reader),
    countUnreplayed: async (entries) => countUnreplayed(reader, entries),
    beginReplay: (beginning, act) => perform("beginReplay", { beginning, act }),
    queueReplay: (entries) => perform("queueReplay", { entries }),
    replaceHolds: (holds, act) => perform("replaceHolds", { holds, act }),
    startReplay: () => perform("startReplay", undefined),
    takeOver: () => perform("takeOver", undefined),
    reopenDeletions: (page, act) => perform("reopenDeletions", { page, act }),
    countReopened: async () => countReopened(reader),
    finishReplay: (act) => perform("finishReplay", { act }),
    listLedgerMarks: async () => listLedgerMarks(reader),
    markLedger: (mark) => perform("markLedger", { mark }),
  };
}

export function makeTrailStore({ reader, perform }: StoreAccess): TrailStore {
  return {
    head: async () => toHead(reader.perform(readAuditHead) ?? emptyChain),
    note: (note, act) => perform("noteAct", { note, act }),
    findDeletions: async (ids) => findDeletions(reader, ids),
    listDeletions: async (afterId, limit) => listDeletionsById(reader, afterId, limit),
    findReceipts: async (ids) => findReceipts(reader, ids),
  };
}
