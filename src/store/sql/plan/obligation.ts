// Reads what requires that records are kept, for the records of several plans at once: holds on them, retention floors,
// and deletions that erase them already. Confidential reports that have to be kept do not delay the deletion; they move
// to the restricted store. Changes nothing.

import {
  type NodeKey,
  type Edge,
  type ErasurePlan,
  planRestriction,
  nodeKeyOf,
} from "../../../domain/deletion/erasure.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import type { PlanSubject } from "../../../domain/deletion/deletion.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import { findLongHistories, readOrigins, latestFloor } from "../retention/floor-origin.ts";
import { findHoldsOf } from "../retention/hold.ts";
import { type Obligations, toKey, isKeptSilently, type Planning } from "./plan.ts";
import { findErasing } from "./relations.ts";
import { pause, type Statements } from "../statement/statements.ts";

/** How many records one statement handles, and as many of confidential types. */
const recordsAtOnce = 500;

export interface ObligationQuery {
  readonly organizationId: string;
  readonly confidential: ReadonlySet<ResourceType>;
  readonly deletions: readonly PlanSubject[];
  /** Whether long histories are left out. */
  readonly shortHistories: boolean;
  /** Holds that end by themselves before this day are left out; without one, all holds count. */
  readonly heldOn?: string | undefined;
}

/**
 * Adds what requires that these records are kept. The number of statements is the same whether or not there are
 * reports, up to `recordsAtOnce` of them, and whether or not there are holds: on PostgreSQL the time would disclose
 * them.
 */
export function* readObligations(
  obligations: Obligations,
  nodes: readonly NodeKey[],
  { organizationId, confidential, deletions, shortHistories, heldOn = "" }: ObligationQuery,
): Statements<void> {
  const { floors, holds, erasing, long } = obligations;
  // If a deletion is repeated, it may already have moved them to its set.
  const repeated = deletions.filter((one) => isRepeated(one));
  const sets = repeated.map(({ deletionRequestId }) => restrictedId(deletionRequestId));
  const keys = nodes.map((node) => toKey(organizationId, node));
  for (const part of partsOf(keys, confidential)) {
    const reports = part.filter(({ resourceType }) => confidential.has(resourceType));
    const moved = sets.flatMap((set) => reports.map((key) => ({ ...key, organizationId: set })));
    for (const hold of yield* findHoldsOf([...part, ...moved]))
      if ((hold.endsOn ?? heldOn) >= heldOn) holds.add(keyText(hold));
    erasing.push(...(yield* findErasing(organizationId, reports.map(nodeKeyOf))));
    const lengthy = shortHistories ? yield* findLongHistories({ floors, records: part }) : [];
    for (const key of lengthy) long.add(keyText(key));
    yield* readFloors(
      obligations,
      part.filter((key) => !long.has(keyText(key))),
    );
    if (part.length < keys.length) yield* pause();
  }
}

/** The records are locked now: a change of one may not have been committed at the first reading. */
export function* readFloorsAgain(
  obligations: Obligations,
  records: readonly RecordKey[],
  confidential: ReadonlySet<ResourceType>,
): Statements<void> {
  for (const part of partsOf(records, confidential)) yield* readFloors(obligations, part);
}

function* readFloors(
  { floors, origins }: Obligations,
  records: readonly RecordKey[],
): Statements<void> {
  const read = yield* readOrigins({ floors, records });
  for (const [text, from] of read) origins.set(text, from);
}

function isRepeated({ processedBefore, status }: PlanSubject): boolean {
  return processedBefore !== undefined || status === "processing";
}

/** At least one part, which may be empty. The number of parts does not depend on reports. */
function partsOf(
  keys: readonly RecordKey[],
  confidential: ReadonlySet<ResourceType>,
): readonly (readonly RecordKey[])[] {
  const isReport = ({ resourceType }: RecordKey) => confidential.has(resourceType);
  const lists = [keys.filter((key) => !isReport(key)), keys.filter(isReport)];
  const count = Math.max(1, ...lists.map(({ length }) => Math.ceil(length / recordsAtOnce)));
  return Array.from({ length: count }, (_, index) =>
    lists.flatMap((list) => list.slice(index * recordsAtOnce, (index + 1) * recordsAtOnce)),
  );
}

/** Finds the reports among these records of the plan that must not be erased or changed. */
export function findObliged(
  nodes: readonly NodeKey[],
  planning: Planning,
  { holds, floors, origins, erasing }: Obligations,
): ReadonlySet<NodeKey> {
  const { deletionRequestId: id, organizationId, requestedAt, now } = planning;
  const others = erasing.filter((one) => !one.restricted && one.deletionRequestId !== id);
  const going = new Set(others.map(({ node }) => node));
  const isObliged = (node: NodeKey) => {
    const records = [organizationId, restrictedId(id)].map((owner) => toKey(owner, node));
    if (records.some((key) => holds.has(keyText(key)))) return true;
    const floor = latestFloor({ floors, records, origins, requestedAt });
    return floor !== undefined && floor.until > now;
  };
  const reports = nodes.filter((node) => isKeptSilently(node, planning) && !going.has(node));
  return new Set(reports.filter(isObliged));
}

/** Returns the plan without the records that have to be kept: those move to the restricted store, or stay unchanged. */
export function restrictPlan(
  plan: ErasurePlan,
  edges: Iterable<Edge>,
  { planning, obligations }: { readonly planning: Planning; readonly obligations: Obligations },
): ErasurePlan {
  const nodes = [...plan.erase, ...plan.redact.map(({ record }) => record)];
  const obliged = findObliged(nodes, planning, obligations);
  return obliged.size === 0
    ? plan
    : { ...plan, restriction: planRestriction(plan, edges, obliged) };
}
