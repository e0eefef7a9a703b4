// The shape that Citus needs, checked without Citus: from the catalog, and from every statement that runs on it. The
// statements are those of the engine's files, so that none is forgotten.

import assert from "node:assert/strict";
import { readFileSync, globSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { openStore } from "../../../src/store/open-store.ts";
import { distributedTables } from "../../../src/store/postgres/citus.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres-server.ts";
import { type Catalog, findSchemaFaults, findStatementFaults } from "./citus-rules.ts";

const folder = new URL("../../../src/store/postgres/", import.meta.url);

/** Those that run only where there is no Citus, by file and name. */
const neverOnCitus: ReadonlySet<string> = new Set([
  "record.ts lockRows",
  "new-records.ts requireNew",
]);

interface Statement {
  readonly name: string;
  readonly sql: string;
}

function readStatements(): readonly Statement[] {
  const found: Statement[] = [];
  for (const file of globSync("*.ts", { cwd: folder }).sort()) {
    const text = readFileSync(new URL(file, folder), "utf8");
    for (const [, name = "", sql = ""] of text.matchAll(
      /(?:const |\b)(\w+)(?: =|:)\s*`([^`]*)`/g,
    )) {
      if (/\b(?:SELECT|INSERT|UPDATE|DELETE)\b/.test(sql))
        found.push({ name: `${file} ${name}`, sql });
    }
  }
  return found;
}

async function readCatalog(server: PostgresServer, url: string): Promise<Catalog> {
  const keys = await server.query(
    `SELECT indrelid::regclass::text AS table, array_agg(attname::text) AS columns
     FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
     WHERE indisunique AND indrelid::regclass::text !~ '^pg_' GROUP BY indexrelid, indrelid`,
    url,
  );
  const foreign = await server.query(
    `SELECT conrelid::regclass::text AS table, confrelid::regclass::text AS target
     FROM pg_constraint WHERE contype = 'f'`,
    url,
  );
  const types = await server.query(
    `SELECT table_name || '.' || column_name AS name, data_type || ' ' || coalesce(collation_name, '') AS type
     FROM information_schema.columns WHERE table_schema = current_schema()`,
    url,
  );
  return {
    uniqueKeys: keys as unknown as Catalog["uniqueKeys"],
    foreignKeys: foreign as unknown as Catalog["foreignKeys"],
    types: Object.fromEntries(types.map(({ name, type }) => [String(name), String(type)])),
  };
}

describe("the schema on Citus", () => {
  let server: PostgresServer;
  let catalog: Catalog;
  before(async () => {
    server = await startPostgres();
    const url = await server.makeDatabase();
    await (await openStore(url, { role: "command" })).close();
    catalog = await readCatalog(server, url);
    await server.dropDatabase(url);
  });
  after(() => server.remove());

  it("can be distributed", () => {
    assert.ok(catalog.uniqueKeys.length > 10);
    assert.ok(catalog.foreignKeys.length > 0);
    assert.deepEqual(findSchemaFaults(catalog, distributedTables), []);
  });

  it("would be found not to be", () => {
    const faulty: Catalog = {
      uniqueKeys: [
        { table: "record", columns: ["organization_id", "resource_type"] },
        { table: "change", columns: ["resource_id", "change_no"] },
        { table: "relation", columns: ["to_id"] },
      ],
      foreignKeys: [{ table: "change", target: "record" }],
      types: { "record.resource_id": "text C", "change.resource_id": "text" },
    };
    assert.deepEqual(findSchemaFaults(faulty, distributedTables), [
      "a unique key of record (organization_id, resource_type) lacks resource_id",
      "deletion_target has no key",
      "change refers to record across shards",
      "the tables can't be co-located: their columns differ",
    ]);
  });
});

describe("the statements on Citus", () => {
  const statements = readStatements();

  it("hold nothing that Citus is known to refuse", () => {
    assert.ok(statements.length > 60, `${statements.length} statements were found`);
    const faults = statements
      .filter(({ name }) => !neverOnCitus.has(name))
      .flatMap(({ name, sql }) =>
        findStatementFaults(sql, distributedTables).map((fault) => `${name}: ${fault}`),
      );
    assert.deepEqual(faults, []);
  });

  it("are all there that are said never to run on it", () => {
    const names = new Set(statements.map(({ name }) => name));
    assert.deepEqual(
      [...neverOnCitus].filter((name) => !names.has(name)),
      [],
    );
  });

  const refused: Readonly<Record<string, string>> = {
    "locks rows of several shards":
      "SELECT 1 FROM record JOIN named USING (resource_id) FOR UPDATE",
    "changes the column that the table is distributed by":
      "UPDATE change SET payload = $1, resource_id = $2 WHERE change_no = $3",
    "a conflict without the column that the table is distributed by":
      "INSERT INTO record (resource_id) VALUES ($1) ON CONFLICT (organization_id) DO NOTHING",
    "a row without the column that the table is distributed by":
      "INSERT INTO relation (from_id, kind) SELECT 1, 2",
    "a system column": "SELECT xmin FROM record",
    "a statement that changes rows within another":
      "WITH new AS (INSERT INTO record (resource_id) VALUES (1) RETURNING 1) SELECT * FROM new JOIN record ON true",
  };
  for (const [fault, sql] of Object.entries(refused)) {
    it(`would be found where one is ${fault}`, () => {
      assert.deepEqual(findStatementFaults(sql, distributedTables), [`${fault}: ${sql}`]);
    });
  }
});
