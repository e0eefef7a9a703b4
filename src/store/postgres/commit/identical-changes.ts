// Checks whether a stored change of a record has the same payload: the first change is found by its key, later ones by
// their digests, so a long history is not read. Digests may collide, so payloads are compared too. Writes nothing.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { payloadDigest } from "../../payload-digest.ts";
import { inSequence } from "./in-sequence.ts";
import { keyColumns, type KeyRow, keyText, rowKeyText } from "../record-key.ts";
import type { Transaction } from "../transaction.ts";

export interface Asked {
  readonly record: RecordKey;
  readonly payload: string;
}

/** Each search stops at one row (LIMIT), so it can't be planned as a join with all changes of a record. */
const findIdentical = `
  SELECT asked.item::int AS item
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[]) WITH ORDINALITY
      AS asked (organization_id, resource_type, resource_id, digest, payload, item)
  WHERE asked.payload = (
      SELECT change.payload FROM change
      WHERE change.organization_id = asked.organization_id
        AND change.resource_type = asked.resource_type AND change.resource_id = asked.resource_id
      ORDER BY change_no LIMIT 1)
    OR (
      SELECT true FROM change
      WHERE change.organization_id = asked.organization_id
        AND change.resource_type = asked.resource_type AND change.resource_id = asked.resource_id
        AND change.digest = asked.digest AND change.payload = asked.payload
      LIMIT 1)`;

const findLaterOnCitus = `
  SELECT DISTINCT asked.item::int AS item
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[]) WITH ORDINALITY
      AS asked (organization_id, resource_type, resource_id, digest, payload, item)
    JOIN change USING (organization_id, resource_type, resource_id, digest, payload)
  WHERE change.resource_id = ANY ($3::text[])`;

const findChangedOnCitus = `
  SELECT record.organization_id, record.resource_type, record.resource_id
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    JOIN record USING (organization_id, resource_type, resource_id)
  WHERE record.resource_id = ANY ($3::text[]) AND EXISTS (
    SELECT 1 FROM change
    WHERE change.organization_id = record.organization_id
      AND change.resource_type = record.resource_type AND change.resource_id = record.resource_id
      AND change.digest IS NOT NULL)`;

/** For records with a single change. */
const findOnlyOnCitus = `
  SELECT DISTINCT asked.item::int AS item
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
      AS asked (organization_id, resource_type, resource_id, payload, item)
    JOIN change USING (organization_id, resource_type, resource_id, payload)
  WHERE change.resource_id = ANY ($3::text[])`;

/** Answered by one shard: over several, Citus does not support LIMIT in a subquery. */
const findFirstOnCitus = `
  SELECT payload FROM change
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
  ORDER BY change_no LIMIT 1`;

/** True for each payload that equals a stored change of its record. */
export async function findIdenticalChanges(
  transaction: Transaction,
  asked: readonly Asked[],
): Promise<readonly boolean[]> {
  if (asked.length === 0) return [];
  if (transaction.distributed) return findOnCitus(transaction, asked);
  const found = await findItems(transaction, findIdentical, [
    ...keysOf(asked),
    asked.map(({ payload }) => payloadDigest(payload)),
    asked.map(({ payload }) => payload),
  ]);
  return asked.map((_, index) => found.has(index + 1));
}

/** Queries record by record only for the first of several changes. */
async function findOnCitus(
  transaction: Transaction,
  asked: readonly Asked[],
): Promise<readonly boolean[]> {
  const changed = await findChanged(transaction, asked);
  const isChanged = ({ record }: Asked) => changed.has(keyText(record));
  const [only, several] = [asked.filter((one) => !isChanged(one)), asked.filter(isChanged)];
  const [onlyFound, laterFound, firsts] = await inSequence([
    findItems(transaction, findOnlyOnCitus, [...keysOf(only), only.map(({ payload }) => payload)]),
    findItems(transaction, findLaterOnCitus, [
      ...keysOf(several),
      several.map(({ payload }) => payloadDigest(payload)),
      several.map(({ payload }) => payload),
    ]),
    readFirsts(transaction, several),
  ] as const);
  const identical = new Set<Asked>([
    ...only.filter((_, index) => onlyFound.has(index + 1)),
    ...several.filter(
      ({ record, payload }, index) =>
        laterFound.has(index + 1) || firsts.get(keyText(record)) === payload,
    ),
  ]);
  return asked.map((one) => identical.has(one));
}

/** The keys of the records that have more than one change. */
async function findChanged(
  transaction: Transaction,
  asked: readonly Asked[],
): Promise<ReadonlySet<string>> {
  const records = uniqueRecords(asked);
  const rows = await transaction.all<KeyRow>(findChangedOnCitus, ...keyColumns(records));
  return new Set(rows.map(rowKeyText));
}

async function readFirsts(
  transaction: Transaction,
  asked: readonly Asked[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const records = uniqueRecords(asked);
  const rows = await inSequence(
    records.map(({ organizationId, resourceType, resourceId }) =>
      transaction.get<{ payload: string }>(
        findFirstOnCitus,
        organizationId,
        resourceType,
        resourceId,
      ),
    ),
  );
  return new Map(records.map((record, index) => [keyText(record), rows[index]?.payload]));
}

async function findItems(
  transaction: Transaction,
  sql: string,
  columns: readonly (readonly (number | string)[])[],
): Promise<ReadonlySet<number>> {
  if (columns[0]?.length === 0) return new Set();
  const rows = await transaction.all<{ item: number }>(sql, ...columns);
  return new Set(rows.map(({ item }) => item));
}

function keysOf(asked: readonly Asked[]): string[][] {
  return keyColumns(asked.map(({ record }) => record));
}

function uniqueRecords(asked: readonly Asked[]): readonly RecordKey[] {
  return [...new Map(asked.map(({ record }) => [keyText(record), record])).values()];
}
