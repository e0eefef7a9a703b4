// Figures of the whole store, for people. Each is read in bounded time, whatever the size of the store.

import type { AuditEntry } from "../domain/access.ts";
import type { Edge } from "../domain/deletion/erasure.ts";
import type { RecordKey } from "../domain/record/record-write.ts";

export interface DeletionQueue {
  /** Pending or processing. */
  readonly open: number;
  /** Due, and waiting neither for a hold nor for a floor. */
  readonly overdue: number;
  readonly oldestDueAt: number | undefined;
}

/** The relations by which the erasure of a record is planned. */
export interface CascadePreview {
  readonly edges: readonly Edge[];
  /** False if there are more than are read for a preview. */
  readonly isComplete: boolean;
}

/** The end of the audit trail. */
export interface RecentTrail {
  /** How many entries were checked. */
  readonly entries: number;
  /** A sentence; undefined if each follows the one before, and the last is the head. */
  readonly fault: string | undefined;
}

export interface OverviewStore {
  previewCascade(root: RecordKey): Promise<CascadePreview>;
  /** Without deletions of records of these types. Counts at most `countedMax` of each. */
  deletionQueue(
    hiddenTypes: readonly string[],
    countedMax: number,
    now: number,
  ): Promise<DeletionQueue>;
  lastBackup(): Promise<AuditEntry | undefined>;
  checkRecentTrail(entriesMax: number): Promise<RecentTrail>;
  /** Of SQLite or PostgreSQL. */
  engineVersion(): Promise<string>;
  /** Bytes on disk: of the files of the store, or of the database. */
  sizeBytes(): Promise<number>;
}
