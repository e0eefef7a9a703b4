// Reads what people see: figures of the whole store, and single records. Each takes a bounded time, whatever the size
// of the store.

import type { AuditEntry } from "../../domain/access.ts";
import type { Edge } from "../../domain/deletion/erasure.ts";
import type { Change, RecordKey } from "../../domain/record/record-write.ts";
import type { RelationKind, ResourceType } from "../../domain/record-type.ts";

export interface DeletionQueue {
  /** Pending or processing. */
  readonly open: number;
  /** Due, and waiting neither for a hold nor for a floor. */
  readonly overdue: number;
  readonly oldestDueAt: number | undefined;
  /** Waiting for the approval of a second person; not overdue meanwhile. */
  readonly awaitingApproval: number;
}

/** The deletions to count, and the highest count of each kind. */
export interface QueueQuery {
  /** Without deletions of records of these types. */
  readonly hiddenTypes: readonly string[];
  /** Whether those of closed organizations are counted. */
  readonly ofClosed: boolean;
  readonly countedMax: number;
  readonly now: number;
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

export interface HistoryPart extends RecordKey {
  /** A change number; undefined for the latest changes. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** The records of one type that refer to a record. */
export interface ReferrerPart extends RecordKey {
  readonly fromType: string;
  /** The id of the last record of the part before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** The record at the other end of a relation. */
export interface RelatedRecord {
  readonly resourceType: string;
  readonly resourceId: string;
  readonly kind: RelationKind;
}

export interface OverviewStore {
  /** Follows relations between records of these types only. */
  previewCascade(root: RecordKey, types: readonly ResourceType[]): Promise<CascadePreview>;
  deletionQueue(query: QueueQuery): Promise<DeletionQueue>;
  lastBackup(): Promise<AuditEntry | undefined>;
  checkRecentTrail(entriesMax: number): Promise<RecentTrail>;
  /** The version of SQLite or PostgreSQL. */
  engineVersion(): Promise<string>;
  /** Bytes on disk: of the files of the store, or of the database. */
  sizeBytes(): Promise<number>;

  /** The latest first. */
  readHistoryPart(part: HistoryPart): Promise<readonly Change[]>;
  /** In the order of their ids. */
  listReferrersOfType(part: ReferrerPart): Promise<readonly RelatedRecord[]>;
  /** What the record refers to, at most this many. */
  listReferences(key: RecordKey, limit: number): Promise<readonly RelatedRecord[]>;
  /** Its id. */
  findOpenDeletion(key: RecordKey): Promise<string | undefined>;
}
