// A check of an import: the first rows as the records that they would become, what is wrong with all of them, and
// nothing sent or left behind.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { type CommandLine, makeCommandLine } from "../../cli/command-line.ts";
import { check, importing, mapping, put } from "./importing.ts";

const head = "id,from,value,day,remark";

function checking(line: CommandLine, rows: readonly string[]): readonly string[] {
  return importing(put(line, "rows.csv", [head, ...rows]), "transaction", "--map", mapping);
}

const rows = Array.from({ length: 9 }, (_, index) => `${index},person-1,${index}.5,0,hello`);

describe("a check of an import", () => {
  it("shows the first five rows as records, and which columns are not used", async () => {
    const line = makeCommandLine();
    const { code, shown, unused } = await check(line, ...checking(line, rows));
    assert.equal(code, 0);
    assert.deepEqual(
      shown.map(({ row }) => row),
      [1, 2, 3, 4, 5],
    );
    assert.deepEqual(shown[1]?.records, [
      {
        tx_id: "tx-1",
        type: "DEPOSIT",
        method: "WIRE",
        amount: 1.5,
        currency: "EUR",
        status: "SETTLED",
        sender_id: "person-1",
        sender_country: "DE",
        timestamp: "2026-01-01T00:00:00Z",
      },
    ]);
    assert.deepEqual(unused, ["remark"]);
  });

  it("shows the given number of rows", async () => {
    const line = makeCommandLine();
    const { shown } = await check(line, ...checking(line, rows), "--rows", "2");
    assert.equal(shown.length, 2);
  });

  it("reports what would be refused, and why, and continues after it", async () => {
    const line = makeCommandLine();
    const given = ["1,a,much,0,", "2,,1.5,0,", "3,c,1.5,0,"];
    const { shown } = await check(line, ...checking(line, given));
    assert.deepEqual(
      shown.map(({ errors }) => errors.map(({ field }) => field)),
      [["amount"], ["sender_id"], []],
    );
    const { code, out } = await line.type(...checking(line, given), "--check");
    assert.equal(code, 3);
    assert.match(out, /^Row 1, line 2\n {2}! amount must be/);
    assert.match(out, /Columns that are not imported: remark/);
    assert.match(out, /3 rows read, 2 fail validation\. Nothing was sent\.\n {2}1 × amount must/);
  });

  it("says that there are no rows, as the import does", async () => {
    const line = makeCommandLine();
    const words = checking(line, []);
    assert.match((await line.type(...words, "--check")).out, /rows\.csv has no rows/);
  });

  it("counts the errors of all rows by kind, and the lines that are no rows", async () => {
    const line = makeCommandLine();
    const given = [...rows, "10,a,much,0,", "11,b,more,0,", "12,,1.5,0,", "13,c,1.5", ",,", "# a"];
    const words = [...checking(line, given), "--comment", "#", "--rows", "0"];
    const found = await check(line, ...words);
    assert.deepEqual([found.code, found.rows, found.refused, found.shown], [3, 13, 4, []]);
    assert.match(
      (await line.type(...words, "--check")).out,
      /after the last row: 2\.\n.*13 rows read/,
    );
    assert.deepEqual(found.faults, [
      { error: 'amount must be a number, such as 1250.5, not "…"', rows: 2, first: [11, 12] },
      {
        error: "sender_id is required unless receiver_id is sent: send at least one of them",
        rows: 1,
        first: [13],
      },
      {
        error: "has 3 cells, but there are 5 columns; a quote or a delimiter may be missing",
        rows: 1,
        first: [14],
      },
    ]);
  });

  it("names the lines of the file, whatever is before and inside of rows", async () => {
    const line = makeCommandLine();
    const lines = ["bank", head, '1,a,1,0,"x', 'y"', "", "2,a,much,0,", "# z", '3,a,"4', ",,,,"];
    const file = put(line, "rows.csv", [...lines, "4,a,no,0,", ""].join("\r\n"));
    const layout = ["--skip", "1", "--comment", "#", "--map", mapping, "--rows", "0"];
    const words = importing(file, "transaction", "--check", ...layout);
    const { code, out } = await line.type(...words);
    assert.equal(code, 3);
    assert.match(out, /2 × amount must be a number, such as 1250.5, not "…" \(line 6, 10\)/);
    assert.match(out, /1 × has a quote that is not closed \(line 8\)/);
  });

  it("names the lines of NDJSON, and the rows of a JSON list", async () => {
    const line = makeCommandLine();
    for (const [name, content, place] of [
      ["rows.ndjson", '{"tx_id":"a"}\n\n1\n', "line 3"],
      ["rows.json", '[{"tx_id":"a"},\n\n1]', "row 2"],
    ] as const) {
      const words = importing(put(line, name, content), "transaction", "--check");
      assert.ok((await line.type(...words)).out.includes(`1 × is not an object (${place})`));
    }
  });

  it("needs no store, no server and no key, and leaves nothing behind", async () => {
    const line = makeCommandLine();
    const words = [...checking(line, rows), "--url", "http://127.0.0.1:1"];
    assert.equal((await check(line, ...words)).shown.length, 5);
    await line.ask(...checking(line, rows), "--check");
    assert.deepEqual(readdirSync(line.folder), ["rows.csv"]);
  });
});
