// Reads what obliges to keep records, for the records of several plans at once: holds on them, holds on records that
// name them, retention floors, and deletions that erase them already. Changes nothing.

import { type NodeKey, nodeKey, parseNodeKey } from "../../../domain/deletion/erasure.ts";
import { isPartyType } from "../../../domain/deletion/party.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { keyText } from "../../shared/record-key.ts";
import { findLongHistories, readOrigins } from "../retention/floor-origin.ts";
import { findHoldsIn, findHoldsOf } from "../retention/hold.ts";
import { findHeldNamings } from "../retention/naming.ts";
import { type Obligations, toKey } from "./plan.ts";
import { findErasing } from "./relations.ts";
import { rest, type Statements } from "../statement/statements.ts";

/** Records of one statement, and as many of confidential types. */
const recordsAtOnce = 500;

export interface ObligationQuery {
  readonly organizationId: string;
  readonly confidential: ReadonlySet<ResourceType>;
  readonly deletions: readonly Deletion[];
  /** Whether long histories are left out. */
  readonly shortHistories: boolean;
}

/**
 * Adds what obliges to keep these records. As many statements are run whether or not there are reports, up to
 * `recordsAtOnce` of them, and whether or not there are holds: on PostgreSQL the time would disclose them.
 */
export function* readObligations(
  obligations: Obligations,
  nodes: readonly NodeKey[],
  { organizationId, confidential, deletions, shortHistories }: ObligationQuery,
): Statements<void> {
  const { floors, holds, erasing, long } = obligations;
  // A deletion that is repeated may have moved them to its set before.
  const repeated = deletions.filter((one) => isRepeated(one));
  const sets = repeated.map(({ deletionRequestId }) => restrictedId(deletionRequestId));
  const keys = nodes.map((node) => toKey(organizationId, node));
  for (const part of partsOf(keys, confidential)) {
    const reports = part.filter(({ resourceType }) => confidential.has(resourceType));
    for (const hold of yield* findHoldsOf(part)) holds.add(keyText(hold));
    for (const hold of yield* findHoldsIn(sets, reports)) holds.add(keyText(hold));
    erasing.push(...(yield* findErasing(organizationId, reports.map(toNode))));
    const lengthy = shortHistories ? yield* findLongHistories({ floors, records: part }) : [];
    for (const key of lengthy) long.add(keyText(key));
    yield* readFloors(
      obligations,
      part.filter((key) => !long.has(keyText(key))),
    );
    if (part.length < keys.length) yield* rest();
  }
  const parties = nodes.filter((node) => isPartyType(parseNodeKey(node).type));
  const namings = yield* findHeldNamings(organizationId, parties);
  for (const [party, place] of namings) obligations.namings.set(party, place);
}

/** Reads the floors of locked records again: a change of one may have been about to be committed. */
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
  for (const [text, from] of yield* readOrigins({ floors, records })) origins.set(text, from);
}

function isRepeated({ processedBefore, status }: Deletion): boolean {
  return processedBefore !== undefined || status === "processing";
}

function toNode({ resourceType, resourceId }: RecordKey): NodeKey {
  return nodeKey(resourceType, resourceId);
}

/** At least one, which may be empty. Reports don't decide how many there are. */
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
