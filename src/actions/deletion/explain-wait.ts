// Why an open deletion is not completed yet: an approval, a hold, a failure, or its grace period.

import type { Hold } from "../../domain/access.ts";
import { approvalWait, awaitsApproval } from "../../domain/deletion/approval.ts";
import { type Deletion, openStatuses } from "../../domain/deletion/deletion.ts";
import type { App } from "../app.ts";

/** Maps deletion request ids to explanations. Includes holds that the worker has not found yet. */
export async function explainWaits(
  app: App,
  deletions: readonly Deletion[],
): Promise<ReadonlyMap<string, string>> {
  const open = deletions.filter(({ status }) => openStatuses.some((known) => known === status));
  const holds = open.length === 0 ? [] : await app.store.holds.ofRecords(open);
  const byRecord = Map.groupBy(holds, recordName);
  const waits = open.flatMap((deletion): [string, string][] => {
    const why = explain(deletion, byRecord.get(recordName(deletion)) ?? [], app.now());
    return why === undefined ? [] : [[deletion.deletionRequestId, why]];
  });
  return new Map(waits);
}

function explain(deletion: Deletion, holds: readonly Hold[], now: number): string | undefined {
  if (awaitsApproval(deletion)) return approvalWait;
  const [hold] = holds;
  if (hold !== undefined && deletion.status === "pending") {
    return `a hold on this record: ${hold.reason}${moreThan(holds.length - 1)}`;
  }
  if (deletion.waitingFor !== undefined) return deletion.waitingFor;
  if (deletion.dueAt > now)
    return `its grace period, until ${new Date(deletion.dueAt).toISOString()}`;
  return undefined;
}

function moreThan(more: number): string {
  if (more === 0) return "";
  return more === 1 ? ", and 1 more hold" : `, and ${more} more holds`;
}

function recordName(key: Pick<Hold, "organizationId" | "resourceType" | "resourceId">): string {
  return JSON.stringify([key.organizationId, key.resourceType, key.resourceId]);
}
