// Parquet read a part at a time: row groups of any size, in order, and an import that resumes in
// the middle of one.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { importFile } from "../../../src/feature/import/import-file.ts";
import { openAnyRows } from "../../../src/feature/import/rows/parquet-rows.ts";
import type { Target } from "../../../src/feature/import/chunk.ts";
import { rowsOf } from "../../../src/feature/csv/row.ts";
import { openText } from "../../../src/feature/csv/text-input.ts";
import { typeNamed } from "../../conformance/scene.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { column, writeParquet } from "./parquet-file.ts";

const type = typeNamed("transaction");

function write(rows: number, groupRows: number): Promise<string> {
  const folder = makeTempFolder();
  const numbers = Array.from({ length: rows }, (_, index) => index + 1);
  const columns = [
    column("tx_id", { type: "BYTE_ARRAY", converted_type: "UTF8" }, numbers.map(String)),
    column("amount", { type: "INT32" }, numbers),
  ];
  return writeParquet(join(folder, "rows.parquet"), columns, { groupRows });
}

describe("a Parquet file", () => {
  for (const [what, rows, groupRows] of [
    ["of small row groups", 1_000, 64],
    ["of one row group that is larger than is read at once", 100_009, 1e6],
  ] as const) {
    it(`${what} returns each row once, in order, and counts its bytes to the end`, async () => {
      const input = openText(await write(rows, groupRows));
      const opened = await openAnyRows(input, { type, format: undefined, layout: {} });
      let count = 0;
      let bytesBefore = 0;
      for await (const row of rowsOf(opened)) {
        count += 1;
        assert.ok("fields" in row);
        const { tx_id: id, amount } = row.fields;
        if (row.number !== count || id !== String(count) || amount !== count) {
          assert.fail(`row ${count} is ${JSON.stringify(row)}`);
        }
        assert.ok(input.bytesRead() >= bytesBefore && input.bytesRead() <= input.bytes);
        bytesBefore = input.bytesRead();
      }
      assert.equal(count, rows);
      assert.equal(input.bytesRead(), input.bytes);
    });
  }

  it("is imported from where it was stopped, in the middle of a row group", async () => {
    const file = await write(3_000, 700);
    const plan = {
      openRows: openAnyRows,
      timestampMin: "1980-01-01",
      type,
      organizationId: "acme",
      mapping: new Map(),
      update: false,
      format: undefined,
      layout: {},
      connections: 1,
      listRows: 250,
      file,
      refusedPath: `${file}.refused.ndjson`,
      statePath: `${file}.state`,
    };
    const sent: number[] = [];
    const stopping = new AbortController();
    const target: Target = {
      name: "a list",
      begin: () => {
        const ids: number[] = [];
        return {
          add: ({ tx_id: id }) => ids.push(Number(id)),
          send: () => {
            sent.push(...ids);
            if (sent.length >= 1_000) stopping.abort();
            return Promise.resolve(ids.map(() => ({ status: "created" })));
          },
        };
      },
    };
    const tools = { target, onStep: () => undefined };
    await assert.rejects(
      importFile(plan, { ...tools, stopping: stopping.signal }),
      /stopped after 1,000 rows/,
    );
    assert.equal(sent.length, 1_000);
    const unstopped = new AbortController().signal;
    const report = await importFile(plan, { ...tools, stopping: unstopped });
    const { rows, rowsBefore, written } = report;
    assert.deepEqual(
      { rows, rowsBefore, written },
      { rows: 3_000, rowsBefore: 1_000, written: 3_000 },
    );
    assert.deepEqual(
      sent,
      Array.from({ length: 3_000 }, (_, index) => index + 1),
    );
  });
});
