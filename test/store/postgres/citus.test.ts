// The shape that Citus requires, checked without Citus: from the catalog, and from every statement
// that runs on it. The statements are read from the engine's files, so that none is forgotten.

import assert from "node:assert/strict";
import { readFileSync, globSync } from "node:fs";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";
import { distributedTables } from "../../../src/store/postgres/citus.ts";
import { makeInsertion } from "../../../src/store/postgres/transaction.ts";
import { type PostgresServer, usePostgres } from "../../support/postgres/postgres-server.ts";
import { beginStatements } from "../../../src/store/postgres/begin.ts";
import { relationKey } from "../../../src/store/group/group-records.ts";
import * as conditions from "../../../src/store/sql/statement/index-conditions.ts";
import * as naming from "../../../src/store/sql/statement/named.ts";
import { textFor } from "../../../src/store/sql/statement/statements.ts";
import { rowSecurity, securedTables } from "../../../src/store/postgres/migration/row-security.ts";
import { defaultConnections } from "../../../src/store/interface/connection-settings.ts";
import {
  type Catalog,
  findSchemaViolations,
  findStatementViolations,
  type Tables,
} from "./citus-rules.ts";
import { openTestStore } from "../../support/test-store.ts";
import { storeParts } from "../../../src/feature/parts.ts";

const fragments = { ...naming, ...conditions, relationKey, namedRows: naming.named };

const folder = new URL("../../../src/store/", import.meta.url);
const written = ["{postgres,sql}/**/*.ts", "../feature/*/store/*.ts"];

/** Statements that run only without Citus, by file and name, besides those in whose place others run there. */
const neverOnCitus: ReadonlySet<string> = new Set([
  "sql/record/arrivals.ts findHighest",
  "postgres/commit/identical-changes.ts findIdentical",
  "sql/plan/write-plan.ts insertTargets",
  "postgres/commit/new-records.ts insertRecords",
  "postgres/commit/new-records.ts requireOpen",
  "sql/erase/shorten-records.ts findLong",
]);

const onShards = distributedTables(storeParts);

const tables: Tables = {
  distributed: onShards,
  local: [...storeParts.tablesOn("postgres").keys()].filter((table) => !(table in onShards)),
};

interface Statement {
  readonly name: string;
  readonly sql: string;
}

