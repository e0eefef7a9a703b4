// What the console shows to people: figures of the whole store, and single records. Each read takes a bounded time,
// whatever the size of the store.

import type { RelationKind } from "../../domain/record-type.ts";

export interface DeletionQueue {
  /** Pending or processing. */
  readonly open: number;
  /** Due, and waiting for neither a hold nor a floor. */
  readonly overdue: number;
  readonly oldestDueAt: number | undefined;
  /** Deletions that wait for the approval of a second person; these don't count as overdue. */
  readonly awaitingApproval: number;
}

/** The record at the other end of a relation. */
export interface RelatedRecord {
  readonly resourceType: string;
  readonly resourceId: string;
  readonly kind: RelationKind;
}
