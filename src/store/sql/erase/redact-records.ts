// Removes references to what is erased from records that stay, and replaces the ids of erased parties in them. A record
// with several references is rewritten once; one with many changes part by part (redact-long.ts). What a pseudonym
// stands for is kept while a report has to be kept whose parties officers must be able to name: as a reference from the
// report to the pseudonym, in the restricted set of the deletion that chose it.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { type KeyRow, rowKeyText, toKey } from "../../shared/record-key.ts";
import { type PlanPart, type Reference, referencesOf } from "../plan/erasure.ts";
import { deleteOrphans } from "../deletion/open-deletion.ts";
import { all, Rows, type Statements, lock } from "../statement/statements.ts";
import { among, named, inNamedIds } from "../statement/named.ts";
import { measureShortRecords, readChanges } from "../record/changes.ts";
import { redactAll, storeRewritten, type Rewritten } from "./rewrite.ts";
import {
  boundRedactions,
  erasedBy,
  type RedactionOptions,
  type Renamed,
  advance,
  beginning,
} from "./redact-long.ts";
import { nodeRows } from "../plan/relations.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { type NodeKey, nodeKey, parseNodeKey } from "../../../domain/deletion/erasure.ts";
import { supportingTypes } from "../../../domain/deletion/restriction.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { toKey as keyOfNode } from "../plan/plan.ts";
import { noteReferences } from "../plan/restricted-reference.ts";
import { findObstaclesOfReports } from "../plan/restricted-set.ts";

const columns = ["organization_id", "from_type", "from_id", "to_type", "to_id"] as const;

const removeRelations = `
  DELETE FROM relation ${among("USING", "relation", columns)}
    --citus AND relation.to_id = ANY ($5::text[])
  RETURNING relation.organization_id, relation.from_type, relation.from_id, relation.to_type, relation.to_id`;

type RelationRow = Omit<Reference, "deletion_request_id">;

/** For each deletion: the types of the changed records, one entry for each reference or id that was removed. */
export type RedactedTypes = ReadonlyMap<string, readonly string[]>;

interface Redacted {
  /** The parts that this step processes: each may end before a record that has to wait for the next step. */
  readonly parts: readonly PlanPart[];
  readonly types: RedactedTypes;
}

export function* redactReferences(
  given: readonly PlanPart[],
  options: RedactionOptions,
): Statements<Redacted> {
  const types: { readonly id: string; readonly type: string }[] = [];
  const planned = groupByRecord(given.flatMap(({ targets }) => referencesOf(targets, open)));
  const sizes = yield* measureShortRecords(keysOf(planned));
  const {
    parts,
    long,
    renamed: renamedLong,
  } = yield* boundRedactions(given, { ...options, sizes });
  const targets = parts.flatMap((part) => part.targets);
  // The same statements run whether or not a reference remains: the time must not disclose it.
  yield* removeThem(referencesOf(targets, { restricted: true }));
  const references = referencesOf(targets, open);
  // A reference that two deletions remove counts for one of them.
  const owners = new Map(references.toReversed().map((one) => [relationText(one), one]));
  for (const row of yield* removeThem(references)) {
    const owner = owners.get(relationText(row));
    if (owner !== undefined) types.push({ id: owner.deletion_request_id, type: row.from_type });
  }
  const byRecord = groupByRecord(references.filter((one) => !long.has(recordTextOf(one))));
  const erasedOf = (record: string) => erasedBy(byRecord.get(record) ?? [], options.pseudonyms);
  const rewritten = redactAll(yield* readChanges(keysOf(byRecord)), erasedOf);
  yield* storeRewritten(rewritten);
  const renamed = [...findRenamed(rewritten, byRecord, options.pseudonyms), ...renamedLong];
  for (const { id, key, isAdded } of renamed)
    if (isAdded) types.push({ id, type: key.resourceType });
  yield* followParties(renamed, options);
  const byDeletion = [...Map.groupBy(types, ({ id }) => id)];
  return {
    parts,
    types: new Map(byDeletion.map(([id, some]) => [id, some.map(({ type }) => type)])),
  };
}

const open = { restricted: false };

type ByRecord = ReadonlyMap<string, readonly Reference[]>;

function groupByRecord(references: readonly Reference[]): ByRecord {
  return Map.groupBy(references, recordTextOf);
}

function keysOf(byRecord: ByRecord): readonly RecordKey[] {
  return [...byRecord.values()].flatMap(([first]) => (first ? [toKey(recordOf(first))] : []));
}

function recordTextOf(reference: Reference): string {
  return rowKeyText(recordOf(reference));
}

function* removeThem(references: readonly Reference[]): Statements<readonly RelationRow[]> {
  const rows = references.map((reference) => columns.map((column) => reference[column]));
  return yield* all<RelationRow>(removeRelations, new Rows(rows, columns.length));
}

function relationText(row: RelationRow): string {
  return columns.map((column) => row[column]).join("\n");
}

function recordOf({ organization_id, from_type, from_id }: Reference): KeyRow {
  return { organization_id, resource_type: from_type, resource_id: from_id };
}

function findRenamed(
  changes: readonly Rewritten[],
  references: ByRecord,
  pseudonyms: RedactionOptions["pseudonyms"],
): readonly Renamed[] {
  const found: Renamed[] = [];
  if (pseudonyms.size === 0) return found;
  for (const [record, ofRecord] of Map.groupBy(changes, rowKeyText)) {
    const [first] = ofRecord;
    const ids = new Set(references.get(record)?.map((one) => one.deletion_request_id));
    for (const id of ids) {
      const { pseudonym, living } = advance(beginning, ofRecord, pseudonyms.get(id));
      if (first === undefined || pseudonym !== "added") continue;
      found.push({ id, key: toKey(first), isAdded: true, isOrphan: living === null });
    }
  }
  return found;
}

/** Must run in the transaction that replaces the ids of the parties. */
function* followParties(
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

type NamingRow = Omit<RelationRow, "organization_id">;

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
