// A preview of an import: the first rows as the records that they would become, and nothing sent or
// left behind.

import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type CommandLine, makeCommandLine } from "../../cli/command-line.ts";

const head = "id,from,value,day,remark";
const mapping =
  "tx_id=~tx-{id},type==DEPOSIT,method==WIRE,amount=value,currency==EUR,status==SETTLED," +
  "sender_id=from,sender_country==DE,timestamp=day@days:2026-01-01";

function previewing(line: CommandLine, rows: readonly string[]): readonly string[] {
  const file = join(line.folder, "rows.csv");
  writeFileSync(file, `${head}\n${rows.join("\n")}\n`);
  const words = ["import", file, "--type", "transaction", "--organization", "acme"];
  return [...words, "--map", mapping, "--dry-run"];
}

const rows = Array.from({ length: 9 }, (_, index) => `${index},person-1,${index}.5,0,hello`);

interface Check {
  readonly rows: number;
  readonly refused: number;
  readonly faults: readonly {
    readonly error: string;
    readonly rows: number;
    readonly first: readonly number[];
  }[];
}

interface Preview {
  readonly unused: readonly string[];
  readonly rows: readonly {
    readonly row: number;
    readonly records: readonly Record<string, unknown>[];
    readonly errors: readonly { readonly field: string }[];
  }[];
}

async function preview(line: CommandLine, words: readonly string[]): Promise<Preview> {
  const { files } = (await line.ask(...words)) as unknown as { files: readonly Preview[] };
  const [first] = files;
  assert.ok(first !== undefined);
  return first;
}

describe("a preview of an import", () => {
  it("shows the first five rows as records, and which columns are not used", async () => {
    const line = makeCommandLine();
    const shown = await preview(line, previewing(line, rows));
    assert.deepEqual(
      shown.rows.map(({ row }) => row),
      [1, 2, 3, 4, 5],
    );
    assert.deepEqual(shown.rows[1]?.records, [
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
    assert.deepEqual(shown.unused, ["remark"]);
  });

  it("shows the given number of rows", async () => {
    const line = makeCommandLine();
    const shown = await preview(line, [...previewing(line, rows), "--rows", "2"]);
    assert.equal(shown.rows.length, 2);
  });

  it("reports what would be refused, and why, and continues after it", async () => {
    const line = makeCommandLine();
    const given = ["1,a,much,0,", "2,,1.5,0,", "3,c,1.5,0,"];
    const shown = await preview(line, previewing(line, given));
    assert.deepEqual(
      shown.rows.map(({ errors }) => errors.map(({ field }) => field)),
      [["amount"], ["sender_id"], []],
    );
    const { code, out } = await line.type(...previewing(line, given));
    assert.equal(code, 0);
    assert.match(out, /^Row 1\n {2}! amount must be/);
    assert.match(out, /Columns that are not imported: remark/);
    assert.match(out, /3 rows read, 2 fail validation\. Nothing was sent\.\n$/);
  });

  it("checks all rows, counts the errors by kind, and exits like the import", async () => {
    const line = makeCommandLine();
    const given = [...rows, "10,a,much,0,", "11,b,more,0,", "12,,1.5,0,", "13,c,1.5"];
    const words = previewing(line, given).map((word) => (word === "--dry-run" ? "--check" : word));
    const { code, out } = await line.type(...words);
    assert.equal(code, 3);
    assert.match(out, /13 rows read, 4 fail validation\. Nothing was sent\.\n {2}2 × amount must/);
    const { out: json } = await line.type(...words, "--json");
    const { files } = JSON.parse(json) as { readonly files: readonly Check[] };
    assert.deepEqual([files[0]?.rows, files[0]?.refused], [13, 4]);
    assert.deepEqual(files[0]?.faults, [
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
    const fine = previewing(line, rows).map((word) => (word === "--dry-run" ? "--check" : word));
    assert.equal((await line.type(...fine)).code, 0);
  });

  it("needs no store, no server and no key, and leaves nothing behind", async () => {
    const line = makeCommandLine();
    const words = [...previewing(line, rows), "--url", "http://127.0.0.1:1"];
    assert.equal((await preview(line, words)).rows.length, 5);
    await line.ask(...previewing(line, rows));
    assert.deepEqual(readdirSync(line.folder), ["rows.csv"]);
  });
});
