// Arrays reach the server as they were given: it returns their elements as text.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodeArray } from "../../../src/store/postgres/array-value.ts";
import { Database } from "../../../src/store/postgres/database.ts";
import { defaultConnections } from "../../../src/store/interface/connection-settings.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { storeParts as parts } from "../../../src/feature/parts.ts";

const server = await usePostgres();

// Each element twice, because one that repeats the one before it is written in another way.
const twice = <Item>(items: readonly Item[]) => items.flatMap((item) => [item, item]);
const texts = twice(["", "plain", `{"quoted":"\\\\ and , }"}`, "käse 試 😀\n", null, "plain"]);
const integers = twice([0, -1, 2 ** 47, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null]);
const bytes = twice([new Uint8Array(), new Uint8Array([0, 255, 92]), null]);

describe("an array", () => {
  for (const prepare of [true, false]) {
    it(`is read as it was given, ${prepare ? "with" : "without"} prepared statements`, async () => {
      const url = await server.makeDatabase();
      const database = new Database(url, { ...defaultConnections, prepare, parts });
      const [found] = await database.transaction({}, (tx) =>
        tx.all<{ t: unknown; b: unknown; y: unknown; none: number }>(
          `SELECT to_json($1::text[]) AS t, to_json($2::bigint[]) AS b,
             to_json(ARRAY(SELECT encode(one, 'hex') FROM unnest($3::bytea[]) AS one)) AS y,
             cardinality($4::text[]) AS none`,
          texts,
          integers,
          bytes,
          [],
        ),
      );
      await database.close();
      await server.dropDatabase(url);
      assert.deepEqual(found, { t: texts, b: integers, y: twice(["", "00ff5c", null]), none: 0 });
    });
  }

  it("is left to the driver if its elements have another form", () => {
    assert.equal(encodeArray(["\\x00"], "bytea"), undefined);
    assert.equal(encodeArray([1.5], "bigint"), undefined);
    assert.equal(encodeArray(["a"], undefined), undefined);
    assert.equal(
      encodeArray([1, true], "text")?.subarray(20).toString("latin1"),
      "\0\0\0\x011\0\0\0\x04true",
    );
  });
});
