// Lists in JSON documents: found by a path of keys, and divided into items that arrive in pieces of text.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { rowsOf } from "../../../src/feature/csv/row.ts";
import { openText } from "../../../src/feature/csv/text-input.ts";
import { ListSplitter, openJson } from "../../../src/feature/import/rows/json-rows.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const folder = makeTempFolder();

async function read(text: string, list: string | undefined): Promise<readonly unknown[]> {
  const path = join(folder, "rows.json");
  writeFileSync(path, text);
  const rows = await Array.fromAsync(rowsOf(openJson(openText(path), list)));
  return rows.map((row) => ("fields" in row ? row.fields : row));
}

const lists: readonly (readonly [
  list: string | undefined,
  text: string,
  rows: readonly unknown[],
])[] = [
  [undefined, '[{"a":1}]', [{ a: 1 }]],
  [
    "data",
    '{"more":["data",{"data":[0]}],"data":[{"a":1},{"b":[2]}],"data":"x"',
    [{ a: 1 }, { b: [2] }],
  ],
  ["data.items", '{"items":[],"data":{"x":{"items":[3]},"items":[{"a":1}]}}', [{ a: 1 }]],
  ["b\\c", String.raw`{"a\"":{"b\\c":[7]},"b\\c":[{"a":1}]}`, [{ a: 1 }]],
];

describe("a JSON document that", () => {
  for (const [list, text, rows] of lists) {
    it(`has its list at ${list ?? "the top"} is read`, async () => {
      assert.deepEqual(await read(text, list), rows);
    });
  }

  for (const [list, text] of [
    ["data", '{"x":{"data":[{"a":1}]}}'],
    ["x.data", '{"x":[{"data":[{"a":1}]}]}'],
    ["x.data", '{"x":{},"data":[{"a":1}]}'],
    ["data", '[{"data":[{"a":1}]}]'],
  ] as const) {
    it(`has no list at ${list}, but ${text}, is refused`, async () => {
      await assert.rejects(read(text, list), /has no list /);
    });
  }
});

function nested(levels: number): string {
  return `[${'{"a":'.repeat(levels)}1${"}".repeat(levels)}]`;
}

describe("a row of JSON", () => {
  it("is refused if it is nested deeper than any record, with its changes", async () => {
    assert.equal("reason" in Object(await read(nested(18), undefined))[0], false);
    const [row] = await read(nested(400_000), undefined);
    assert.equal(Object(row).reason, "is nested deeper than 18 levels");
  });
});

/** In pieces of one character, so that every position is the end of one. */
function splitList(text: string) {
  const splitter = new ListSplitter();
  const items = text
    .split("")
    .flatMap((sign) => splitter.push(sign))
    .map((item) => item.trim());
  return { items, state: splitter.state };
}

describe("a list in pieces", () => {
  it("has its items, with what is nested or quoted in them", () => {
    const { items, state } = splitList(String.raw`[ {"a":"]}\",["}, [1,[2]], "x" ]`);
    assert.deepEqual(items, [String.raw`{"a":"]}\",["}`, "[1,[2]]", '"x"']);
    assert.equal(state, "ended");
    assert.deepEqual(splitList("[]"), { items: [], state: "ended" });
  });

  for (const text of ["[,1]", "[1,,2]", "[1}", "{}", "[1] 2"]) {
    it(`is broken: ${text}`, () => {
      assert.equal(splitList(text).state, "broken");
    });
  }
});
