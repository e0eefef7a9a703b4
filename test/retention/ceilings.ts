// The ceilings and rules of one graph, contradictory ones too, and what the worker does about them: the deletions that
// it requests are those of the model.

import assert from "node:assert/strict";
import {
  applyRetention,
  type RetentionPlace,
} from "../../src/actions/retention/apply-retention.ts";
import { endHolds } from "../../src/actions/retention/holds.ts";
import { dayMs, type Step } from "./graph.ts";
import { actAt, type Graph, keyOf } from "./restricted-holds.ts";
import type { TestStore } from "../support/test-store.ts";

export async function setRule(
  store: TestStore,
  { organizationId, model }: Graph,
  { step, now }: { readonly step: Extract<Step, { do: "rule" }>; readonly now: number },
): Promise<void> {
  const { type: resourceType, keepDays = 0, deleteAfterDays, from, redactable } = step;
  const ceiling = deleteAfterDays === undefined ? {} : { deleteAfterDays };
  const isEmpty = keepDays === 0 && deleteAfterDays === undefined;
  const rule = isEmpty ? undefined : { keepDays, countedFrom: from, redactable, ...ceiling };
  const change = { organizationId, resourceType, rule };
  const { result } = await store.retention.setFloor(change, actAt(now));
  const eraseMs = deleteAfterDays === undefined ? undefined : deleteAfterDays * dayMs;
  const isRefused = keepDays * dayMs > (eraseMs ?? model.retainMs ?? Infinity);
  assert.equal(result === "above_ceiling", isRefused, organizationId);
  if (isRefused) return;
  assert.ok(result === "changed" || result === "unchanged");
  if (rule === undefined) model.rules.delete(resourceType);
  else model.rules.set(resourceType, { keepMs: keepDays * dayMs, from, redactable, eraseMs });
  await store.retention.wakeSetsFrom(organizationId, "");
  // Everything that waits is evaluated again.
  if (result === "changed") model.writtenAt = 0;
}

export async function setRetention(
  store: TestStore,
  { organizationId, model }: Graph,
  { step, now }: { readonly step: Extract<Step, { do: "retain" }>; readonly now: number },
): Promise<void> {
  if (model.isClosed) return;
  const retainDays = step.days ?? null;
  const changed = await store.changeOrganization(organizationId, { retainDays }, actAt(now));
  const retainMs = step.days === undefined ? undefined : step.days * dayMs;
  const longest = [...model.rules.values()]
    .filter(({ eraseMs }) => eraseMs === undefined)
    .map(({ keepMs }) => keepMs);
  const isRefused = Math.max(0, ...longest) > (retainMs ?? Infinity);
  assert.equal("ceilingTooLowFor" in (changed ?? {}), isRefused, organizationId);
  if (!isRefused) model.retainMs = retainMs;
}

/**
 * As the worker does: ends holds, and requests the deletions of what has reached its ceiling, neither more nor less.
 * Returns how many.
 */
export async function endAndExpire(
  store: TestStore,
  graphs: ReadonlyMap<string, Graph>,
  now: number,
): Promise<number> {
  const app = { store, now: () => now };
  while ((await endHolds(app)).more);
  for (const { model } of graphs.values()) model.endHolds(now);
  let [queued, expected] = [0, 0];
  let place: RetentionPlace | undefined;
  do {
    const round = await applyRetention(app, place);
    queued += round.queued;
    place = round.next;
  } while (place !== undefined);
  for (const graph of graphs.values()) {
    const { model, organizationId } = graph;
    const expired = model.expired(now);
    for (const root of expired) {
      const asked = { root, requestedAt: now, dueAt: now };
      const id = await store.overview.findOpenDeletion(keyOf(graph, root));
      if (id === undefined) {
        // The deletions that were requested before it prevent it.
        const obstacle = model.obstacle(asked, now, expired);
        assert.ok(obstacle !== undefined, `${root} of ${organizationId} is left at ${now}`);
        continue;
      }
      expected += 1;
      model.deletions.push({ id, ...asked, status: "pending" });
    }
  }
  assert.equal(queued, expected, `something was requested early at ${now}`);
  return queued;
}
