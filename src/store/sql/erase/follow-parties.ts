// What follows when pseudonyms have replaced the ids of parties. Transactions that name no party any more are deleted
// where their organization has chosen this. What a pseudonym stands for is kept while a report has to be kept whose
// parties officers must be able to name: as a reference from the report to the pseudonym, in the restricted set of the
// deletion that chose it.

import type { Act } from "../../interface/act.ts";
import { type Statements, all, lock } from "../statement/statements.ts";
import { randomBytes } from "node:crypto";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { findOrganization, readConfidentialTypes } from "../access/organization.ts";
import { openDeletions } from "../deletion/open-deletion.ts";
import type { Reference } from "../plan/erasure.ts";
import { named, inNamedIds } from "../statement/named.ts";
import type { RedactionOptions, Renamed } from "./redact-long.ts";
import { nodeRows } from "../plan/relations.ts";
import {
  type NodeKey,
  nodeKey,
  parseNodeKey,
  supportingTypes,
} from "../../../domain/deletion/erasure.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import { toKey as keyOfNode } from "../plan/plan.ts";
import { noteReferences } from "../plan/restricted-reference.ts";
import { findObstaclesOfReports } from "../plan/restricted-set.ts";

/** The requester that the deletions of orphaned records name. */
const orphanRequester = "orphaned";

/** For organizations that have chosen this. Must run in the transaction that replaces the id of their last party. */
export function* deleteOrphans(
  { organizationId, deletionRequestId }: Deletion,
  orphans: readonly RecordKey[],
  act: Act,
): Statements<void> {
  const organization = yield* findOrganization(organizationId);
  if (organization?.eraseOrphanedTransactions !== true) return;
  // Everything of a closed organization is erased anyway.
  if (organization.closedAt !== undefined) return;
  const requests = orphans.map(({ resourceType, resourceId }) => ({
    organizationId,
    resourceType,
    resourceId,
    reason: `Every person and company that it names was erased (${deletionRequestId}).`,
    deletionRequestId: `del_${randomBytes(12).toString("hex")}`,
    isAutomatic: true,
    requestedBy: orphanRequester,
    dueAt: act.now + organization.deletionGraceSeconds * 1_000,
  }));
  yield* openDeletions(requests.map((request) => ({ request, act })));
}

/** Must run in the transaction that replaces the ids of the parties. */
export function* followParties(
  renamed: readonly Renamed[],
  { deletions, pseudonyms, act }: RedactionOptions,
): Statements<void> {
  const byDeletion = Map.groupBy(renamed, ({ id }) => id);
  const renamings = deletions.flatMap((deletion) => {
    const { deletionRequestId: id } = deletion;
    const [found, pseudonym] = [byDeletion.get(id), pseudonyms.get(id)];
    if (found === undefined || pseudonym === undefined) return [];
    const records = found.flatMap(({ key, isAdded }) => (isAdded ? [key] : []));
    const orphans = found.flatMap(({ key, isOrphan }) => (isOrphan ? [key] : []));
    return [{ deletion, pseudonym, records, orphans }];
  });
  yield* keepPseudonyms(renamings, act.now);
  for (const { deletion, orphans } of renamings) {
    if (orphans.length > 0) yield* deleteOrphans(deletion, orphans, act);
  }
}

/** Leaves out restricted sets: what a report there names is erased, or is in a set and keeps its parties there. */
const findNaming = `
  SELECT from_type, from_id, to_type, to_id FROM ${named("organization_id", "to_type", "to_id")}
    --sqlite CROSS
    JOIN relation USING (organization_id, to_type, to_id)
  WHERE ${inNamedIds("from_type", 4)}
    --citus AND relation.to_id = ANY ($3::text[])
  ORDER BY from_type, from_id`;

type NamingRow = Omit<Reference, "deletion_request_id" | "organization_id">;

/** Records in which the pseudonym has replaced the id of the party of a deletion. */
interface Renaming {
  readonly deletion: Deletion;
  readonly pseudonym: string;
  readonly records: readonly RecordKey[];
}

/** For each record: the replacements that concern it or a record that it names. */
type Concerned = ReadonlyMap<NodeKey, ReadonlySet<Renaming>>;

/** Must run with the replacements. As many statements without a report: on PostgreSQL the time would disclose it. */
function* keepPseudonyms(renamings: readonly Renaming[], now: number): Statements<void> {
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
        return { ...keyOfNode(organizationId, node), movedBy: undefined, requestedAt, one };
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
