// Digests of later changes, by which an identical change is found, and their index. The first change of a record has
// none: it is found by its key. Digests are computed here and not by the server, so that both engines have the same
// code.

import { payloadDigest } from "../../payload-digest.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { keyColumns, type KeyRow, toKey } from "../record-key.ts";
import type { Transaction } from "../transaction.ts";

export const addDigest = `ALTER TABLE change ADD COLUMN digest bigint;`;

/** Built at the end, so that filling the column does not update an index. */
const addIndex = `
  CREATE INDEX change_by_digest ON change (organization_id, resource_type, resource_id, digest)
  WHERE digest IS NOT NULL`;

/** A cursor: one plan and one scan, however many batches. */
const openLater = `
  DECLARE later_change NO SCROLL CURSOR FOR
  SELECT organization_id, resource_type, resource_id, change_no, payload FROM change
  WHERE EXISTS (
    SELECT 1 FROM change AS earlier
    WHERE earlier.organization_id = change.organization_id
      AND earlier.resource_type = change.resource_type
      AND earlier.resource_id = change.resource_id AND earlier.change_no < change.change_no)`;

/** The batch size bounds the payloads in memory. */
const fetchLater = `FETCH 200 FROM later_change`;
const closeLater = `CLOSE later_change`;

const setDigests = `
  UPDATE change SET digest = computed.digest
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
    AS computed (organization_id, resource_type, resource_id, change_no, digest)
  WHERE change.organization_id = computed.organization_id
    AND change.resource_type = computed.resource_type
    AND change.resource_id = computed.resource_id AND change.change_no = computed.change_no
    --citus AND change.resource_id = ANY ($3::text[])
  `;

/** Each search for an earlier change stops at the first one, and each update finds its rows by the key. */
const usePrimaryKey = `
  SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`;

interface LaterChange extends KeyRow {
  readonly change_no: number;
  readonly payload: string;
}

export async function fillDigests(transaction: Transaction): Promise<void> {
  await transaction.exec(usePrimaryKey);
  await transaction.exec(openLater);
  for (;;) {
    const rows = await transaction.all<LaterChange>(fetchLater);
    if (rows.length === 0) break;
    const keys: readonly RecordKey[] = rows.map(toKey);
    await transaction.run(
      setDigests,
      ...keyColumns(keys),
      rows.map(({ change_no }) => change_no),
      rows.map(({ payload }) => payloadDigest(payload)),
    );
  }
  await transaction.exec(closeLater);
  await transaction.exec(addIndex);
}
