// Runs random graphs of records against a store, many organizations at once, and moves the clock
// day by day. The store decides in which order it begins deletions; the model says of each whether
// it was allowed then, and of each that waits whether it has to.

import { dateOf } from "../../src/basics/duration.ts";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { restrictedId } from "../../src/domain/deletion/restricted-set.ts";
import { isPseudonym } from "../../src/domain/deletion/party.ts";
import { limits } from "../../src/domain/limits.ts";
import { draftOf, organization } from "../conformance/scene.ts";
import { makeRandom } from "../support/random.ts";
import { endAndExpire, setRetention, setRule } from "./ceilings.ts";
import { dayMs, firstDay, keepDaysMax, type Step, stepsOfDay } from "./graph.ts";
import { processDue } from "./process-due.ts";
import { type ModelDeletion, type Name, RetentionModel } from "./model.ts";
import { actAt, type Graph, holdRestricted, keyOf, releaseRestricted } from "./restricted-holds.ts";
import type { TestStore } from "../support/test-store.ts";

const daysOfSteps = 10;
/** By then every ceiling has passed, and every floor has ended, also one that is counted from the last request. */
const daysMax = daysOfSteps + 2 * keepDaysMax + limits.flooredDeletionRetryMs / dayMs + 4;
/** More would wait so long for a connection on a busy machine that they fail. */
const graphsInFlight = 20;

export interface GraphRun {
  readonly store: TestStore;
  /** Each has its own graph. */
  readonly seeds: readonly number[];
}

export interface GraphFigures {
  readonly deletions: number;
  /** Of them, those that waited for a floor at some time. */
  readonly waited: number;
  /** Of them, those that a ceiling requested. */
  readonly expired: number;
  /** Of them, those of everything of a closed organization. */
  readonly closed: number;
  /** Restricted sets that deletions had to fill. */
  readonly restricted: number;
  /** Graphs that were not compared to their end: of two deletions that were claimed together, one rewrites records. */
  readonly left: number;
}

/** Throws AssertionError that names the seed of the graph. */
export async function runGraphs({ store, seeds }: GraphRun): Promise<GraphFigures> {
  const graphs = new Map<string, Graph>();
  for (const seed of seeds) {
    const organizationId = `graph_${seed}`;
    const random = makeRandom(seed);
    const model = new RetentionModel();
    graphs.set(organizationId, { organizationId, random, model, isChanged: false });
  }
  await onEach(graphs, async ({ organizationId }) => {
    await store.createOrganization(organization(organizationId), actAt(firstDay));
  });
  const left = new Set<string>();
  const waited = new Set<string>();
  const restricted = new Set<string>();
  let expired = 0;
  for (let day = 0; day <= daysMax; day += 1) {
    const midnight = firstDay + day * dayMs;
    for (const now of [midnight - 1, midnight]) {
      expired += await endAndExpire(store, graphs, now);
      await processDue(store, { graphs, left }, now);
      await compareWaiting(store, graphs, { now, waited, restricted });
    }
    if (day < daysOfSteps) await onEach(graphs, (graph) => takeSteps(store, graph, day));
    if (day === daysOfSteps) await onEach(graphs, (graph) => releaseAll(store, graph, midnight));
  }
  await onEach(graphs, (graph) => compareEnd(store, graph));
  const all = [...graphs.values()].flatMap(({ model }) => model.deletions);
  const closed = all.filter(({ root }) => root === undefined);
  return {
    deletions: all.length,
    waited: waited.size,
    expired,
    closed: closed.length,
    restricted: restricted.size,
    left: left.size,
  };
}

async function onEach(
  graphs: ReadonlyMap<string, Graph>,
  work: (graph: Graph) => Promise<void>,
): Promise<void> {
  const all = [...graphs.values()];
  for (let at = 0; at < all.length; at += graphsInFlight) {
    await Promise.all(all.slice(at, at + graphsInFlight).map(work));
  }
}

async function takeSteps(store: TestStore, graph: Graph, day: number): Promise<void> {
  const now = firstDay + day * dayMs;
  graph.isChanged = true;
  for (const step of stepsOfDay(graph.random, day)) await takeStep(store, graph, { step, now });
}

