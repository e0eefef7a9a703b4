// Parquet of other tools, imported into a real store: columns with various types, in every
// supported codec, and the errors for unsupported columns and files.

import assert from "node:assert/strict";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { parsers } from "../../../src/feature/import/rows/parquet-column-reader.ts";
import type { CommandLine } from "../../cli/command-line.ts";
import { contentOf, openStoreFor } from "../../support/round-trip.ts";
import { typeNamed } from "../../conformance/scene.ts";
import { importing, report } from "./importing.ts";
import { codecs, column, type FileColumn, writeParquet } from "./parquet-file.ts";

const text = { type: "BYTE_ARRAY", converted_type: "UTF8" } as const;
const utcMicros = {
  type: "INT64",
  converted_type: "TIMESTAMP_MICROS",
  logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
} as const;

/** Three transactions; the last has no value in any optional column. */
const columns: readonly FileColumn[] = [
  column("tx_id", { type: "INT64" }, [1n, 2n, 9_007_199_254_740_993n]),
  column("amount", { type: "DOUBLE" }, [1_250.5, 0, -3.25]),
  column("currency", text, ["EUR", "USD", "JPY"]),
  column("is_test", { type: "BOOLEAN" }, [true, false, null]),
  column("sender_id", text, ["a", "\\N", "日本,語"]),
  column("sender_country", text, ["DE", "US", "JP"]),
  column("timestamp", utcMicros, [
    1_767_225_600_123_456n,
    1_767_225_599_999_999n,
    1_767_225_600_000_000n,
  ]),
  column("amount_usd", { type: "INT32", converted_type: "DECIMAL", precision: 9, scale: 2 }, [
    -12_345n,
    7n,
    null,
  ]),
];

const constants = "type==DEPOSIT,method==WIRE,status==SETTLED";

/** The arguments of an import of the columns, in a separate store. */
async function prepare(
  test: TestContext,
  given: readonly FileColumn[],
  { map, ...options }: { map?: string } & Parameters<typeof writeParquet>[2] = {},
) {
  const line = await openStoreFor(test);
  const file = await writeParquet(join(line.folder, "rows.parquet"), given, options);
  const mapping = map === undefined ? [] : ["--map", map];
  return { line, words: importing(file, "transaction", ...mapping) };
}

async function statesOf(line: CommandLine, type = "transaction"): Promise<Map<string, unknown>> {
  const { states } = await contentOf(line, typeNamed(type));
  return new Map(states);
}

