// Checks whether a stored change of a record has the same payload: the first changes are compared one by one, later
// ones are found by their digests, so a long history is not read. Digests may collide, so payloads are compared too.
// Writes nothing.

import { sameOnServer } from "../../sql/statement/named.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import { comparedChanges, payloadDigest } from "../../shared/payload-digest.ts";
import { inSequence } from "./settle-all.ts";
import { keyColumns, type KeyRow, rowKeyText, keyValues } from "../../shared/record-key.ts";
import type { Transaction } from "../transaction.ts";

export interface Asked {
  readonly record: RecordKey;
  readonly payload: string;
}

/**
 * Each search is bounded (LIMIT), so that it can't be planned as a join with all changes of a record. Only payloads of
 * the same length are read. Early changes that have a digest are found by it.
 */
const findIdentical = `
  SELECT asked.item::int AS item
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[]) WITH ORDINALITY
      AS asked (organization_id, resource_type, resource_id, digest, payload, item)
  WHERE EXISTS (
      SELECT 1 FROM (
        SELECT change.payload, change.digest FROM change
        WHERE change.organization_id = asked.organization_id
          AND change.resource_type = asked.resource_type AND change.resource_id = asked.resource_id
        ORDER BY change_no LIMIT ${comparedChanges}) AS compared
      WHERE digest IS NULL AND octet_length(compared.payload) = octet_length(asked.payload)
        AND compared.payload = asked.payload)
    OR (
      SELECT true FROM change
      WHERE change.organization_id = asked.organization_id
        AND change.resource_type = asked.resource_type AND change.resource_id = asked.resource_id
        AND change.digest = asked.digest AND change.payload = asked.payload
      LIMIT 1)`;

const findByDigestOnCitus = `
  SELECT DISTINCT asked.item::int AS item
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[]) WITH ORDINALITY
      AS asked (organization_id, resource_type, resource_id, digest, payload, item)
    JOIN change USING (organization_id, resource_type, resource_id, digest, payload)
  WHERE change.resource_id = ANY ($3::text[])`;

const findDigestedOnCitus = `
  SELECT record.organization_id, record.resource_type, record.resource_id
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    JOIN record ON ${sameOnServer("record")}
  WHERE record.resource_id = ANY ($3::text[]) AND EXISTS (
    SELECT 1 FROM change
    WHERE change.organization_id = record.organization_id
      AND change.resource_type = record.resource_type AND change.resource_id = record.resource_id
      AND change.digest IS NOT NULL)`;

/** For records whose changes have no digest; such records have few changes. */
const findAmongFewOnCitus = `
  SELECT DISTINCT asked.item::int AS item
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
      AS asked (organization_id, resource_type, resource_id, payload, item)
    JOIN change USING (organization_id, resource_type, resource_id, payload)
  WHERE change.resource_id = ANY ($3::text[])`;

/** If they have no digest. One shard answers: over several, Citus supports no LIMIT in a subquery. */
const findFirstsOnCitus = `
  SELECT payload FROM (
    SELECT payload, digest FROM change
    WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
    ORDER BY change_no LIMIT ${comparedChanges}) AS compared
  WHERE digest IS NULL`;

/** True for each payload that equals a stored change of its record. */
export async function findIdenticalChanges(
  transaction: Transaction,
  asked: readonly Asked[],
): Promise<readonly boolean[]> {
  if (asked.length === 0) return [];
  if (transaction.distributed) return findOnCitus(transaction, asked);
  const items = await findItems(transaction, findIdentical, [
    ...keysOf(asked),
    asked.map(({ payload }) => payloadDigest(payload)),
    asked.map(({ payload }) => payload),
  ]);
  return asked.map((_, index) => items.has(index + 1));
}

/** Queries record by record only for the first changes of records with digests. */
async function findOnCitus(
  transaction: Transaction,
  asked: readonly Asked[],
): Promise<readonly boolean[]> {
  const digested = await findDigested(transaction, asked);
  const hasDigests = ({ record }: Asked) => digested.has(keyText(record));
  const [few, others] = [asked.filter((one) => !hasDigests(one)), asked.filter(hasDigests)];
  const [fewFound, othersFound, firsts] = await inSequence([
    findItems(transaction, findAmongFewOnCitus, [
      ...keysOf(few),
      few.map(({ payload }) => payload),
    ]),
    findItems(transaction, findByDigestOnCitus, [
      ...keysOf(others),
      others.map(({ payload }) => payloadDigest(payload)),
      others.map(({ payload }) => payload),
    ]),
    readFirsts(transaction, others),
  ] as const);
  const identical = new Set<Asked>([
    ...few.filter((_, index) => fewFound.has(index + 1)),
    ...others.filter(
      ({ record, payload }, index) =>
        othersFound.has(index + 1) || firsts.get(keyText(record))?.has(payload) === true,
    ),
  ]);
  return asked.map((one) => identical.has(one));
}

async function findDigested(
  transaction: Transaction,
  asked: readonly Asked[],
): Promise<ReadonlySet<string>> {
  const records = uniqueRecords(asked);
  const rows = await transaction.all<KeyRow>(findDigestedOnCitus, ...keyColumns(records));
  return new Set(rows.map(rowKeyText));
}

async function readFirsts(
  transaction: Transaction,
  asked: readonly Asked[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const records = uniqueRecords(asked);
  const rows = await inSequence(
    records.map((key) =>
      transaction.all<{ payload: string }>(findFirstsOnCitus, ...keyValues(key)),
    ),
  );
  const payloadsOf = (index: number) => new Set(rows[index]?.map(({ payload }) => payload));
  return new Map(records.map((record, index) => [keyText(record), payloadsOf(index)]));
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