async function takeStep(
  store: TestStore,
  graph: Graph,
  { step, now }: { readonly step: Step; readonly now: number },
): Promise<void> {
  const { organizationId, model } = graph;
  switch (step.do) {
    case "write":
      return write(store, graph, { step, now });
    case "request":
      return request(store, graph, { step, now });
    case "rule":
      return setRule(store, graph, { step, now });
    case "retain":
      return setRetention(store, graph, { step, now });
    case "hold": {
      const { name, days } = step;
      const endsOn = days === undefined ? undefined : dateOf(now + days * dayMs);
      const holdId = `hold_${randomUUID()}`;
      const texts = { reason: holdId, owner: undefined, reviewOn: undefined, endsOn };
      const outcome = await store.holds.place(
        { ...texts, ...keyOf(graph, name), holdId },
        actAt(now),
      );
      assert.equal(outcome !== "no_such_record", model.records.has(name));
      if (typeof outcome !== "object") return;
      model.held.add(name);
      const end = days === undefined ? Infinity : now + (days + 1) * dayMs;
      model.holdEnds.set(name, [...(model.holdEnds.get(name) ?? []), end]);
      return;
    }
    case "hold restricted":
    case "release restricted":
      return holdRestricted(store, graph, { step, now });
    case "release":
      return release(store, graph, { name: step.name, now });
    case "close": {
      if (model.isClosed) return;
      const id = `del_${organizationId}_everything`;
      await store.closeOrganization(organizationId, actAt(now));
      const wanted = { organizationId, deletionRequestId: id, reason: "ended" };
      await store.requestOrganizationDeletion({ ...wanted, requestedBy: "operator" }, actAt(now));
      model.deletions.push({
        id,
        root: undefined,
        requestedAt: now,
        dueAt: now,
        status: "pending",
      });
      return;
    }
    case "cancel": {
      const open = model.openDeletion(step.name);
      if (open === undefined) return;
      await store.cancelDeletion(open.id, actAt(now));
      open.status = "cancelled";
    }
  }
}

async function write(
  store: TestStore,
  graph: Graph,
  { step, now }: { readonly step: Extract<Step, { do: "write" }>; readonly now: number },
): Promise<void> {
  const { model } = graph;
  const { name, fields, change } = step;
  const { organizationId, resourceType, resourceId } = keyOf(graph, name);
  const writing = store.writeRecords({
    organizationId,
    resourceType,
    mode: "append",
    lenient: false,
    receivedAt: now,
    drafts: [draftOf(resourceType, resourceId, fields)],
  });
  if (model.isClosed) return assert.rejects(writing, /closed/);
  const outcome = await writing;
  const [result] = outcome.drafts;
  assert.equal(result === "deletion_open", model.openDeletion(name) !== undefined);
  if (result !== "created" && result !== "updated") return;
  model.records.set(name, [...(model.records.get(name) ?? []), change]);
  model.writtenAt = now;
}

async function request(
  store: TestStore,
  graph: Graph,
  { step, now }: { readonly step: Extract<Step, { do: "request" }>; readonly now: number },
): Promise<void> {
  const { organizationId, model } = graph;
  const { name: root } = step;
  const dueAt = now + step.graceMs;
  const deletionRequestId = `del_${organizationId}_${model.deletions.length}`;
  const wanted = { ...keyOf(graph, root), deletionRequestId, reason: "asked for", dueAt };
  const requesting = store.requestDeletion(wanted, actAt(now));
  if (model.isClosed) {
    // One that is open already, or a record that does not exist, is found before the closing.
    const id = await requesting.catch((error: unknown) => assert.match(String(error), /closed/));
    assert.notEqual(id, deletionRequestId);
    return;
  }
  const id = await requesting;
  const open = model.openDeletion(root);
  const expected = open?.id ?? (model.records.has(root) ? deletionRequestId : undefined);
  assert.equal(id, expected);
  if (id !== deletionRequestId) return;
  model.deletions.push({ id, root, requestedAt: now, dueAt, status: "pending" });
}

async function release(
  store: TestStore,
  graph: Graph,
  { name, now }: { readonly name: Name; readonly now: number },
): Promise<void> {
  for (const { holdId } of await store.holds.ofRecords([keyOf(graph, name)])) {
    await store.holds.release(holdId, actAt(now));
  }
  graph.model.held.delete(name);
  graph.model.holdEnds.delete(name);
}

async function releaseAll(store: TestStore, graph: Graph, now: number): Promise<void> {
  for (const name of graph.model.held) await release(store, graph, { name, now });
  for (const [id, { held }] of graph.model.sets) {
    for (const name of held) await releaseRestricted(store, graph, { id, name, now });
  }
}

