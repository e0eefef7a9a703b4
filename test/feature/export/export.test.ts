// The command `sluice export`: what it writes, and where.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { ndjsonOf, withoutManifest } from "../../cli/command-line.ts";
import type { BulkProgress } from "../../../src/bulk/progress.ts";
import { runExport } from "../../../src/feature/export/export-to-file.ts";
import { fileSink } from "../../../src/bulk/export/sink.ts";
import { run } from "../../../src/cli/run.ts";
import { loadTable } from "../../../src/process/command-table.ts";
import type { Payload } from "../../../src/domain/record-type.ts";
import { typeNamed } from "../../conformance/scene.ts";
import { acme, formats, makeStore, submit, withApp } from "../../support/round-trip.ts";

const type = typeNamed("transaction");
const exporting = `export transaction --organization ${acme}`;

const at = (day: string) => ({ timestamp: `2026-${day}T12:00:00Z` });
const added: Readonly<Record<string, Payload>> = {
  january: at("01-15"),
  february: at("02-15"),
  moved: at("01-20"),
};
const updated: Readonly<Record<string, Payload>> = {
  moved: { ...at("03-01"), status: "FAILED" },
  february: { ...at("01-02"), amount_usd: 7 },
};

describe("an export", async () => {
  const line = await makeStore();
  await withApp(line, async (app) => {
    for (const [id, fields] of Object.entries(added)) {
      const payload = { ...type.example, ...fields, tx_id: id };
      await submit(app, type, [{ mode: "add", payload }]);
    }
    for (const [id, fields] of Object.entries(updated)) {
      await submit(app, type, [{ mode: "update", payload: { ...fields, tx_id: id } }]);
    }
  });
  await line.ask("organization create --name Other --id other");

  it("has the latest states in the order of ids", async () => {
    const { code, out } = await line.type(exporting);
    assert.equal(code, 0);
    const found = ndjsonOf(out);
    assert.deepEqual(
      found.map(({ tx_id: id }) => id),
      Object.keys(added).sort(),
    );
    const moved = found.find(({ tx_id: id }) => id === "moved");
    assert.equal(moved?.["status"], "FAILED");
  });

  it("has nothing of another organization, and fails for an unknown one", async () => {
    const { code, out } = await line.type("export transaction --organization other");
    assert.deepEqual([code, ndjsonOf(out)], [0, []]);
    const { name } = await line.fail("export transaction --organization nobody");
    assert.equal(name, "no_such_organization");
  });

  it("compresses by the name of the output, and reports its result in JSON", async () => {
    const plain = await line.type(exporting);
    const ways = { gz: gunzipSync, br: brotliDecompressSync, zst: zstdDecompressSync };
    for (const [ending, decompress] of Object.entries(ways)) {
      const output = join(line.folder, `out.ndjson.${ending}`);
      const { seconds, manifest, ...told } = await line.ask(exporting, "--output", output);
      assert.equal(typeof seconds, "number");
      assert.equal(typeof manifest, "object");
      assert.deepEqual(told, {
        resource_type: "transaction",
        organization_id: acme,
        output,
        format: "ndjson",
        history: false,
        rows: 3,
        with_changes: 0,
      });
      const text = decompress(readFileSync(output)).toString();
      assert.equal(withoutManifest(text), withoutManifest(plain.out));
      assert.equal(statSync(output).mode & 0o777, 0o600);
    }
    assert.deepEqual(
      readdirSync(line.folder).filter(
        (name) => name.includes("unfinished-") || name.endsWith(".unfinished"),
      ),
      [],
    );
  });

  it("has the same bytes on standard output as in a file, also as Parquet", async () => {
    const file = join(line.folder, "same.parquet");
    await line.ask(exporting, "--output", file);
    const main = join(import.meta.dirname, "../../../src/cli/main.ts");
    const { status, stdout } = spawnSync(
      process.execPath,
      [main, ...exporting.split(" "), "--format", "parquet"],
      { env: { ...process.env, ...line.environment } },
    );
    assert.equal(status, 0);
    assert.ok(statSync(file).size > 100);
    assert.ok(stdout.equals(readFileSync(file)));
  });

  it("protects cells of CSV that a spreadsheet would execute, if it is for one", async () => {
    const payload = { ...type.example, ...at("04-01"), tx_id: "=1+1" };
    await withApp(line, (app) => submit(app, type, [{ mode: "add", payload }]));
    const idIn = async (...words: readonly string[]) =>
      (await line.type(exporting, "--format", "csv", ...words)).out.split("\n")[1]?.split(",")[0];
    assert.deepEqual([await idIn(), await idIn("--spreadsheet")], ["=1+1", "'=1+1"]);
    const { message } = await line.fail(exporting, "--spreadsheet");
    assert.match(message, /--spreadsheet is for CSV/);
  });

  it("leaves nothing behind when it is stopped, and keeps an earlier file", async () => {
    for (const format of formats) {
      const path = join(line.folder, `stopped.${format}`);
      const silent: BulkProgress = { show: () => undefined, close: () => undefined };
      const plan = {
        organizationId: acme,
        type,
        format,
        history: false,
        spreadsheet: false,
      } as const;
      writeFileSync(path, "before");
      const unfinished = `${path}.unfinished`;
      const sink = fileSink(path, unfinished);
      const tools = { sink, progress: silent, stopping: AbortSignal.abort() };
      await withApp(line, (app) =>
        assert.rejects(runExport(app, plan, tools), /stopped before its end/),
      );
      assert.equal(readFileSync(path, "utf8"), "before");
      assert.equal(existsSync(unfinished), false);
    }
  });

  it("does not write Parquet to a terminal, nor compress it twice", async () => {
    const { message } = await line.fail(exporting, "--output", join(line.folder, "out.parquet.gz"));
    assert.match(message, /name the file .*out\.parquet, without the ending/);
    let err = "";
    const code = await run(loadTable, [...exporting.split(" "), "--format", "parquet"], {
      environment: line.environment,
      out: { isTTY: true, write: () => assert.fail("wrote to the terminal") },
      err: { write: (text) => (err += text) },
    });
    assert.equal(code, 2);
    assert.match(err, /name a file with --output/);
  });
});
