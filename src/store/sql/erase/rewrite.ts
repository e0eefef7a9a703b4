// Rewrites the payloads of records: removes references to what is erased, and replaces the ids of parties. Callers
// decide which records and which references.

import { namingTypes, partiesOf } from "../../../domain/deletion/party.ts";
import type { Payload } from "../../../domain/record-type.ts";
import { payloadDigest } from "../../shared/payload-digest.ts";
import { redactPayload, type ErasedRecords } from "../../shared/redact-payload.ts";
import { rowKeyText, toKey } from "../../shared/record-key.ts";
import { replaceEntries } from "../party/entries.ts";
import { removeRepliesOf } from "./replies.ts";
import type { PayloadRow } from "../record/changes.ts";
import { type Statements, Rows, run } from "../statement/statements.ts";
import { keyColumns, named, sameOnServer } from "../statement/named.ts";

/** Some changes have no digest. If this were a join, SQLite would begin with all changes. */
const rewriteSome = `
  UPDATE change SET payload = named.after,
    digest = CASE WHEN change.digest IS NULL THEN NULL ELSE named.digest END
  FROM ${named(...keyColumns, "change_no bigint", "after", "digest bigint")}
  WHERE
    --sqlite change.change_no = named.change_no AND change.record_no = (
    --sqlite   SELECT record_no FROM record
    --sqlite   WHERE record.organization_id = named.organization_id
    --sqlite     AND record.resource_type = named.resource_type
    --sqlite     AND record.resource_id = named.resource_id)
    --postgres ${sameOnServer("change", [...keyColumns, "change_no"])}
    --citus AND change.resource_id = ANY ($3::text[])
  `;

export interface Rewritten extends PayloadRow {
  readonly after: string;
}

/** `erasedOf` is called with the text of a record's key (record-key.ts). */
export function redactAll(
  changes: readonly PayloadRow[],
  erasedOf: (record: string) => ErasedRecords,
): readonly Rewritten[] {
  return changes.map((change) => ({
    ...change,
    after: redactPayload(change.resource_type, change.payload, erasedOf(rowKeyText(change))),
  }));
}

/** Stores the payloads that differ. The caller must lock the records first. */
export function* storeRewritten(changes: readonly Rewritten[]): Statements<void> {
  const rewritten = changes.filter(({ payload, after }) => after !== payload);
  if (rewritten.length === 0) return;
  const rows = rewritten.map((one) => {
    const key = [one.organization_id, one.resource_type, one.resource_id, one.change_no];
    return [...key, one.after, payloadDigest(one.after)];
  });
  yield* run(rewriteSome, new Rows(rows, keyColumns.length + 3));
  yield* removeRepliesOf(rewritten);
  yield* renameParties(rewritten);
}

function* renameParties(changes: readonly Rewritten[]): Statements<void> {
  const renamed = changes.flatMap((change) => {
    const type = namingTypes.find(({ resourceType }) => resourceType === change.resource_type);
    if (type === undefined) return [];
    const namedIn = (payload: string) => new Set(partiesOf(type, JSON.parse(payload) as Payload));
    const [before, after] = [namedIn(change.payload), namedIn(change.after)];
    const name = (party: string) => ({ ...toKey(change), changeNo: change.change_no, party });
    return {
      remove: [...before.difference(after)].map(name),
      add: [...after.difference(before)].map(name),
    };
  });
  if (renamed.length === 0) return;
  yield* replaceEntries({
    remove: renamed.flatMap(({ remove }) => remove),
    add: renamed.flatMap(({ add }) => add),
  });
}
