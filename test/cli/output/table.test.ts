// Tables and lists in human-readable output.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTime, renderFields, renderTable } from "../../../src/cli/output/table.ts";

describe("tables", () => {
  it("align text to the left and numbers to the right, without trailing spaces", () => {
    const table = renderTable<[string, number]>(
      [
        ["name", ([name]) => name],
        ["count", ([, count]) => String(count), { right: true }],
        ["", () => ""],
      ],
      [
        ["a", 5],
        ["longer", 123_456],
      ],
    );
    assert.equal(table, ["name     count", "a            5", "longer  123456"].join("\n"));
  });

  it("prevent outside text from moving the cursor or forging a line", () => {
    const table = renderTable([["name", (name: string) => name]], ["a\u001b[2Jb\nc"]);
    assert.equal(table, "name\na\uFFFD[2Jb\uFFFDc");
    assert.equal(renderFields([["name", "a\rb"]]), "name  a\uFFFDb");
  });

  it("show times in UTC, and a dash for missing ones", () => {
    assert.equal(formatTime(0), "1970-01-01T00:00:00.000Z");
    assert.equal(formatTime(undefined), "-");
  });
});
