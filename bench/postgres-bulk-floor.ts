// The floor of bulk writes on PostgreSQL, `node bench/postgres-bulk-floor.ts URL NDJSON GROUP`: one connection that
// inserts the lines of a file into one table, GROUP lines with each statement, which is a transaction. Checks nothing.

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Client } from "pg";

const [url = "", path = "", groupText = ""] = process.argv.slice(2);
const groupRows = Number(groupText);
const client = new Client({ connectionString: url });
await client.connect();
await client.query(`
  CREATE TABLE IF NOT EXISTS transaction (
    organization_id text COLLATE "C" NOT NULL,
    tx_id text COLLATE "C" NOT NULL,
    received_at bigint NOT NULL,
    payload text NOT NULL,
    PRIMARY KEY (organization_id, tx_id)
  )`);
const startedAt = performance.now();
const rows = await insertLines();
const seconds = (performance.now() - startedAt) / 1_000;
await client.end();
process.stdout.write(JSON.stringify({ rows, seconds }));

async function insertLines(): Promise<number> {
  let inserted = 0;
  let lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    lines.push(line);
    if (lines.length < groupRows) continue;
    inserted += await insert(lines);
    lines = [];
  }
  return inserted + (lines.length === 0 ? 0 : await insert(lines));
}

async function insert(lines: readonly string[]): Promise<number> {
  const now = Date.now();
  const { rowCount } = await client.query({
    name: "insert",
    text: `
      INSERT INTO transaction (organization_id, tx_id, received_at, payload)
      SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])`,
    values: [
      lines.map(() => "org"),
      lines.map((line) => (JSON.parse(line) as { tx_id: string }).tx_id),
      lines.map(() => now),
      lines,
    ],
  });
  return rowCount ?? 0;
}
