// What the console shows to people: figures of the whole store, and single records. Each read takes a bounded time,
// whatever the size of the store.

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
  /** Deletions that wait for the approval of a second person, and are not overdue meanwhile. */
  readonly awaitingApproval: number;
}

/** The deletions to count, and the highest count of each kind. */
export interface QueueQuery {
  /** Types whose deletions are not counted. */
  readonly hiddenTypes: readonly string[];
  /** Whether the deletions of closed organizations are counted. */
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
  /** The last record of the previous part. */
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
  /** Returns the size on disk: of the files of the store, or of the database. */
  sizeBytes(): Promise<number>;

  /** Reads changes, the latest first. */
  readHistoryPart(part: HistoryPart): Promise<readonly Change[]>;
  /** In the order of their ids. */
  listReferrersOfType(part: ReferrerPart): Promise<readonly RelatedRecord[]>;
  /** Lists the records that this one refers to, at most `limit`. */
  listReferences(key: RecordKey, limit: number): Promise<readonly RelatedRecord[]>;
  /** Returns the id of the open deletion of a record. */
  findOpenDeletion(key: RecordKey): Promise<string | undefined>;
}
