// Processes what is due as the worker does. The store decides in which order it begins deletions; the model says of
// each whether it was allowed then.

import assert from "node:assert/strict";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
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
    begun.push(...claimed.map(({ deletionRequestId }) => deletionRequestId));
    let isAlone = false;
    for (const [owner, some] of Map.groupBy(claimed, ownerOf)) {
      if (left.has(owner)) continue;
      const graph = graphs.get(owner);
      assert.ok(graph !== undefined, owner);
      if (some.length > 1 && some.some(isEntangled))
        await leave(store, { graphs, left }, { graph, now });
      else for (const one of some) isAlone = begin(graph, one, now) || isAlone;
    }
    if (isAlone) return begun;
  }
  return begun;
}

function ownerOf({ restrictedOf, organizationId }: Deletion): string {
  return restrictedOf ?? organizationId;
}

/**
 * Whether the result depends on what else is claimed with it: the transactions that name a person are rewritten last,
 * and an alert may be kept with its own deletion or with that of what it belongs to.
 */
function isEntangled({ resourceType }: Deletion): boolean {
  return isPartyType(resourceType) || resourceType === "transaction_alert";
}

/** Whether others have to be processed before the next claim. */
function begin(
  graph: Graph,
  { deletionRequestId: id, restrictedOf }: Deletion,
  now: number,
): boolean {
  const { model } = graph;
  graph.isChanged = true;
  if (restrictedOf !== undefined) {
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
