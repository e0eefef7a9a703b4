// From files to records, with the command line and a real store: what is mapped, refused, and
// skipped as existing, and that an export can be imported to the same state.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { type CommandLine, makeCommandLine } from "../../cli/command-line.ts";
import { startServer } from "../../support/server.ts";

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

async function exportOf(line: CommandLine): Promise<readonly string[]> {
  const { code, out } = await line.type("export transaction --organization acme");
  assert.equal(code, 0);
  return out.trimEnd().split("\n").sort();
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

  it("writes nothing when the same rows are imported again", async () => {
    const line = await makeLine();
    await line.type(...importing(writeRows(line, "rows.csv", rows)));
    const again = await line.type(...importing(writeRows(line, "again.csv", rows)), "--json");
    const { written, unchanged } = reportOf(again.out);
    assert.deepEqual({ written, unchanged }, { written: 0, unchanged: 2_500 });
  });

  it("writes refused rows with their reasons to a file, to be corrected and imported", async () => {
    const line = await makeLine();
    const file = writeRows(line, "rows.csv", ["1,a,1.5,0", "2,b,much,0", "3,c,2.5,1"]);
    const { code, out } = await line.type(...importing(file), "--json");
    assert.equal(code, 1);
    const { written, refused, refused_file } = reportOf(out);
    assert.deepEqual({ written, refused }, { written: 2, refused: 1 });
    const text = readFileSync(refused_file ?? "", "utf8");
    assert.match(
      text,
      /^sluice_row,sluice_code,sluice_reason,id,from,value,day\n2,.*amount must be/,
    );
    const corrected = join(line.folder, "corrected.csv");
    writeFileSync(corrected, text.replaceAll("much", "9.5"));
    assert.equal(reportOf((await line.type(...importing(corrected), "--json")).out).written, 1);
    assert.equal((await exportOf(line)).length, 3);
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

  it("uses HTTP with a key from the environment, and stores what was sent", async () => {
    const line = await makeLine();
    const { api_key: key } = await line.ask("key create --organization acme");
    const file = writeRows(line, "rows.csv", rows);
    const server = await startServer({ folder: line.folder });
    try {
      const remote = makeCommandLine({ environment: { SLUICE_API_KEY: String(key) } });
      const sent = await remote.type(...importing(file), "--url", server.address, "--json");
      assert.equal(sent.err, "");
      assert.equal(reportOf(sent.out).written, 2_500);
    } finally {
      await server.stop();
    }
    assert.equal((await exportOf(line)).length, 2_500);
  });
});

describe("an export", () => {
  it("is imported to the same state in another store", async () => {
    const [line, other] = [await makeLine(), await makeLine()];
    await line.type(...importing(writeRows(line, "rows.csv", rows)));
    const exported = await exportOf(line);
    const file = join(other.folder, "export.ndjson");
    writeFileSync(file, exported.join("\n"));
    const { code } = await other.type(`import ${file} --type transaction --organization acme`);
    assert.equal(code, 0);
    assert.deepEqual(await exportOf(other), exported);
  });
});
