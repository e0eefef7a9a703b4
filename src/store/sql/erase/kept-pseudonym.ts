// Keeps what pseudonyms stand for as long as somebody has to be able to prove it: while a report has to be kept,
// officers must be able to say who the parties of its transactions were. It is kept as a reference from the report to
// the pseudonym, in the restricted set of the deletion that chose it; without such a report nothing is kept.

import { type RelationRow, nodeRows } from "../plan/relations.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { type NodeKey, nodeKey, parseNodeKey } from "../../../domain/deletion/erasure.ts";
import { supportingTypes } from "../../../domain/deletion/restriction.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { toKey } from "../plan/plan.ts";
import { noteReferences } from "../plan/restricted-reference.ts";
import { findObstaclesOfReports } from "../plan/restricted-set.ts";
import { named, inNamedIds } from "../statement/named.ts";
import { all, lock, type Statements } from "../statement/statements.ts";

/** Not the restricted sets: what a report there names is erased, or is in a set and keeps its parties there. */
const findNaming = `
  SELECT from_type, from_id, to_type, to_id FROM ${named("organization_id", "to_type", "to_id")}
    --sqlite CROSS
    JOIN relation USING (organization_id, to_type, to_id)
  WHERE ${inNamedIds("from_type", 4)}
    --citus AND relation.to_id = ANY ($3::text[])
  ORDER BY from_type, from_id`;

type NamingRow = Omit<RelationRow, "kind">;

/** Records in which the pseudonym has replaced the id of the party of a deletion. */
export interface Renaming {
  readonly deletion: Deletion;
  readonly pseudonym: string;
  readonly records: readonly RecordKey[];
}

/** For each record: the replacements that concern it or a record that it names. */
type Concerned = ReadonlyMap<NodeKey, ReadonlySet<Renaming>>;

/** Must run with the replacements. As many statements without a report: on PostgreSQL the time would disclose it. */
export function* keepPseudonyms(renamings: readonly Renaming[], now: number): Statements<void> {
  const byOwner = Map.groupBy(renamings, ({ deletion }) => deletion.organizationId);
  for (const [organizationId, some] of byOwner) {
    const confidential = yield* readConfidentialTypes(organizationId);
    const concerned = some.flatMap((one) =>
      one.records.map((key) => [nodeKey(key.resourceType, key.resourceId), one] as const),
    );
    const search = { organizationId, types: confidential.union(supportingTypes) };
    // The reports that the records support directly, or by an alert.
    const direct = yield* findConcerned(groupPairs(concerned), search);
    const between = new Map([...direct].filter(([node]) => supportingTypes.has(typeOf(node))));
    const indirect = yield* findConcerned(between, search);
    const reports = [...direct, ...indirect].filter(([node]) => confidential.has(typeOf(node)));
    const keeping = reports.flatMap(([node, ones]) =>
      [...ones].map((one) => {
        const { requestedAt } = one.deletion;
        return { ...toKey(organizationId, node), movedBy: undefined, requestedAt, one };
      }),
    );
    // Whatever a deletion was allowed before a restore, the report has to be kept now.
    const rules = { restrictedOf: organizationId, isReplay: false, now };
    const obstacles = yield* findObstaclesOfReports(keeping, rules);
    const kept = keeping.filter((_, index) => obstacles[index] !== undefined);
    // A deletion that moves one of them later finds the reference.
    yield* lock(kept);
    yield* noteReferences(
      kept.map(({ one: { deletion, pseudonym }, ...report }) => ({
        deletionRequestId: deletion.deletionRequestId,
        report,
        to: { type: deletion.resourceType, id: pseudonym },
      })),
    );
  }
}

function typeOf(node: NodeKey): ResourceType {
  return parseNodeKey(node).type;
}

function* findConcerned(
  concerned: Concerned,
  {
    organizationId,
    types,
  }: { readonly organizationId: string; readonly types: ReadonlySet<ResourceType> },
): Statements<Concerned> {
  const keys = nodeRows(organizationId, [...concerned.keys()]);
  const rows = yield* all<NamingRow>(findNaming, keys, [...types]);
  const pairs = rows.flatMap(({ from_type, from_id, to_type, to_id }) =>
    [...(concerned.get(nodeKey(to_type, to_id)) ?? [])].map(
      (one) => [nodeKey(from_type, from_id), one] as const,
    ),
  );
  return groupPairs(pairs);
}

function groupPairs(pairs: readonly (readonly [NodeKey, Renaming])[]): Concerned {
  const grouped = Map.groupBy(pairs, ([node]) => node);
  return new Map([...grouped].map(([node, some]) => [node, new Set(some.map(([, one]) => one))]));
}
