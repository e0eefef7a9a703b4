// A check of an import: the first rows as the records that they would become, what is wrong with all of them, and
// nothing sent or left behind.

import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type CommandLine, makeCommandLine } from "../../cli/command-line.ts";

const head = "id,from,value,day,remark";
const mapping =
  "tx_id=~tx-{id},type==DEPOSIT,method==WIRE,amount=value,currency==EUR,status==SETTLED," +
  "sender_id=from,sender_country==DE,timestamp=day@days:2026-01-01";

function checking(line: CommandLine, rows: readonly string[]): readonly string[] {
  const file = join(line.folder, "rows.csv");
  writeFileSync(file, `${head}\n${rows.join("\n")}\n`);
  const words = ["import", file, "--type", "transaction", "--organization", "acme"];
  return [...words, "--map", mapping, "--check"];
}

const rows = Array.from({ length: 9 }, (_, index) => `${index},person-1,${index}.5,0,hello`);

interface Check {
  readonly unused: readonly string[];
  readonly shown: readonly {
    readonly row: number;
    readonly records: readonly Record<string, unknown>[];
    readonly errors: readonly { readonly field: string }[];
  }[];
  readonly rows: number;
  readonly refused: number;
  readonly faults: readonly {
    readonly error: string;
    readonly rows: number;
    readonly first: readonly number[];
  }[];
}

async function check(line: CommandLine, words: readonly string[]) {
  const { code, out } = await line.type(...words, "--json");
  const { files } = JSON.parse(out) as { readonly files: readonly Check[] };
  const [first] = files;
  assert.ok(first !== undefined);
  return { code, ...first };
}

describe("a check of an import", () => {
  it("shows the first five rows as records, and which columns are not used", async () => {
    const line = makeCommandLine();
    const { code, shown, unused } = await check(line, checking(line, rows));
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
    const { shown } = await check(line, [...checking(line, rows), "--rows", "2"]);
    assert.equal(shown.length, 2);
  });

  it("reports what would be refused, and why, and continues after it", async () => {
    const line = makeCommandLine();
    const given = ["1,a,much,0,", "2,,1.5,0,", "3,c,1.5,0,"];
    const { shown } = await check(line, checking(line, given));
    assert.deepEqual(
      shown.map(({ errors }) => errors.map(({ field }) => field)),
      [["amount"], ["sender_id"], []],
    );
    const { code, out } = await line.type(...checking(line, given));
    assert.equal(code, 3);
    assert.match(out, /^Row 1\n {2}! amount must be/);
    assert.match(out, /Columns that are not imported: remark/);
    assert.match(out, /3 rows read, 2 fail validation\. Nothing was sent\.\n {2}1 × amount must/);
  });

  it("says that there are no rows, as the import does", async () => {
    const line = makeCommandLine();
    const words = checking(line, []);
    assert.match((await line.type(...words)).out, /rows\.csv has no rows/);
  });

  it("counts the errors of all rows by kind, and the lines that are no rows", async () => {
    const line = makeCommandLine();
    const given = [...rows, "10,a,much,0,", "11,b,more,0,", "12,,1.5,0,", "13,c,1.5", ",,", "# a"];
    const words = [...checking(line, given), "--comment", "#", "--rows", "0"];
    const found = await check(line, words);
    assert.deepEqual([found.code, found.rows, found.refused, found.shown], [3, 13, 4, []]);
    assert.match((await line.type(...words)).out, /after the last row: 2\.\n.*13 rows read/);
    assert.deepEqual(found.faults, [
      { error: 'amount must be a number, such as 1250.5, not "…"', rows: 2, first: [10, 11] },
      {
        error: "sender_id is required unless receiver_id is sent: send at least one of them",
        rows: 1,
        first: [12],
      },
      {
        error:
          "has 3 cells, in line … of the file, but the first line has 5; a quote or a comma may be missing",
        rows: 1,
        first: [13],
      },
    ]);
  });

  it("needs no store, no server and no key, and leaves nothing behind", async () => {
    const line = makeCommandLine();
    const words = [...checking(line, rows), "--url", "http://127.0.0.1:1"];
    assert.equal((await check(line, words)).shown.length, 5);
    await line.ask(...checking(line, rows));
    assert.deepEqual(readdirSync(line.folder), ["rows.csv"]);
  });
});
