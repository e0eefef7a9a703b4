// Removes references to what is erased from records that stay, and replaces the ids of erased parties in them. A record
// with several references is rewritten once; one with many changes part by part (redact-long.ts).

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { type KeyRow, rowKeyText, toKey } from "../../shared/record-key.ts";
import { type PlanPart, type Reference, referencesOf } from "../plan/erasure.ts";
import { all, Rows, type Statements } from "../statement/statements.ts";
import { relationKey } from "../../group/group-records.ts";
import { among } from "../statement/named.ts";
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
import { keepPseudonyms } from "./pseudonym.ts";

const removeRelations = `
  DELETE FROM relation ${among("USING", "relation", relationKey)}
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
  plannedParts: readonly PlanPart[],
  options: RedactionOptions,
): Statements<Redacted> {
  const types: { readonly id: string; readonly type: string }[] = [];
  const planned = groupByRecord(plannedParts.flatMap(({ targets }) => referencesOf(targets, open)));
  const sizes = yield* measureShortRecords(keysOf(planned));
  const {
    parts,
    long,
    renamed: renamedLong,
  } = yield* boundRedactions(plannedParts, { ...options, sizes });
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
  for (const { id, key } of renamed) types.push({ id, type: key.resourceType });
  yield* keepPseudonyms(renamed, options);
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
  const rows = references.map((reference) => relationKey.map((column) => reference[column]));
  return yield* all<RelationRow>(removeRelations, new Rows(rows, relationKey.length));
}

function relationText(row: RelationRow): string {
  return relationKey.map((column) => row[column]).join("\n");
}

function recordOf({ organization_id, from_type, from_id }: Reference): KeyRow {
  return { organization_id, resource_type: from_type, resource_id: from_id };
}

function findRenamed(
  changes: readonly Rewritten[],
  references: ByRecord,
  pseudonyms: RedactionOptions["pseudonyms"],
): readonly Renamed[] {
  const renamed: Renamed[] = [];
  if (pseudonyms.size === 0) return renamed;
  for (const [record, ofRecord] of Map.groupBy(changes, rowKeyText)) {
    const [first] = ofRecord;
    const ids = new Set(references.get(record)?.map((one) => one.deletion_request_id));
    for (const id of ids) {
      const { pseudonym } = advance(beginning, ofRecord, pseudonyms.get(id));
      if (first !== undefined && pseudonym === "added") renamed.push({ id, key: toKey(first) });
    }
  }
  return renamed;
}
