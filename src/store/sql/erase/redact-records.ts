// Removes references to what is erased from records that stay, and replaces the ids of erased parties in them. A record
// with several references is rewritten once.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { Act } from "../../interface/act.ts";
import type { ErasedRecords } from "../../shared/redact-payload.ts";
import { type KeyRow, rowKeyText, toKey } from "../../shared/record-key.ts";
import { type Reference, referencesOf, type TargetRow } from "../plan/erasure.ts";
import { keepPseudonyms } from "./kept-pseudonym.ts";
import { deleteOrphans } from "../deletion/open-deletion.ts";
import { all, Rows, type Statements } from "../statement/statements.ts";
import { among } from "../statement/named.ts";
import { readChanges, redactAll, type Rewritten, storeRewritten } from "./rewrite.ts";
import { areAllErased } from "../../../domain/deletion/party.ts";
import type { Payload, ResourceType } from "../../../domain/record-type.ts";
import { recordTypeByName } from "../../../domain/record-types.ts";

const columns = ["organization_id", "from_type", "from_id", "to_type", "to_id"] as const;

const removeRelations = `
  DELETE FROM relation ${among("USING", "relation", columns)}
    --citus AND relation.to_id = ANY ($5::text[])
  RETURNING relation.organization_id, relation.from_type, relation.from_id, relation.to_type, relation.to_id`;

type RelationRow = Omit<Reference, "deletion_request_id">;

export interface RedactionOptions {
  readonly deletions: readonly Deletion[];
  /** The pseudonyms of the erased parties, by the id of the deletion. */
  readonly pseudonyms: ReadonlyMap<string, string>;
  readonly act: Act;
}

/** For each deletion: the types of the changed records, one entry for each reference or id that was removed. */
export type RedactedTypes = ReadonlyMap<string, readonly string[]>;

class TypesByDeletion {
  readonly all = new Map<string, string[]>();

  add(deletionRequestId: string, type: string): void {
    const known = this.all.get(deletionRequestId);
    if (known === undefined) this.all.set(deletionRequestId, [type]);
    else known.push(type);
  }
}

export function* redactReferences(
  targets: readonly TargetRow[],
  options: RedactionOptions,
): Statements<RedactedTypes> {
  const types = new TypesByDeletion();
  // The same statements run whether or not a reference remains: the time must not disclose it.
  yield* removeThem(referencesOf(targets, { restricted: true }));
  const references = referencesOf(targets, { restricted: false });
  // A reference that two deletions remove counts for one of them.
  const owners = new Map(references.toReversed().map((one) => [relationText(one), one]));
  for (const row of yield* removeThem(references)) {
    const owner = owners.get(relationText(row));
    if (owner !== undefined) types.add(owner.deletion_request_id, row.from_type);
  }
  const byRecord = Map.groupBy(references, (reference) => rowKeyText(recordOf(reference)));
  const keys = [...byRecord.values()].flatMap(([first]) => (first ? [toKey(recordOf(first))] : []));
  const erasedOf = (record: string) => erasedBy(byRecord.get(record) ?? [], options.pseudonyms);
  const rewritten = redactAll(yield* readChanges(keys), erasedOf);
  yield* storeRewritten(rewritten);
  const renamed = findRenamed(rewritten, byRecord, options.pseudonyms);
  for (const [id, { records }] of renamed) {
    for (const { resourceType } of records) types.add(id, resourceType);
  }
  yield* followParties(renamed, options);
  return types.all;
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

/** Returns the records that the references lead to. A party has the pseudonym of its deletion. */
function erasedBy(
  references: readonly Reference[],
  pseudonyms: RedactionOptions["pseudonyms"],
): ErasedRecords {
  return new Map(
    references.map(({ to_type, to_id, deletion_request_id }) => [
      nodeKey(to_type, to_id),
      pseudonyms.get(deletion_request_id),
    ]),
  );
}

interface Renamed {
  /** Records that did not name the pseudonym of the deletion before. */
  readonly records: RecordKey[];
  /** Those of these records that name no other existing party. */
  readonly orphans: RecordKey[];
}

function findRenamed(
  changes: readonly Rewritten[],
  references: ReadonlyMap<string, readonly Reference[]>,
  pseudonyms: RedactionOptions["pseudonyms"],
): ReadonlyMap<string, Renamed> {
  const found = new Map<string, Renamed>();
  if (pseudonyms.size === 0) return found;
  for (const [record, ofRecord] of Map.groupBy(changes, rowKeyText)) {
    const [first] = ofRecord;
    const ids = new Set(references.get(record)?.map((one) => one.deletion_request_id));
    for (const id of ids) {
      const pseudonym = pseudonyms.get(id);
      if (first === undefined || pseudonym === undefined) continue;
      const before = ofRecord.map(({ payload }) => payload);
      const after = ofRecord.map((change) => change.after);
      const parties = evaluateParties(first.resource_type, { before, after, pseudonym });
      if (!parties.isNew) continue;
      const renamed = found.get(id) ?? { records: [], orphans: [] };
      found.set(id, renamed);
      renamed.records.push(toKey(first));
      if (parties.isOrphan) renamed.orphans.push(toKey(first));
    }
  }
  return found;
}

/** Must run in the transaction that replaces the ids of the parties. */
function* followParties(
  renamed: ReadonlyMap<string, Renamed>,
  { deletions, pseudonyms, act }: RedactionOptions,
): Statements<void> {
  const renamings = deletions.flatMap((deletion) => {
    const { deletionRequestId: id } = deletion;
    const [found, pseudonym] = [renamed.get(id), pseudonyms.get(id)];
    return found === undefined || pseudonym === undefined
      ? []
      : [{ deletion, pseudonym, ...found }];
  });
  yield* keepPseudonyms(renamings, act.now);
  for (const { deletion, orphans } of renamings) {
    if (orphans.length > 0) yield* deleteOrphans(deletion, orphans, act);
  }
}

interface RewrittenRecord {
  /** The payloads of all changes of the record. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The pseudonym of the deletion. */
  readonly pseudonym: string;
}

interface RewrittenParties {
  /**
   * The record names the pseudonym now, and did not before: so a record is counted only once, whenever its changes
   * arrive.
   */
  readonly isNew: boolean;
  /** The record names only erased parties. */
  readonly isOrphan: boolean;
}

/** Compares the parties that a record named before and after it was rewritten. */
export function evaluateParties(
  resourceType: ResourceType,
  { before, after, pseudonym }: RewrittenRecord,
): RewrittenParties {
  const type = recordTypeByName(resourceType);
  const names = (payload: string) => payload.includes(pseudonym);
  if (type === undefined || !after.some(names)) return { isNew: false, isOrphan: false };
  const payloads = after.map((payload) => JSON.parse(payload) as Payload);
  return { isNew: !before.some(names), isOrphan: areAllErased(type, payloads) };
}
