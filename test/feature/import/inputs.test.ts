// The same rows in every format of an input: CSV with any delimiter, NDJSON and JSON lists, plain
// and compressed; and where an import stores its own files.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { openStoreFor } from "../../support/round-trip.ts";
import { importing, put, report } from "./importing.ts";

interface Row {
  readonly id: string;
  readonly value: number;
  readonly note: string;
}

const rows: readonly Row[] = Array.from({ length: 700 }, (_, index) => ({
  id: String(index),
  value: index / 8,
  note:
    index % 50 === 0 ? 'a "quoted", [unusual] {note}\nof two lines; \\ 日本 😀' : `note ${index}`,
}));

function quote(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

function csv(delimiter: string): string {
  const lines = rows.map(({ id, value, note }) => [id, value, quote(note)].join(delimiter));
  return [["id", "value", "note"].join(delimiter), ...lines, ""].join("\r\n");
}

const list = JSON.stringify(rows, undefined, 1);
const lines = rows.map((row) => JSON.stringify(row)).join("\n");

const inputs: readonly (readonly [name: string, content: string | Buffer, ...string[]])[] = [
  ["rows.csv", csv(",")],
  ["rows.tsv", csv("\t")],
  ["rows.txt", csv(";"), "--delimiter", ";"],
  ["semicolons.csv", csv(";")],
  ["wide.csv", Buffer.from(csv(","), "utf16le")],
  ["inside.json", `{"count":2,"data":${list}}`, "--list", "data"],
  ["marked.csv", `\ufeff${csv(",")}`],
  ["rows.ndjson", lines],
  ["rows.jsonl", `${lines}\n\n`],
  ["rows.json", list],
  ["flat.json", JSON.stringify(rows)],
  ["data", lines, "--format", "ndjson"],
  ["rows.csv.gz", gzipSync(csv(","))],
  ["rows.csv.br", brotliCompressSync(csv(","))],
  ["rows.csv.zst", zstdCompressSync(csv(","))],
  ["rows.ndjson.gz", gzipSync(lines)],
  ["parts.ndjson.gz", Buffer.concat([gzipSync(lines.slice(0, 999)), gzipSync(lines.slice(999))])],
  ["rows.ndjson.zst", zstdCompressSync(lines)],
  ["rows.json.br", brotliCompressSync(list)],
  ["ROWS.JSON.GZ", gzipSync(list)],
];

const mapping =
  "tx_id=~tx-{id},amount=value,additional_properties.note=note,type==DEPOSIT,method==WIRE,currency==EUR," +
  "status==SETTLED,sender_id==s,sender_country==DE,timestamp==2026-01-01T00:00:00Z";

function words(file: string): readonly string[] {
  return importing(file, "transaction", "--map", mapping);
}

/** As `zstd --long=27` compresses. */
const wide = zstdCompressSync(Buffer.alloc(64 * 1_024 * 1_024, csv(",")), {
  params: { [constants.ZSTD_c_windowLog]: 26, [constants.ZSTD_c_contentSizeFlag]: 0 },
});

describe("an input of an import", () => {
  it("produces the same records in every format and compression", async (test) => {
    const line = await openStoreFor(test);
    const [first, ...others] = inputs;
    assert.ok(first !== undefined);
    const [name, content] = first;
    assert.equal((await report(line, ...words(put(line, name, content)))).written, rows.length);
    const { state } = await line.ask("record show transaction tx-50 --organization acme");
    const { amount, additional_properties: own } = state as Record<string, unknown>;
    assert.deepEqual(
      { amount, own },
      {
        amount: 6.25,
        own: [{ key: "note", value: rows[50]?.note, type: "STRING" }],
      },
    );
    for (const [other, same, ...options] of others) {
      const found = await report(line, ...words(put(line, other, same)), ...options);
      assert.deepEqual([other, found.rows, found.written], [other, rows.length, 0]);
    }
  });

  it("says what the file showed, and reads corrected rows with the same mapping", async (test) => {
    const line = await openStoreFor(test);
    const text = "Kontoauszug\n\nNr;Betrag;Empf\u00e4nger\n1;2.5;M\u00fcller\n2;viel;Jos\u00e9\n";
    const file = put(line, "bank.csv", Buffer.from(text, "latin1"));
    const fields = {
      tx_id: "Nr",
      amount: "Betrag",
      sender_id: "Empf\u00e4nger",
      type: { value: "DEPOSIT" },
      method: { value: "WIRE" },
      currency: { value: "EUR" },
      status: { value: "SETTLED" },
      sender_country: { value: "DE" },
      timestamp: { value: "2026-01-01T00:00:00Z" },
    };
    const layout = { encoding: "windows-1252", skip: 2 };
    const by = put(line, "mapping.json", JSON.stringify({ layout, fields }));
    const about = ["transaction", "--mapping", by] as const;
    const { code, out } = await line.type(...importing(file, ...about));
    assert.equal(code, 3);
    assert.match(out, /bank\.csv is read with --delimiter ';', as its beginning shows/);
    const refused = join(line.folder, "bank.refused.csv");
    writeFileSync(refused, readFileSync(refused, "utf8").replace(";viel;", ";7;"));
    assert.equal((await report(line, ...importing(refused, ...about))).written, 1);
    const { state } = await line.ask("record show transaction 2 --organization acme");
    const { amount, sender_id: sender } = state as Record<string, unknown>;
    assert.deepEqual([amount, sender], [7, "Jos\u00e9"]);
  });

  const broken: readonly (readonly [
    what: string,
    name: string,
    content: string | Buffer,
    RegExp,
  ])[] = [
    [
      "does not match its extension",
      "rows.csv.gz",
      csv(","),
      /damaged or truncated, or not compressed/,
    ],
    ["is not Brotli", "rows.csv.br", csv(","), /damaged or truncated, or not compressed/],
    ["was cut", "rows.csv.zst", zstdCompressSync(csv(",")).subarray(0, 99), /damaged or truncated/],
    ["needs much memory to be decompressed", "rows.csv.zst", wide, /a window of more than 8 MiB/],
    ["is not UTF-8", "rows.csv", Buffer.from([105, 100, 10, 0xff, 10]), /not text in its encoding/],
    [
      "is a truncated list",
      "rows.json",
      list.slice(0, -1),
      /is not a JSON list such as .*, or is truncated/,
    ],
    ["is one object", "rows.json", "{}", /is not a JSON list/],
    ["is empty CSV", "rows.csv", "", /is empty/],
    ["is a spreadsheet", "rows.csv", "PK\x03\x04\x14\0", /is a ZIP archive, as \.xlsx is/],
    ["is a web page", "rows.csv", "\n<!DOCTYPE html><p>Sign in", /is a web page \(HTML\)/],
    ["is compressed, which its name doesn't say", "rows.csv", gzipSync(csv(",")), /ends in \.gz/],
    [
      "has too many columns",
      "rows.csv",
      `a${",".repeat(20_000)}\n`,
      /the first line has more than 20,000 cells/,
    ],
    ["has no known extension", "rows.dat", lines, /give --format csv, ndjson, json or parquet/],
  ];
  for (const [what, name, content, message] of broken) {
    it(`that ${what} is refused, and named`, async (test) => {
      const line = await openStoreFor(test);
      const failure = await line.fail(...words(put(line, name, content)));
      assert.equal(failure.name, "input");
      assert.match(failure.message, message);
      assert.ok(failure.message.includes(name));
    });
  }
});

describe("columns that are no fields", () => {
  it("are named in a short message, however many they are and however long their names", async (test) => {
    const line = await openStoreFor(test);
    const names = [
      "id",
      "y".repeat(1_000_000),
      ...Array.from({ length: 9_000 }, (_, at) => `c${at}`),
    ];
    const file = put(line, "rows.csv", `${names.join(",")}\n`);
    const { message } = await line.fail(...importing(file));
    assert.match(message, /has no field "id", "y{40}…", "c0", .*, "c97" and 8,902 more/);
    const missing = await line.fail(...words(file));
    assert.match(missing.message, /it has: id, y{40}…, c0, .*, c97 and 8,902 more/);
  });
});

describe("the files that an import creates", () => {
  it("are next to the input, and removed when nothing was refused", async (test) => {
    const line = await openStoreFor(test);
    const before = readdirSync(line.folder).sort();
    await report(line, ...words(put(line, "rows.ndjson", lines)));
    assert.deepEqual(readdirSync(line.folder).sort(), [...before, "rows.ndjson"].sort());
  });

  it("are in the folder of --state, which is created, readable by its owner only", async (test) => {
    const line = await openStoreFor(test);
    const file = put(line, "rows.ndjson", `${lines}\n{"id":"wrong","value":"much"}`);
    const folder = join(line.folder, "some", "where");
    const { code } = await line.type(...words(file), "--state", folder);
    assert.equal(code, 3);
    assert.deepEqual(readdirSync(folder), ["rows.refused.ndjson"]);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(existsSync(join(line.folder, "rows.refused.ndjson")), false);
  });
});
