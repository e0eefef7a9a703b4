// Plans the deletions of expired records as the worker would, one after another, and counts what they would erase
// besides these records. Counts each record once, whatever part of the expired records is previewed. Confidential types
// delay no deletion, and are left out unless they are asked for. Changes nothing.

import { dateOf } from "../../../basics/duration.ts";
import { type NodeKey, parseNodeKey, nodeKeyOf } from "../../../domain/deletion/erasure.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import { recordTypes } from "../../../domain/record-types.ts";
import { keyText } from "../../../domain/record/record-write.ts";
import { isPartyType, namesParties } from "../../../domain/deletion/party.ts";
import { strictFloors } from "../../../domain/retention/floor.ts";
import type { DueRecord, ErasedPreview, ErasedQuery } from "../../interface/retention.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { addCounts } from "../../row/deletion-row.ts";
import { pause, type Statements } from "../statement/statements.ts";
import type { RelationGraph } from "../plan/cascade.ts";
import { filterPassed } from "./expired.ts";
import { findNamings } from "../party/find-namings.ts";
import { isAnyNamingHeld, latestByParty } from "../plan/party-obstacle.ts";
import { findHeldKeys } from "../retention/hold.ts";
import { Obligations, planningOf, toKey } from "../plan/plan.ts";
import { type Evaluated, evaluate, readGraph } from "../plan/record-plans.ts";

interface PreviewSet {
  readonly query: ErasedQuery;
  readonly confidential: ReadonlySet<ResourceType>;
  /** What the plans up to here erase. */
  readonly going: Set<NodeKey>;
}

type WaitingRecord = ErasedPreview["waiting"][number];

interface Tally {
  readonly waiting: WaitingRecord[];
  erasedWith: ErasedPreview["erasedWith"];
  shared: ErasedPreview["shared"];
  inPart: number;
}

/** If there are too many relations for all records, fewer are planned together, with the same result. */
export function* previewErased(query: ErasedQuery): Statements<ErasedPreview> {
  const confidential = yield* readConfidentialTypes(query.organizationId);
  const tally: Tally = { waiting: [], erasedWith: {}, shared: {}, inPart: 0 };
  yield* addPlans(query.due, { query, confidential, going: new Set() }, tally);
  return tally;
}

function* addPlans(due: readonly DueRecord[], set: PreviewSet, tally: Tally): Statements<void> {
  if (due.length === 0) return;
  const { query, confidential, going } = set;
  const { organizationId, now, floors } = query;
  const obligations = new Obligations(floors);
  const roots = due.map((key) => {
    const deletion = { ...key, deletionRequestId: "", restrictedOf: undefined, status } as const;
    const root = nodeKeyOf(key);
    return { key, deletion, root, planning: planningOf(deletion, now, confidential) };
  });
  const graph = yield* readGraph(roots, query.relationsMax, {
    organizationId,
    confidential,
    obligations,
    types: recordTypes
      .map((one) => one.resourceType)
      .filter((type) => query.confidential === true || !confidential.has(type)),
    bounds: { shortHistories: false },
    heldOn: dateOf(now),
  });
  if (graph.cut !== undefined && due.length > 1) {
    const half = Math.ceil(due.length / 2);
    yield* addPlans(due.slice(0, half), set, tally);
    yield* addPlans(due.slice(half), set, tally);
    return;
  }
  const begun: Evaluated["plan"][] = [];
  const parties = due.filter(({ resourceType }) => isPartyType(resourceType));
  const ofParties = yield* evaluateParties(
    query,
    parties.map(({ resourceId }) => resourceId),
  );
  for (const one of roots) {
    const evaluated = yield* evaluate(one, going, { graph, obligations });
    const { resourceType, resourceId } = one.key;
    const ofParty = isPartyType(resourceType) ? ofParties.get(resourceId) : undefined;
    const isHeld = evaluated.holds.length > 0 || ofParty === "held";
    if (isHeld || evaluated.floors.length > 0 || ofParty === "floor") {
      const key = { organizationId, resourceType, resourceId };
      tally.waiting.push({ key, expiry: isHeld ? "held" : "floor" });
    } else if (evaluated.isCut || ofParty === "more") tally.inPart += 1;
    else {
      begun.push(evaluated.plan);
      for (const node of evaluated.plan.erase) going.add(node);
    }
    yield* pause();
  }
  yield* count(begun, graph, { set, tally, roots: new Set(roots.map(({ root }) => root)) });
}

