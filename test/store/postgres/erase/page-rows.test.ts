// The content of table and index pages, compared with what the server itself reports.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { pageBytes } from "../../../../src/store/postgres/erase/heap-page.ts";
import {
  type ColumnLayout,
  type PageKind,
  readRows,
} from "../../../../src/store/postgres/erase/page-rows.ts";
import { storedForm } from "../../../../src/store/postgres/erase/page-rows.ts";
import { usePostgres } from "../../../support/postgres/postgres-server.ts";

const rows = 400;

/**
 * Alternating values of fixed and of variable length, some NULL, texts from empty to many bytes and
 * letters.
 */
const scene = `
  CREATE TABLE scene (
    flag boolean, a text COLLATE "C", number bigint, b text COLLATE "C", small smallint,
    c text COLLATE "C", at int, payload text
  );
  INSERT INTO scene
  SELECT n % 2 = 0,
    'ä' || nullif(left(concat(md5(n::text), md5('a' || n), md5('b' || n), md5('c' || n), md5('d' || n)), n % 150), ''),
    nullif(n, 7), 'b' || n % 10, n,
    CASE WHEN n % 5 > 0 THEN 'c-' || n END, CASE WHEN n % 3 > 0 THEN n END,
    (SELECT string_agg(md5((n * k)::text), '') FROM generate_series(1, n % 100) AS k)
  FROM generate_series(1, ${rows}) AS n;
  CREATE INDEX scene_ab ON scene (b, small, c);
  CREATE INDEX scene_b ON scene (b);
  CREATE INDEX scene_c ON scene (c, at);
  DELETE FROM scene WHERE small % 4 = 0;
  CHECKPOINT`;

const server = await usePostgres({ settings: { autovacuum: "off" } });

/** Before rows were deleted. */
async function ask(columns: string): Promise<readonly string[]> {
  const found = (await server.query(`SELECT ${columns} FROM scene`)) as readonly Texts[];
  return found.map((row) => describeRow(new Map(Object.entries(row)), columns.split(", "))).sort();
}

async function readTexts(
  relation: string,
  { kind, names }: { readonly kind: PageKind; readonly names: readonly string[] },
): Promise<readonly string[]> {
  const columns = (await server.query(
    `SELECT attname AS name, attlen::int AS length,
       CASE attalign WHEN 'd' THEN 8 WHEN 'i' THEN 4 WHEN 's' THEN 2 ELSE 1 END AS align
     FROM pg_attribute WHERE attrelid = '${relation}'::regclass AND attnum > 0 ORDER BY attnum`,
  )) as unknown as readonly ColumnLayout[];
  const [file] = await server.query(
    `SELECT pg_read_binary_file(pg_relation_filepath('${relation}')) AS bytes`,
  );
  const bytes = file?.["bytes"] as Buffer;
  const found: string[] = [];
  for (let at = 0; at + pageBytes <= bytes.length; at += pageBytes) {
    for (const row of readRows(bytes.subarray(at, at + pageBytes), kind, columns)) {
      found.push(describeRow(row, names));
    }
  }
  return found.sort();
}

describe("the rows in a page", () => {
  let expected: readonly string[];
  before(async () => {
    const [create = "", insert = "", ...others] = scene.split(";");
    for (const sql of [create, insert]) await server.query(sql);
    expected = await ask("a, b, c");
    for (const sql of others) await server.query(sql);
  });

  it("are all found in a table, including deleted ones, with every text complete", async () => {
    const names = ["a", "b", "c"];
    assert.deepEqual(await readTexts("scene", { kind: "heap", names }), expected);
    assert.equal(expected.length, rows);
  });

  it("are all found in an index of several columns, and nothing that is in no row", async () => {
    const names = ["b", "c"];
    const found = await readTexts("scene_ab", { kind: "index", names });
    const real = new Set(expected.map((text) => text.split(" | ").slice(1).join(" | ")));
    for (const text of real) assert.ok(found.includes(text), text);
    // The upper ends of pages may have only the first columns.
    for (const text of found) assert.ok(real.has(text) || text.endsWith(" | NULL"), text);
  });

  it("are found where equal ones share an entry, and where the first column is NULL", async () => {
    const shared = new Set(await readTexts("scene_b", { kind: "index", names: ["b"] }));
    assert.deepEqual([...shared].filter((text) => text !== "NULL").sort(), tenOf("b"));
    const found = new Set(await readTexts("scene_c", { kind: "index", names: ["c"] }));
    const real = new Set(expected.map((text) => text.split(" | ")[2] ?? ""));
    assert.deepEqual([...found].sort(), [...real].sort());
  });

  it("are empty for a page that was never used, or is invalid", () => {
    const columns = [{ name: "a", length: -1, align: 4 }];
    for (const fill of [0, 0xff, 0x7f, 0x10]) {
      const page = Buffer.alloc(pageBytes, fill);
      for (const kind of ["heap", "index"] as const) {
        for (const row of readRows(page, kind, columns)) assert.equal(row.size <= 1, true);
      }
    }
  });

  it("contain a text in the form that is searched for in unused bytes", async () => {
    const [file] = await server.query(
      `SELECT pg_read_binary_file(pg_relation_filepath('scene')) AS bytes`,
    );
    const bytes = file?.["bytes"] as Buffer;
    assert.ok(bytes.includes(storedForm("c-117")));
    assert.ok(!bytes.includes(storedForm("c-11x")) && !bytes.includes(storedForm("c-1170")));
    const [long] = await server.query("SELECT a FROM scene WHERE length(a) > 140 LIMIT 1");
    assert.ok(bytes.includes(storedForm(String(long?.["a"]))));
    assert.ok(!bytes.includes(storedForm(String(long?.["a"]).slice(0, -1))));
  });

  it("have no text for a value that is compressed or stored out of line, or for those after it", async () => {
    await server.query(
      `CREATE TABLE long_values (a text COLLATE "C", b text COLLATE "C", c text COLLATE "C");
       ALTER TABLE long_values ALTER COLUMN b SET STORAGE EXTERNAL;
       INSERT INTO long_values VALUES (repeat('x', 5000), repeat('y', 5000), 'after');`,
    );
    await server.query("CHECKPOINT");
    const found = await readTexts("long_values", { kind: "heap", names: ["a", "b", "c"] });
    assert.deepEqual(found, ["NULL | NULL | after"]);
  });
});

type Texts = Readonly<Record<string, string | null>>;

function describeRow(
  row: ReadonlyMap<string, string | null | undefined>,
  names: readonly string[],
): string {
  return names.map((name) => row.get(name) ?? "NULL").join(" | ");
}

function tenOf(prefix: string): readonly string[] {
  return Array.from({ length: 10 }, (_, index) => `${prefix}${index}`);
}