interface Comparison {
  readonly now: number;
  /** Ids of deletions that waited at some time, and of those that filled restricted sets. */
  readonly waited: Set<string>;
  readonly restricted: Set<string>;
}

/** What waits has to; and the records are those of the model. */
async function compareWaiting(
  store: TestStore,
  graphs: ReadonlyMap<string, Graph>,
  { now, waited, restricted }: Comparison,
): Promise<void> {
  await onEach(graphs, async (graph) => {
    const { organizationId, model } = graph;
    for (const waiting of model.deletions.filter(({ status }) => status === "pending")) {
      const obstacle = model.obstacle(waiting, now);
      if (obstacle?.startsWith("the floor") === true) waited.add(waiting.id);
      if (obstacle === undefined && !mayWaitForOthers(model, waiting, now))
        await requireWrittenSince(store, model, { waiting, now });
    }
    for (const id of model.sets.keys()) {
      restricted.add(id);
      if (model.setObstacle(id, now) !== undefined) continue;
      await requireWrittenSince(store, model, { waiting: { id: restrictedId(id) }, now });
    }
    if (!graph.isChanged) return;
    graph.isChanged = false;
    const counted: Record<string, number> = {};
    for (const id of model.sets.keys()) {
      const ofSet = await store.countRecords(restrictedId(id));
      for (const [type, count] of Object.entries(ofSet))
        counted[type] = (counted[type] ?? 0) + count;
    }
    assert.deepEqual(counted, { ...model.countRestricted() }, `${organizationId} at ${now}`);
    const counts = await store.countRecords(organizationId);
    assert.deepEqual(counts, model.countByType(), `${organizationId} at ${now}`);
    await compareParties(store, graph, now);
  });
}

/** The transactions name whom they named, but for those who were erased. */
async function compareParties(store: TestStore, graph: Graph, now: number): Promise<void> {
  for (const [name, changes] of graph.model.records) {
    if (!name.startsWith("transaction/")) continue;
    const payloads = await store.payloadsOf(keyOf(graph, name));
    const named = payloads.map(({ sender_id, receiver_id }) => [sender_id, receiver_id]);
    const expected = changes.map(({ parties }, index) =>
      parties.map((party, at) => {
        const id = named[index]?.[at];
        if (party === undefined) return isPseudonym(id) ? id : "a pseudonym";
        return party.slice(party.indexOf("/") + 1);
      }),
    );
    assert.deepEqual(named, expected, `${graph.organizationId}, ${name} at ${now}`);
  }
}

/** The deletion of an organization waits while others are processing, and is then retried later on. */
function mayWaitForOthers({ begunAt }: RetentionModel, { root }: ModelDeletion, now: number) {
  return root === undefined && now < begunAt + limits.waitingDeletionRetryMs;
}

/**
 * A record that has left the cascade by a write may end a floor earlier than it was known. Then the
 * deletion is evaluated again within the time of a retry.
 */
async function requireWrittenSince(
  store: TestStore,
  model: RetentionModel,
  { waiting, now }: { readonly waiting: Pick<ModelDeletion, "id">; readonly now: number },
): Promise<void> {
  const { id } = waiting;
  const deletion = await store.findDeletion(id, undefined);
  const { floorUntil = 0, nextAttemptAt = 0, isHeld = false } = deletion ?? {};
  // The end of a hold on a report elsewhere is noticed with the next attempt.
  if (isHeld && now < nextAttemptAt && nextAttemptAt < now + limits.heldDeletionRetryMs) return;
  const evaluatedAt = nextAttemptAt - limits.flooredDeletionRetryMs;
  const isKnown = floorUntil > now && nextAttemptAt > now && model.writtenAt >= evaluatedAt;
  assert.ok(isKnown, `${id} still waits at ${now}: ${JSON.stringify(deletion)}`);
}

async function compareEnd(store: TestStore, graph: Graph): Promise<void> {
  const { organizationId, model } = graph;
  const open = model.deletions.filter(({ status }) => status === "pending");
  assert.deepEqual(open, [], organizationId);
  assert.deepEqual([...model.sets.keys()], [], organizationId);
  const page = { organizationId, after: "", limit: 10 };
  assert.deepEqual(await store.restricted.listSets(page), [], organizationId);
  for (const name of model.records.keys()) {
    const history = await store.readHistory(keyOf(graph, name));
    assert.equal(history?.changes.length, model.records.get(name)?.length, name);
  }
}