const status = "pending";

/** How many records that name one of the parties are read at once, and how often. */
const recordsAtOnce = 1_000;
const pagesMax = 10;

/** What the records that name expired persons or companies make these wait for; `more`: not all of them were read. */
function* evaluateParties(
  { organizationId, floors, now }: ErasedQuery,
  parties: readonly string[],
): Statements<ReadonlyMap<string, "held" | "floor" | "more">> {
  const rules = strictFloors(floors).filter(({ resourceType }) => namesParties(resourceType));
  const waitsFor = new Map<string, "held" | "floor" | "more">();
  if (parties.length === 0) return waitsFor;
  if (rules.length === 0 && !(yield* isAnyNamingHeld(organizationId))) return waitsFor;
  let [open, after] = [parties, 0];
  for (let page = 0; page < pagesMax && open.length > 0; page += 1) {
    const recordsMax = Math.ceil(recordsAtOnce / open.length);
    const query = { organizationId, parties: open, after, recordsMax };
    const { namings, ends } = yield* findNamings(query);
    const keys = namings.map((naming) => ({ ...naming, organizationId }));
    const held = yield* findHeldKeys(keys, now);
    const latest = yield* latestByParty({ organizationId, floors: rules }, namings);
    for (const [party, { until }] of latest) if (until > now) waitsFor.set(party, "floor");
    const heldKeys = keys.filter((key) => held.has(keyText(key)));
    for (const party of heldKeys.flatMap((key) => key.parties)) waitsFor.set(party, "held");
    open = [...ends.keys()].filter((party) => !waitsFor.has(party));
    after = Math.min(...open.map((party) => ends.get(party) ?? 0));
    yield* pause();
  }
  for (const party of open) waitsFor.set(party, "more");
  return waitsFor;
}

/**
 * A record that belongs to several is counted with the last of them only, and one that has reached a ceiling itself
 * not here: its own deletion counts it, with what belongs to it.
 */
function* count(
  plans: readonly Evaluated["plan"][],
  graph: RelationGraph,
  {
    set: { query, going },
    tally,
    roots,
  }: { readonly set: PreviewSet; readonly tally: Tally; readonly roots: ReadonlySet<NodeKey> },
): Statements<void> {
  const erased = plans.flatMap(({ erase }) => erase.toReversed()).filter((one) => !roots.has(one));
  const shared = new Set(plans.flatMap(({ redact }) => redact.map(({ record }) => record)));
  const uncounted = yield* findExpiring(query, [...erased, ...shared]);
  const lastHolder = (node: NodeKey) => {
    const holders = (graph.holders.get(node) ?? []).map(({ to }) => to);
    return holders.reduce((one, other) => (one > other ? one : other), holders[0] ?? node);
  };
  const isCounted = (node: NodeKey) => {
    if (uncounted.has(lastHolder(node))) uncounted.add(node);
    return !uncounted.has(node);
  };
  const isShared = (node: NodeKey) => {
    const last = lastHolder(node);
    return last !== node && going.has(last) && !going.has(node);
  };
  tally.erasedWith = addCounts(tally.erasedWith, typesOf(erased.filter(isCounted)));
  tally.shared = addCounts(tally.shared, typesOf([...shared].filter(isShared).filter(isCounted)));
}

function typesOf(nodes: readonly NodeKey[]): readonly ResourceType[] {
  return nodes.map((node) => parseNodeKey(node).type);
}

/** Those of these records that have reached a ceiling themselves. */
function* findExpiring(
  { organizationId, ceilings, now }: ErasedQuery,
  nodes: readonly NodeKey[],
): Statements<Set<NodeKey>> {
  const byType = new Map(ceilings.map((ceiling) => [ceiling.resourceType, ceiling]));
  const candidates = nodes.flatMap((node) => {
    const ceiling = byType.get(parseNodeKey(node).type);
    return ceiling === undefined ? [] : [{ key: toKey(organizationId, node), ceiling, node }];
  });
  return new Set((yield* filterPassed(candidates, now)).map(({ node }) => node));
}