/** The source with the texts of calls such as `among("FROM", "record", key)`, by which statements name rows. */
function withFragments(source: string): string {
  const list = /const (\w+) =\s+(\[(?:\s*"[^"]*",?)+\s*\]|"[^"]*"(?:\s*\+\s*"[^"]*")*)/g;
  const lists = [...source.matchAll(list)];
  const scope = lists.map(([, name, value]) => `const ${name} = ${value};`).join("");
  return source.replaceAll(
    /\$\{((?:named(?:Rows)?|among|inNamedIds|joinNamed|same(?:AsNamed|OnServer))\([^}]*\)|\w+)\}/g,
    (whole, call: string) =>
      /^\w+$/.test(call) && !(call in fragments)
        ? whole
        : String(runInNewContext(`{${scope} ${call}}`, { ...fragments })),
  );
}

/** The texts of a file by name; of several with one name, the last. */
function textsOf(source: string): readonly (readonly [name: string, text: string])[] {
  const texts = source.matchAll(/(?:const |\b)(\w+)(?: =|:)\s*(?:\(.*\) =>\s*)?`([^`]*)`/g);
  return [...texts].map(([, name = "", text = ""]) => [name, text]);
}

function readStatements(): readonly Statement[] {
  const files = globSync(written, { cwd: folder, exclude: ["**/migration/**"] });
  const sources = files.sort().map((file) => {
    const source = readFileSync(new URL(file, folder), "utf8");
    const isElsewhere = (name: string) => source.includes(`const ${name}OnCitus`);
    return { file, texts: textsOf(withFragments(source)), isElsewhere };
  });
  const ofAll = new Map(sources.flatMap(({ texts }) => texts));
  return sources.flatMap(({ file, texts, isElsewhere }) => {
    const own = new Map(texts);
    // A text that is made in a function may have its own name as a parameter.
    const complete = (text: string, within: readonly string[] = []): string =>
      text.replaceAll(/\$\{(\w+)\}/g, (unknown, name: string) => {
        const part = within.includes(name) ? undefined : (own.get(name) ?? ofAll.get(name));
        return part === undefined ? unknown : complete(part, [...within, name]);
      });
    return texts
      .filter(([name]) => !isElsewhere(name))
      .map(([name, text]) => ({
        name: `${file} ${name}`,
        sql: textFor("postgres", complete(text)),
      }))
      .filter(({ sql }) => /\b(?:SELECT|INSERT|UPDATE|DELETE)\b/.test(sql));
  });
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

const server = await usePostgres();

describe("the schema on Citus", async () => {
  const url = await server.makeDatabase();
  await (await openTestStore(url, { role: "command" })).close();
  const catalog = await readCatalog(server, url);
  await server.dropDatabase(url);
  it("can be distributed", () => {
    assert.ok(catalog.uniqueKeys.length > 10);
    assert.ok(catalog.foreignKeys.length > 0);
    assert.deepEqual(findSchemaViolations(catalog, onShards), []);
  });

  it("is distributed as the guide says", () => {
    const guide = readFileSync(new URL("../../docs/guides/citus.md", folder), "utf8");
    const rows = guide.matchAll(/^\| (.+) \| distributed by `(\w+)`/gm);
    const described = [...rows].flatMap(([, names = "", column]) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name, column]),
    );
    assert.deepEqual(Object.fromEntries(described), onShards);
  });
});

describe("the statements on Citus", () => {
  const statements = readStatements();

  it("contain nothing that Citus is known to reject", () => {
    assert.ok(statements.length > 60, `${statements.length} statements were found`);
    const faults = statements
      .filter(({ name }) => !neverOnCitus.has(name))
      .flatMap(({ name, sql }) =>
        findStatementViolations(sql, tables).map((fault) => `${name}: ${fault}`),
      );
    assert.deepEqual(faults, []);
  });

  it("include those that every engine shares, as PostgreSQL gets them", () => {
    const shared = statements.filter(({ name }) => name.startsWith("sql/"));
    assert.ok(shared.length > 20, `${shared.length} shared statements were found`);
    const lock = shared.find(({ name }) => name === "sql/trail/audit.ts lockHead");
    assert.match(lock?.sql ?? "", /^ *FOR UPDATE$/m);
    assert.deepEqual(
      shared.filter(({ sql }) => /--(?:sqlite|postgres)/.test(sql)),
      [],
    );
  });

  it("include all that are listed as never running on it", () => {
    const names = new Set(statements.map(({ name }) => name));
    assert.deepEqual(
      [...neverOnCitus].filter((name) => !names.has(name)),
      [],
    );
  });

  const refused: Readonly<Record<string, string>> = {
    "locks rows of several shards":
      "SELECT 1 FROM record JOIN named USING (resource_id) FOR UPDATE",
    "changes the distribution column":
      "UPDATE change SET payload = $1, resource_id = $2 WHERE change_no = $3",
    "a conflict target without the distribution column":
      "INSERT INTO record (resource_id) VALUES ($1) ON CONFLICT (organization_id) DO NOTHING",
    "a row without the distribution column": "INSERT INTO relation (from_id, kind) VALUES (1, 2)",
    "a system column": "SELECT xmin FROM record",
    "a statement that changes rows within another":
      "WITH new AS (INSERT INTO record (resource_id) VALUES (1) RETURNING 1) SELECT * FROM new JOIN record ON true",
    "joins shards with a table of the coordinator":
      "SELECT 1 FROM deletion_target LEFT JOIN deletion USING (deletion_request_id)",
    "copies rows into shards": "INSERT INTO change (resource_id, payload) SELECT $1, $2",
    "a subquery for each row of a list":
      "SELECT id FROM unnest($1::text[]) AS named (id) WHERE EXISTS (SELECT 1 FROM change WHERE organization_id = id)",
    "queries all shards for rows on a few":
      "SELECT 1 FROM unnest($1::text[]) AS named (resource_id) JOIN record USING (resource_id)",
  };
  it("would be reported where a column is a subquery for each row of a list", () => {
    const sql =
      "SELECT named.value AS name, (SELECT count(*) FROM (SELECT 1 FROM record WHERE organization_id = $1 AND resource_type = named.value LIMIT 1) AS found) AS records FROM unnest($2::text[]) AS named (value)";
    const [violation = ""] = findStatementViolations(sql, tables);
    assert.match(violation, /^a subquery for each row of a list/);
  });

  for (const [fault, sql] of Object.entries(refused)) {
    it(`would be reported where one is ${fault}`, () => {
      assert.deepEqual(findStatementViolations(sql, tables), [`${fault}: ${sql}`]);
    });
  }
});

describe("a transaction on Citus", () => {
  const scope = { organizations: ["acme"] };
  const begin = (distributed: boolean) =>
    beginStatements(scope, { settings: defaultConnections, distributed });

  it("tells the workers whose rows it sees and how long it waits for locks, each in a message", () => {
    assert.deepEqual(begin(true).slice(1), [
      "SET LOCAL sluice.organizations = 'acme'",
      "SET LOCAL sluice.view = ''",
      "SET LOCAL lock_timeout = '10000'",
    ]);
    assert.match(begin(true)[0] ?? "", /'citus.propagate_set_commands', 'local'/);
    assert.equal(begin(false).length, 1);
  });

  it("has one connection to a worker, and plans with the actual values", () => {
    assert.match(begin(true)[0] ?? "", /'citus.max_adaptive_executor_pool_size', '1'/);
    assert.match(begin(true)[0] ?? "", /'citus.enable_deadlock_prevention', 'off'/);
    assert.doesNotMatch(begin(true).join(), /force_generic_plan/);
    assert.match(begin(false).join(), /force_generic_plan/);
  });

  it("can use any number of connections to scan everything", () => {
    const look = beginStatements(
      { view: "all", unlimitedTime: true },
      { settings: defaultConnections, distributed: true },
    );
    assert.doesNotMatch(look.join(), /pool_size/);
  });

  it("inserts rows one by one, a bounded number in a statement", () => {
    const insertion = {
      into: "INSERT INTO t (a, b) VALUES",
      row: "(?, nextval('n'), ?)",
      end: "END",
    };
    assert.deepEqual(
      makeInsertion(insertion, [
        ["x", "y"],
        [1, 2],
      ]),
      [
        {
          text: "INSERT INTO t (a, b) VALUES ($1, nextval('n'), $2), ($3, nextval('n'), $4) END",
          values: ["x", 1, "y", 2],
        },
      ],
    );
    const many = Array.from({ length: 1_201 }, (_, index) => index);
    const statements = makeInsertion(insertion, [many, many]);
    assert.deepEqual(
      statements.map(({ values }) => values?.length),
      [1_000, 1_000, 402],
    );
    assert.deepEqual(
      statements.flatMap(({ values = [] }) => values as number[]),
      many.flatMap((number) => [number, number]),
    );
  });
});
describe("row-level security on Citus", () => {
  const citus = rowSecurity(storeParts, { citus: true }).join("");
  const others = rowSecurity(storeParts, { citus: false }).join("");

  it("has policies without a query of their own, which Citus rejects or fails on", () => {
    assert.doesNotMatch(citus, /\bSELECT\b/);
    assert.match(others, /\bSELECT\b/);
  });

  it("applies to owners too where no shard has to be moved", () => {
    for (const table of securedTables(storeParts)) {
      const force = table in onShards ? "NO FORCE" : "FORCE";
      assert.ok(citus.includes(`ALTER TABLE ${table} ${force} ROW LEVEL SECURITY`), table);
      assert.ok(others.includes(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`), table);
    }
  });
});
