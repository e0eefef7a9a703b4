// Processes what is due as the worker does. The store decides in which order it begins deletions; the model says of
// each whether it was allowed then.

import assert from "node:assert/strict";
import { deletionOfSet } from "../../src/domain/deletion/restricted-set.ts";
import { isPartyType } from "../../src/domain/deletion/party.ts";
import { limits } from "../../src/domain/limits.ts";
import type { TestStore } from "../support/test-store.ts";
import { dayMs } from "./graph.ts";
import { type ModelDeletion, typeOf } from "./model.ts";
import { actAt, type Graph } from "./restricted-holds.ts";

const stepRecordsMax = 100;
/** A pass may take several calls while the machine is busy. */
const passesMax = 100;

export interface Compared {
  readonly graphs: Map<string, Graph>;
  /** The organizations whose graphs are not compared any more. */
  readonly left: Set<string>;
}

/** As the worker does, until nothing is due. */
export async function processDue(store: TestStore, compared: Compared, now: number): Promise<void> {
  const { graphs, left } = compared;
  const pending = pendingOf(graphs).length;
  // A claim that finds only obstacles checks a limited number of deletions, and one organization.
  const closed = [...graphs.values()].filter(({ model }) => model.isClosed).length;
  const sets = [...graphs.values()].reduce((sum, { model }) => sum + model.sets.size, 0);
  const fruitlessMax =
    1 +
    closed +
    left.size +
    Math.ceil(sets / limits.fruitlessChecksMax) +
    // A deletion of a person may have to wait for a pass over the transactions, and is then claimed again.
    Math.ceil((2 * pending) / limits.fruitlessChecksMax);
  for (let fruitless = 0; fruitless < fruitlessMax;) {
    const begun = await claimSome(store, compared, now);
    if (begun.length === 0) fruitless += 1;
    else await finish(store, begun, now);
  }
}

function pendingOf(graphs: ReadonlyMap<string, Graph>): readonly ModelDeletion[] {
  return [...graphs.values()].flatMap(({ model }) =>
    model.deletions.filter(({ status }) => status === "pending"),
  );
}

/**
 * As many as the worker claims together, or one by one, which leaves fewer graphs. Each was allowed at that moment; the
 * model has erased it then.
 */
async function claimSome(
  store: TestStore,
  { graphs, left }: Compared,
  now: number,
): Promise<readonly string[]> {
  const begun: string[] = [];
  while (begun.length < limits.deletionsAtOnceMax) {
    const claim = { now, leaseUntil: now + 60_000, claimant: "campaign" };
    const isOneByOne = Math.floor(now / dayMs) % 2 === 0;
    const max = isOneByOne ? 1 : limits.deletionsAtOnceMax - begun.length;
    const claimed = await store.claimDeletions(claim, max);
    if (claimed.length === 0) return begun;
    const alone = new Set<string>();
    for (const { organizationId, deletionRequestId: id, restrictedOf } of claimed) {
      begun.push(id);
      const owner = restrictedOf ?? organizationId;
      if (left.has(owner)) continue;
      const graph = graphs.get(owner);
      assert.ok(graph !== undefined, id);
      if (alone.has(owner)) {
        await leave(store, { graphs, left }, { graph, now });
        continue;
      }
      if (begin(graph, { id, isOfSet: restrictedOf !== undefined, now })) alone.add(owner);
    }
    if (alone.size > 0) return begun;
  }
  return begun;
}

/**
 * Whether no other deletion of the graph may be claimed with it: the transactions that name a person are rewritten
 * last, and until then it depends on the steps which of two deletions moves any of them.
 */
function begin(
  graph: Graph,
  { id, isOfSet, now }: { readonly id: string; readonly isOfSet: boolean; readonly now: number },
): boolean {
  const { model } = graph;
  graph.isChanged = true;
  if (isOfSet) {
    const moving = deletionOfSet(id) ?? "";
    assert.equal(model.setObstacle(moving, now), undefined, `${id} was erased early, at ${now}`);
    model.eraseSet(moving, now);
    return false;
  }
  const known = model.deletions.find((one) => one.id === id);
  assert.ok(known !== undefined, id);
  assert.equal(known.status, "pending", id);
  assert.equal(model.obstacle(known, now), undefined, `${id} was begun early, at ${now}`);
  model.erase(known, now);
  return isPartyType(typeOf(known.root ?? "")) || model.hasSharedAlert();
}

/** The model does not know which of several results is right, so the graph is not compared any more. */
async function leave(
  store: TestStore,
  { graphs, left }: Compared,
  { graph, now }: { readonly graph: Graph; readonly now: number },
): Promise<void> {
  const { organizationId } = graph;
  graphs.delete(organizationId);
  left.add(organizationId);
  // Retention then requests nothing more of it.
  await store.closeOrganization(organizationId, actAt(now));
}

async function finish(store: TestStore, ids: readonly string[], now: number): Promise<void> {
  const act = { actor: "worker", now };
  // What the first pass finds to name a person or a company is rewritten, and verified by the next one.
  for (let left = ids, passes = 0; left.length > 0; passes += 1) {
    assert.ok(passes < passesMax, left.join());
    await Promise.all(
      left.map(async (id) => {
        while (!(await store.eraseOne(id, stepRecordsMax, act)));
      }),
    );
    const outcomes = await store.completeDeletions(left, act);
    for (const outcome of outcomes) if (outcome.result === "failed") throw outcome.cause;
    left = left.filter((_, index) => outcomes[index]?.result !== "completed");
  }
}
