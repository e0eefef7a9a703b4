// How statements that every engine shares are run: synchronously and asynchronously, repeatedly,
// and when one fails.

import assert from "node:assert/strict";
import { constants, DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { runAsync, runSync } from "../../../../src/store/sql/statement/run.ts";
import { findKey } from "../../../../src/store/sql/access/api-key.ts";
import {
  all,
  get,
  type Request,
  Rows,
  run,
  runTogether,
  type Statement,
  type Statements,
  textFor,
} from "../../../../src/store/sql/statement/statements.ts";
import { sqliteText, toSqlite } from "../../../../src/store/sqlite/statement-text.ts";

function* inner(name: string): Statements<number> {
  return yield* run(name, 1);
}

function* outer(): Statements<string> {
  const first = yield* get<string>("first", "a");
  const count = yield* inner("second");
  yield* runTogether([
    ["third", 1],
    ["fourth", 2],
  ]);
  const rows = yield* all<string>("fifth");
  return `${first} ${count} ${rows.length}`;
}

function describeStatement({ sql, values }: Statement): string {
  return `${sql}(${values.map(String).join()})`;
}

/** Answers, and records the statements. */
function makeAnswers() {
  const asked: string[] = [];
  const answer = (statement: Request): unknown => {
    if (!("sql" in statement || "statements" in statement)) return false;
    if (statement.method === "together") {
      asked.push(statement.statements.map(describeStatement).join("+"));
      return [];
    }
    asked.push(`${statement.method} ${describeStatement(statement)}`);
    return { get: "row", all: ["one", "two"], lists: [["one"]], run: 7 }[statement.method];
  };
  return { asked, answer };
}

const inOrder = [
  "get first(a)",
  "run second(1)",
  "third(1)+fourth(2)",
  "all fifth()",
] as readonly string[];

describe("statements", () => {
  it("are run in order, and get the answers back", () => {
    const { asked, answer } = makeAnswers();
    assert.equal(runSync(outer(), answer), "row 7 2");
    assert.deepEqual(asked, inOrder);
  });

  it("are run the same way where each answer is awaited", async () => {
    const { asked, answer } = makeAnswers();
    const later = async (statement: Request) => answer(statement);
    assert.equal(await runAsync(outer(), later), "row 7 2");
    assert.deepEqual(asked, inOrder);
  });

  it("are sent synchronously up to the first answer", () => {
    const { asked, answer } = makeAnswers();
    void runAsync(outer(), async (statement) => answer(statement));
    assert.deepEqual(asked, inOrder.slice(0, 1));
  });

  const failure = new Error("the disk is full");
  const fail = (): never => {
    throw failure;
  };

  it("fail where they are yielded, and nothing after them is run", async () => {
    function* caught(): Statements<string> {
      try {
        yield* inner("first");
      } catch (error) {
        assert.equal(error, failure);
        return "caught";
      }
      return "continued";
    }
    assert.equal(runSync(caught(), fail), "caught");
    assert.equal(await runAsync(caught(), async () => fail()), "caught");
    assert.throws(() => runSync(outer(), fail), failure);
    await assert.rejects(
      runAsync(outer(), async () => fail()),
      failure,
    );
  });

  it("name their function when they fail", () => {
    const error = new Error("no such table");
    assert.throws(
      () =>
        runSync(findKey("key_1"), () => {
          throw error;
        }),
      error,
    );
    assert.match(error.stack ?? "", /running\n.*findKey.*api-key\./s);
  });
});

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

describe("the text of a statement", () => {
  const sql = `
    SELECT id FROM one
    --sqlite WHERE id IN (SELECT value FROM json_each($1))
    --postgres WHERE id = ANY ($1::text[])
    --citus AND shard = 1
    ORDER BY id`;

  it("has the lines of its engine and no other's", () => {
    assert.deepEqual(linesOf(textFor("sqlite", sql)), [
      "SELECT id FROM one",
      "WHERE id IN (SELECT value FROM json_each($1))",
      "ORDER BY id",
    ]);
    assert.deepEqual(linesOf(textFor("postgres", sql)), [
      "SELECT id FROM one",
      "WHERE id = ANY ($1::text[])",
      "--citus AND shard = 1",
      "ORDER BY id",
    ]);
  });

  it("has unnumbered parameters on SQLite, unless a value is used twice or out of order", () => {
    assert.equal(sqliteText("VALUES ($1, $2)").text, "VALUES (?, ?)");
    assert.equal(sqliteText("a = $1 OR b = $1").text, "a = ?1 OR b = ?1");
    assert.equal(sqliteText("a = $2 OR b = $1").text, "a = ?2 OR b = ?1");
  });

  it("is planned once on SQLite, also if a value is the limit", () => {
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE one (id INTEGER PRIMARY KEY) STRICT");
    const statement = database.prepare(sqliteText("SELECT id FROM one LIMIT $1").text);
    let planned = 0;
    database.setAuthorizer(() => {
      planned += 1;
      return constants.SQLITE_OK;
    });
    statement.all(1);
    const once = planned;
    assert.notEqual(once, 0);
    for (const limit of [1, 2]) statement.all(limit);
    assert.equal(planned, once);
    database.close();
  });

  it("has rows as one list on SQLite, and only as many values as it uses", () => {
    const rows = new Rows(
      [
        ["a", 1],
        ["b", null],
      ],
      2,
    );
    assert.deepEqual(toSqlite([rows, "x", "unused"], 3), ['[["a",1],["b",null]]', null, "x"]);
    assert.deepEqual(rows.columns, [
      ["a", "b"],
      [1, null],
    ]);
    assert.equal(sqliteText("a IN (SELECT value FROM json_each($1)) AND b = $3").places, 3);
  });

  it("has values that SQLite supports: numbers for booleans, JSON for lists", () => {
    const bytes = new Uint8Array([1]);
    assert.deepEqual(toSqlite([true, false, null, 2, "x", bytes, ["a", 'b"']], 7), [
      1,
      0,
      null,
      2,
      "x",
      bytes,
      '["a","b\\""]',
    ]);
  });
});
