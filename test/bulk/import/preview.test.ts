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

  it("needs no store, no server and no key, and leaves nothing behind", async () => {
    const line = makeCommandLine();
    const words = [...previewing(line, rows), "--url", "http://127.0.0.1:1"];
    assert.equal((await preview(line, words)).rows.length, 5);
    await line.ask(...previewing(line, rows));
    assert.deepEqual(readdirSync(line.folder), ["rows.csv"]);
  });
});
