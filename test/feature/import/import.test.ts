// From files to records, with the command line and a real store: what is mapped, refused, and
// skipped as existing, and that an export can be imported to the same state.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { type CommandLine, makeCommandLine } from "../../cli/command-line.ts";

const mapping =
  "tx_id=~tx-{id},type==DEPOSIT,method==WIRE,amount=value,currency==EUR,status==SETTLED," +
  "sender_id=from,sender_country==DE,timestamp=day@days:2026-01-01";

async function makeLine(): Promise<CommandLine> {
  const line = makeCommandLine();
  await line.ask("organization create --name Acme --id acme");
  return line;
}

/** Arguments that contain spaces or commas are passed unchanged; options before them. */
function importing(file: string): readonly string[] {
  return ["import", file, "--type", "transaction", "--organization", "acme", "--map", mapping];
}

function writeRows(line: CommandLine, name: string, rows: readonly string[]): string {
  const file = join(line.folder, name);
  const text = `id,from,value,day\n${rows.join("\n")}\n`;
  writeFileSync(file, name.endsWith(".gz") ? gzipSync(text) : text);
  return file;
}

interface FileReport {
  readonly rows: number;
  readonly written: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly refused_file?: string;
}

function reportOf(out: string): FileReport {
  const { files } = JSON.parse(out) as { files: readonly FileReport[] };
  const [report] = files;
  assert.ok(report !== undefined);
  return report;
}

const rows = Array.from(
  { length: 2_500 },
  (_, index) => `${index},person-${index % 7},${index}.25,${index % 30}`,
);

describe("an import", () => {
  it("maps columns, constants, templates and days to records, also from a compressed file", async () => {
    const line = await makeLine();
    const { code, out } = await line.type(
      ...importing(writeRows(line, "rows.csv.gz", rows)),
      "--json",
    );
    assert.equal(code, 0);
    const { rows: read, written, refused } = reportOf(out);
    assert.deepEqual({ read, written, refused }, { read: 2_500, written: 2_500, refused: 0 });
    const shown = await line.ask("record show transaction tx-31 --organization acme");
    assert.deepEqual(shown["state"], {
      tx_id: "tx-31",
      type: "DEPOSIT",
      method: "WIRE",
      amount: 31.25,
      currency: "EUR",
      status: "SETTLED",
      is_test: false,
      sender_id: "person-3",
      sender_country: "DE",
      timestamp: "2026-01-02T00:00:00Z",
    });
  });

  it("divides rows into lists that the store accepts, however many references they have", async () => {
    const line = await makeLine();
    const related = Array.from({ length: 210 }, (_, index) => `tx-${index}`);
    const check = { status: "PENDING", type: "INLINE_MONITORING", related_tx_ids: related };
    const checks = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({ ...check, check_id: `c-${index}`, timestamp: "2026-01-01T00:00:00Z" }),
    );
    const file = join(line.folder, "checks.ndjson");
    writeFileSync(file, checks.join("\n"));
    const words = ["import", file, "--type", "transaction_check", "--organization", "acme"];
    const { out, err } = await line.type(...words, "--json");
    assert.equal(err, "");
    assert.equal(reportOf(out).written, 300);
  });

  it("takes times of before 1980 where TIMESTAMP_MIN says so, also in a check", async () => {
    const line = makeCommandLine({ environment: { TIMESTAMP_MIN: "1950-01-01" } });
    await line.ask("organization create --name Acme --id acme");
    const file = join(line.folder, "persons.ndjson");
    const times = ["1949-12-31T00:00:00Z", "1950-01-01T00:00:00Z"];
    const person = { is_test_user: false, is_retail_customer: true };
    const lines = times.map((timestamp, no) =>
      JSON.stringify({ ...person, person_id: `p${no}`, timestamp }),
    );
    writeFileSync(file, lines.join("\n"));
    const words = ["import", file, "--type", "person", "--organization", "acme", "--json"];
    for (const more of [["--check"], []]) {
      const { out } = await line.type(...words, ...more);
      assert.equal(reportOf(out).refused, 1, more.join());
    }
  });
});
