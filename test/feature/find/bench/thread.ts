// A thread of the search benchmark: makes the index rows of a range of persons, as the product does, and adds them to
// unordered tables, one for each value of the first half byte of the hash.

import type { KeyObject } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { workerData } from "node:worker_threads";
import { Client } from "pg";
import { hashRecord } from "../../../../src/feature/find/build-index.ts";
import { makeSearchKeys } from "../../../../src/feature/find/build-index.ts";
import { loadTelephoneReader } from "../../../../src/feature/find/value-terms.ts";
import { draftOf } from "./persons.ts";

export interface Range {
  readonly organizationId: string;
  readonly secret: KeyObject;
  readonly from: number;
  readonly to: number;
  /** The address of PostgreSQL, or a file of its own. */
  readonly target: string;
  /** The first half bytes of hashes, in hexadecimal. */
  readonly parts: readonly string[];
}

/** The id, the hash, the field. */
type Row = readonly [string, Uint8Array, string];
type AddRows = (rows: readonly Row[]) => Promise<unknown>;

const personsAtOnce = 2_000;

const { organizationId, secret, from, to, target, parts } = workerData as Range;
const keys = makeSearchKeys(secret);
const readTelephone = await loadTelephoneReader();

function rowsOf(no: number): readonly Row[] {
  const { id, payload } = draftOf(no);
  const key = { organizationId, resourceType: "person", resourceId: id } as const;
  const change = { changeNo: 1, receivedAt: 0, payload };
  const { tokens } = hashRecord(key, [change], { keys, readTelephone });
  return tokens.map(({ hash, field }) => [id, hash, field] as const);
}

async function makeRows(add: AddRows): Promise<void> {
  for (let at = from; at < to; at += personsAtOnce) {
    const count = Math.min(personsAtOnce, to - at);
    await add(Array.from({ length: count }, (_, index) => rowsOf(at + index)).flat());
  }
}

function intoFile(path: string): AddRows {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = off; PRAGMA synchronous = off; BEGIN");
  const statements = parts.map((part) => {
    database.exec(`CREATE TABLE part_${part} (resource_id, hash, field)`);
    return database.prepare(`INSERT INTO part_${part} VALUES (?, ?, ?)`);
  });
  return (rows) => {
    for (const row of rows) statements[(row[1][0] ?? 0) >> 4]?.run(...row);
    database.exec("COMMIT; BEGIN");
    return Promise.resolve();
  };
}

async function intoTable(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `SET sluice.organizations = '${organizationId}'; SET synchronous_commit = off`,
  );
  await makeRows((rows) =>
    client.query({
      name: "add",
      text: `
        INSERT INTO search_token (organization_id, resource_type, resource_id, hash, field, former)
        SELECT '${organizationId}', 'person', unnest($1::text[]), unnest($2::bytea[]), unnest($3::text[]), false`,
      values: [0, 1, 2].map((column) => rows.map((row) => row[column])),
    }),
  );
  await client.end();
}

if (target.startsWith("postgres")) await intoTable(target);
else await makeRows(intoFile(target));