describe("an import of Parquet", () => {
  for (const codec of codecs) {
    it(`converts values to the type of their field, compressed with ${codec}`, async (test) => {
      const taken = await prepare(test, columns, { map: constants, codec, groupRows: 2 });
      const { rows, written } = await report(taken.line, ...taken.words);
      assert.deepEqual({ rows, written }, { rows: 3, written: 3 });
      const rest = { type: "DEPOSIT", method: "WIRE", status: "SETTLED" };
      const wanted = [
        {
          tx_id: "1",
          amount: 1_250.5,
          currency: "EUR",
          amount_usd: -123.45,
          is_test: true,
          sender_id: "a",
          sender_country: "DE",
          timestamp: "2026-01-01T00:00:00.123456Z",
          ...rest,
        },
        {
          tx_id: "2",
          amount: 0,
          currency: "USD",
          amount_usd: 0.07,
          is_test: false,
          sender_id: "\\N",
          sender_country: "US",
          timestamp: "2025-12-31T23:59:59.999999Z",
          ...rest,
        },
        {
          tx_id: "9007199254740993",
          amount: -3.25,
          currency: "JPY",
          is_test: false,
          sender_id: "日本,語",
          sender_country: "JP",
          timestamp: "2026-01-01T00:00:00.000000Z",
          ...rest,
        },
      ];
      const states = new Map(wanted.map((state) => [state.tx_id, state]));
      assert.deepEqual(await statesOf(taken.line), states);
    });
  }

  it("maps columns like those of CSV: times, templates, parts of objects and replaced values", async (test) => {
    const local = { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "MILLIS" } as const;
    const given = [
      column("NO", { type: "INT64" }, [41n]),
      column("AT", { type: "INT64", logical_type: local }, [1_767_225_600_250n]),
      column("DAYS", { type: "INT32" }, [3]),
      column("STATE", { type: "INT32" }, [7]),
      {
        elements: [
          { name: "SUM", repetition_type: "OPTIONAL", num_children: 2 },
          { name: "value", repetition_type: "OPTIONAL", type: "DOUBLE" },
          { name: "unit", repetition_type: "OPTIONAL", ...text },
        ],
        data: [{ value: 9.75, unit: "EUR" }],
      } satisfies FileColumn,
    ];
    const taken = await prepare(test, given);
    const mapping = join(taken.line.folder, "mapping.json");
    const fields = {
      tx_id: { template: "tx-{NO}-{#}" },
      timestamp: { column: "AT", time: "yyyy-MM-ddTHH:mm:ss.SSS Europe/Berlin" },
      "additional_properties.settled": { column: "DAYS", time: "days:2026-01-01" },
      status: { column: "STATE", values: { "7": "SETTLED" } },
      amount: "SUM.value",
      currency: "SUM.unit",
      type: { value: "DEPOSIT" },
      method: { value: "WIRE" },
      sender_id: { value: "s" },
      sender_country: { value: "DE" },
    };
    writeFileSync(mapping, JSON.stringify({ fields }));
    const { written } = await report(taken.line, ...taken.words, "--mapping", mapping);
    assert.equal(written, 1);
    assert.deepEqual((await statesOf(taken.line)).get("tx-41-1"), {
      tx_id: "tx-41-1",
      type: "DEPOSIT",
      method: "WIRE",
      amount: 9.75,
      currency: "EUR",
      status: "SETTLED",
      is_test: false,
      sender_id: "s",
      sender_country: "DE",
      additional_properties: [{ key: "settled", value: "2026-01-04T00:00:00Z", type: "STRING" }],
      timestamp: "2026-01-01T00:00:00.250+01:00",
    });
  });

  it("reads a list of text as a list", async (test) => {
    const line = await openStoreFor(test);
    const ids: FileColumn = {
      elements: [
        {
          name: "related_tx_ids",
          repetition_type: "OPTIONAL",
          converted_type: "LIST",
          num_children: 1,
        },
        { name: "list", repetition_type: "REPEATED", num_children: 1 },
        { name: "element", repetition_type: "OPTIONAL", ...text },
      ],
      data: [["tx-1", "tx-2"]],
    };
    const given = [
      column("check_id", text, ["c"]),
      ids,
      column("timestamp", utcMicros, [1_767_225_600_000_000n]),
    ];
    const file = await writeParquet(join(line.folder, "checks.parquet"), given);
    const map = "status==COMPLETED,type==INLINE_MONITORING";
    await line.ask(...importing(file, "transaction_check", "--map", map));
    assert.deepEqual((await statesOf(line, "transaction_check")).get("c"), {
      check_id: "c",
      status: "COMPLETED",
      type: "INLINE_MONITORING",
      related_tx_ids: ["tx-1", "tx-2"],
      timestamp: "2026-01-01T00:00:00.000000Z",
    });
  });

  it("refuses a number that no double represents, with a message", async (test) => {
    const decimal = { type: "INT64", converted_type: "DECIMAL", precision: 18, scale: 4 } as const;
    const given = columns.map((one) =>
      one.elements[0]?.name === "amount"
        ? column("amount", decimal, [12n, 123_456_789_012_345_678n, 10_000n])
        : one,
    );
    const { line, words } = await prepare(test, given, { map: constants });
    const { written, refused_file: path } = await report(line, ...words);
    assert.equal(written, 2);
    assert.match(
      readFileSync(path ?? "", "utf8"),
      /"amount":"12345678901234\.5678".*amount must be/,
    );
  });

  it("converts a time before 1970 forwards from its second", () => {
    const converted = parsers.timestampFromMicroseconds?.(-1n) as unknown;
    assert.equal(converted, "1969-12-31T23:59:59.999999Z");
  });
});

