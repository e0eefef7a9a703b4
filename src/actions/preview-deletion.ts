// What a deletion would erase if it were processed now, which records would stay without a reference, and what keeps it
// waiting. Contains nothing about confidential types for somebody who may not know of them.

import type { Hold } from "../domain/access.ts";
import { type Node, nodeKey, parseNodeKey, planErasure } from "../domain/deletion/erasure.ts";
import type { RecordKey } from "../domain/record/record-write.ts";
import type { RetentionFloor } from "../domain/retention/floor.ts";
import type { App } from "./app.ts";
import { readKnowledge } from "./require-right.ts";

export interface DeletionPreview {
  /** The record itself, and what belongs only to it. */
  readonly erased: readonly Node[];
  /** What stays, and loses a reference. */
  readonly redacted: readonly Node[];
  readonly holds: readonly Hold[];
  /** The rules for types of which it erases records. */
  readonly floors: readonly RetentionFloor[];
  /** False if there is more than was read. */
  readonly isComplete: boolean;
}

/** Records of which holds are read. */
const holdsReadMax = 200;

/** For a record whose deletion is pending, or not requested yet. */
export async function previewDeletion(app: App, root: RecordKey): Promise<DeletionPreview> {
  const { organizationId, resourceType, resourceId } = root;
  const { edges, isComplete } = await app.store.overview.previewCascade(root);
  const plan = planErasure(nodeKey(resourceType, resourceId), edges);
  const knows = await readKnowledge(app);
  const shown = (nodes: readonly Node[]) =>
    nodes.filter(({ type }) => knows({ organizationId, resourceType: type }));
  const erased = shown(plan.erase.map(parseNodeKey).toReversed());
  const redacted = shown([...new Set(plan.redact.map(({ record }) => record))].map(parseNodeKey));
  const keys = [...erased, ...redacted]
    .slice(0, holdsReadMax)
    .map(({ type, id }) => ({ organizationId, resourceType: type, resourceId: id }));
  const types = new Set(erased.map(({ type }) => type));
  const floors = (await app.store.retention.listFloors(organizationId)).filter((floor) =>
    types.has(floor.resourceType),
  );
  const holds = await app.store.holds.ofRecords(keys);
  return { erased, redacted, holds, floors, isComplete };
}
