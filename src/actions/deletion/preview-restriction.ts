// Previews for officers what a deletion would move to the restricted store if it were processed now or at a later time.
// Reads a bounded part of the cascade and changes nothing.

import { type Node, nodeKey, parseNodeKey, planErasure } from "../../domain/deletion/erasure.ts";
import { planRestriction } from "../../domain/deletion/restriction.ts";
import { recordTypes } from "../../domain/record-types.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { findFiledAt } from "../../domain/retention/filed-at.ts";
import { floorEnd, type RetentionFloor } from "../../domain/retention/floor.ts";
import { hasEnded } from "../../domain/retention/hold-end.ts";
import type { App } from "../app.ts";
import { requireRight, viewerOf } from "../operator/viewer.ts";

export interface RestrictionPreview {
  /** Records that would move: reports, and what supports them. */
  readonly records: readonly Node[];
  /** Reports that would stay, unchanged. */
  readonly reports: readonly Node[];
  /** False if the cascade is larger than what was read. */
  readonly isComplete: boolean;
}

/** Where a record has no time of its own, its floors count from `requestedAt`. Throws OperatorError not_permitted. */
export async function previewRestriction(
  app: App,
  { requestedAt, ...root }: RecordKey & { readonly requestedAt: number },
  at = app.now(),
): Promise<RestrictionPreview> {
  requireRight(app, "confidential.read");
  const { organizationId } = root;
  const { edges, isComplete } = await app.store.overview.previewCascade(
    root,
    recordTypes.map(({ resourceType }) => resourceType),
  );
  const rootNode = nodeKey(root.resourceType, root.resourceId);
  const plan = planErasure(rootNode, edges);
  const { confidential } = await viewerOf(app).reader(organizationId);
  const nodes = [...plan.erase, ...plan.redact.map(({ record }) => record)];
  const reports = [...new Set(nodes)].filter(
    (node) => node !== rootNode && confidential.has(parseNodeKey(node).type),
  );
  const keys = reports.map((node) => {
    const { type, id } = parseNodeKey(node);
    return { organizationId, resourceType: type, resourceId: id };
  });
  const obliged = await findObliged(app, keys, { requestedAt, at });
  const names = obliged.map(({ resourceType, resourceId }) => nodeKey(resourceType, resourceId));
  const found = planRestriction(plan, edges, new Set(names));
  return {
    records: [...found.records].map(parseNodeKey),
    reports: [...found.reports].map(parseNodeKey),
    isComplete,
  };
}

/** Returns the reports that are under a legal hold or a retention floor that has not ended by then. */
async function findObliged(
  app: App,
  reports: readonly RecordKey[],
  { requestedAt, at }: { readonly requestedAt: number; readonly at: number },
): Promise<readonly RecordKey[]> {
  const [first] = reports;
  if (first === undefined) return [];
  const all = await app.store.holds.ofRecords(reports);
  const holds = all.filter((hold) => !hasEnded(hold, at));
  const floors = await app.store.retention.listFloors(first.organizationId);
  const obliged: RecordKey[] = [];
  for (const key of reports) {
    const isHeld = holds.some(
      (hold) => hold.resourceType === key.resourceType && hold.resourceId === key.resourceId,
    );
    const floor = floors.find(({ resourceType }) => resourceType === key.resourceType);
    const until = floor === undefined ? 0 : await findEnd(app, floor, { ...key, requestedAt });
    if (isHeld || until > at) obliged.push(key);
  }
  return obliged;
}

async function findEnd(
  app: App,
  floor: RetentionFloor,
  { requestedAt, ...key }: RecordKey & { readonly requestedAt: number },
): Promise<number> {
  const history = await app.store.readHistory(key);
  if (floor.countedFrom === "last_seen") return floorEnd(floor, history?.lastSeen, requestedAt);
  return floorEnd(floor, findFiledAt(history?.changes ?? []), requestedAt);
}