async function failure(
  test: TestContext,
  given: readonly FileColumn[],
  options: Parameters<typeof prepare>[2] = {},
): Promise<string> {
  const { line, words } = await prepare(test, given, options);
  const { name, message } = await line.fail(...words);
  assert.match(name, /^(?:input|mapping)$/);
  return message;
}

const time = { type: "INT32", converted_type: "TIME_MILLIS" } as const;

describe("an import of unsupported Parquet", () => {
  it("names a column of a type that is not supported, if it is needed", async (test) => {
    const given = [...columns, column("clock", time, [1, 2, 3])];
    const message = await failure(test, given, { map: "timestamp=clock" });
    assert.equal(
      message,
      'The column "clock" has values of the type TIME_MILLIS, which is not supported.',
    );
    const { line, words } = await prepare(test, given, { map: constants });
    assert.equal((await report(line, ...words)).written, 3);
  });

  it("names a column that has decimals inside objects", async (test) => {
    const nested: FileColumn = {
      elements: [
        { name: "sum", repetition_type: "OPTIONAL", num_children: 1 },
        {
          name: "value",
          repetition_type: "OPTIONAL",
          type: "INT32",
          converted_type: "DECIMAL",
          precision: 9,
          scale: 2,
        },
      ],
      data: [{ value: 100n }, null, null],
    };
    const message = await failure(test, [...columns, nested], { map: "amount=sum.value" });
    assert.match(message, /The column "sum" has decimals inside/);
  });

  it("names a column with unsupported compression, and the supported ones", async (test) => {
    const message = await failure(test, columns, { map: constants, codec: "LZ4_RAW" });
    assert.match(
      message,
      /The column "tx_id" is compressed with LZ4_RAW, .* UNCOMPRESSED, SNAPPY, GZIP, BROTLI, ZSTD/,
    );
  });

  it("refuses only the rows with bytes that are not text, and names their column", async (test) => {
    const bytes = [new Uint8Array([255]), null, null];
    const given = [...columns, column("raw", { type: "BYTE_ARRAY" }, bytes)];
    const { line, words } = await prepare(test, given, { map: `${constants},receiver_id=raw` });
    const { written, refused, refused_file: file } = await report(line, ...words);
    assert.deepEqual([written, refused], [2, 1]);
    const [row = ""] = readFileSync(file ?? "", "utf8").split("\n");
    assert.match(row, /"sluice_row":1,.*"sluice_reason":"raw is not UTF-8"/);
  });

  it("reports that a truncated file, and one that is not Parquet, can't be read", async (test) => {
    const { line, words } = await prepare(test, columns, { map: constants });
    const [, file = ""] = words;
    const whole = readFileSync(file);
    for (const bytes of [0, 3, 20, whole.length - 9, whole.length - 1]) {
      writeFileSync(file, whole);
      truncateSync(file, bytes);
      const { name, message } = await line.fail(...words);
      assert.equal(name, "input");
      assert.match(message, /rows\.parquet can't be read as Parquet: it is damaged or truncated/);
    }
  });

  it("reports that a row group has fewer rows than it says, or is too large", async (test) => {
    const claims = [
      [{ num_rows: 4n }, /the column "tx_id" has fewer rows than its row group/],
      [{ total_byte_size: 2n ** 40n }, /more than 1024 MiB; write it with smaller ones/],
    ] as const;
    for (const [claim, message] of claims) {
      assert.match(await failure(test, columns, { map: constants, claim }), message);
    }
  });

  it("requires a file that was compressed as a whole to be decompressed", async (test) => {
    const { line, words } = await prepare(test, columns, { map: constants });
    const [, file = ""] = words;
    const compressed = `${file}.gz`;
    writeFileSync(compressed, gzipSync(readFileSync(file)));
    const { message } = await line.fail(
      ...words.map((word) => (word === file ? compressed : word)),
    );
    assert.match(message, /rows\.parquet\.gz must be decompressed to .* first/);
  });
});
