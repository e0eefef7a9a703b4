// Writing Parquet: a row group is written as soon as it is full, by rows or by bytes, and the parts
// form a complete file.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import type { ExportedState } from "../../../src/feature/export/export-states.ts";
import type { Sink } from "../../../src/bulk/export/sink.ts";
import { typeNamed } from "../../conformance/scene.ts";
import {
  parquetForm,
  parquetGroupBytes,
  parquetGroupRows as most,
  stateColumns,
} from "../../../src/feature/export/formats.ts";

const transaction = typeNamed("transaction");

/** `partsBefore`: how many parts were written before the item of that index was read. */
async function pour(items: Iterable<ExportedState>) {
  const written: Buffer[] = [];
  const sink: Sink = {
    write: async (part) => void written.push(Buffer.from(part as Uint8Array)),
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  };
  const form = parquetForm(stateColumns(transaction), sink);
  const partsBefore: number[] = [];
  for (const item of items) {
    partsBefore.push(written.length);
    await form.write([item]);
  }
  await form.end?.();
  const { buffer } = new Uint8Array(Buffer.concat(written));
  return { parts: written.map(({ length }) => length), partsBefore, file: buffer };
}

function groupsOf(file: ArrayBuffer): readonly number[] {
  return parquetMetadata(file).row_groups.map(({ num_rows: count }) => Number(count));
}

function* rows(count: number, fields: object = {}): Generator<ExportedState> {
  for (let index = 0; index < count; index += 1) {
    const state = { tx_id: `tx-${index}`, amount: index / 4, ...fields };
    yield { state, text: JSON.stringify(state), changes: undefined };
  }
}

describe("an export as Parquet", () => {
  it("hands a row group over as soon as it has its rows, and begins the next", async () => {
    const { file, partsBefore } = await pour(rows(2 * most + 7));
    assert.deepEqual(groupsOf(file), [most, most, 7]);
    assert.deepEqual(
      [most - 1, most, 2 * most - 1, 2 * most].map((index) => partsBefore[index]),
      [0, 1, 1, 2],
    );
    const columns = ["tx_id", "amount"];
    const read = await parquetReadObjects({ file, columns });
    assert.equal(read.length, 2 * most + 7);
    for (const [index, row] of read.entries()) {
      if (row["tx_id"] !== `tx-${index}` || row["amount"] !== index / 4)
        assert.fail(`row ${index}`);
    }
  });

  it("hands a row group over when its rows are long, however few they are", async () => {
    const long = parquetGroupBytes / 4 - 1_000;
    const { file, parts } = await pour(rows(11, { sender_id: "ü".repeat(long) }));
    assert.deepEqual(groupsOf(file), [5, 5, 1]);
    assert.equal(parts.length, 4);
    const [last] = (await parquetReadObjects({ file })).slice(-1);
    assert.equal(last?.["tx_id"], "tx-10");
    assert.equal(String(last?.["sender_id"]).length, long);
  });

  it("is a file with all columns and no rows where there is nothing to write", async () => {
    const { file } = await pour([]);
    const { num_rows: count, schema } = parquetMetadata(file);
    assert.equal(count, 0n);
    const names = schema.slice(1).map(({ name }) => name);
    assert.deepEqual(names, [...transaction.fieldNames, "sluice_nulls", "sluice_changes"]);
    assert.deepEqual(await parquetReadObjects({ file }), []);
  });

  it("declares the type of each field for other tools", async () => {
    const { file } = await pour(rows(1));
    const types = parquetMetadata(file).schema.map(
      ({ name, type = "", converted_type: converted = "" }) => [name, `${type} ${converted}`],
    );
    const typeOf = new Map(types.map(([name = "", type = ""]) => [name, type.trim()]));
    assert.equal(typeOf.get("tx_id"), "BYTE_ARRAY UTF8");
    assert.equal(typeOf.get("amount"), "DOUBLE");
    assert.equal(typeOf.get("is_test"), "BOOLEAN");
    assert.equal(typeOf.get("additional_properties"), "BYTE_ARRAY JSON");
  });
});
