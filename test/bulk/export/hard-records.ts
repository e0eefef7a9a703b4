// Records that are hard to represent in a file: text that looks like a formula, a number, a marker
// or JSON, ids with unusual characters, numbers at the limits of a double, and meaningful nulls.

import { limits } from "../../../src/domain/limits.ts";
import type { Payload, RecordType } from "../../../src/domain/record-type.ts";
import { alternativesOf, type SchemaShape } from "../../../src/domain/schema/schema-shape.ts";
import { makeRecordGenerator, type RecordGenerator } from "../../support/record-generator.ts";
import type { Submitted } from "./round-trip.ts";

const hardTexts: readonly string[] = [
  "",
  " ",
  " leading",
  "trailing ",
  "\ttab\t",
  "\n",
  "a\r\nb",
  "\r",
  '"',
  '""',
  '"quoted"',
  "a,b;c|d",
  "=1+1",
  "+49 30",
  "-1",
  "@SUM(A1)",
  "0012",
  "1e5",
  "1.50",
  "true",
  "null",
  "NaN",
  "\\N",
  "\\E",
  "\\\\N",
  "\\\\E",
  "\\n",
  "\ufeffmark",
  "[1]",
  "[",
  "{",
  '{"a":1}',
  '["a"]',
  "2026-01-31",
  "2026-01-31T09:30:00Z",
  "__proto__",
  "constructor",
  "undefined",
  "\u0000",
  "\u00e9",
  "e\u0301",
  "日本語",
  "😀",
  "\u2028",
  "\u0085",
  "x".repeat(1_000),
];

const hardIds: readonly string[] = [
  "=1+1",
  " a",
  "a ",
  "a,b",
  '"',
  "'",
  "\\N",
  "\\E",
  "__proto__",
  "\u00e9",
  "e\u0301",
  "😀",
  "0",
  "00",
  "1e5",
  "true",
  "null",
  "[1]",
  "{}",
  "-",
  "a;b",
  "\u2028",
  "\ufeff",
  "x".repeat(256),
];

const hardNumbers: readonly number[] = [
  0,
  -0,
  0.1,
  0.1 + 0.2,
  1e-7,
  5e-324,
  1.7e-308,
  123_456_789.012_345,
  -1,
  1_250.5,
  Number.MAX_SAFE_INTEGER,
  -Number.MAX_SAFE_INTEGER,
  2_251_799_813_685_249.5,
  1 / 3,
];

/** Lists of submissions, one list per record of the type. */
export function hardRecords(type: RecordType, seed: number): readonly (readonly Submitted[])[] {
  const generator = makeRecordGenerator(seed, "hard-");
  const texts = hardTexts.map((text) => withText(generator, type, text));
  const ids = hardIds.map((id) => generator.record(type, { [type.idField]: id }));
  const numbers = numberFields(type).flatMap((field) =>
    hardNumbers
      .filter((number) => field === "amount" || field === "amount_usd" || isShare(number))
      .map((number) => generator.record(type, { [field]: number })),
  );
  const single = [...texts, ...ids, ...numbers, ...nullAmounts(generator, type)];
  return [
    ...single.map((payload) => [{ mode: "add" as const, payload }]),
    long(generator, type),
    ...Array.from({ length: 40 }, () => withUpdates(generator, type)),
  ];
}

function isShare(number: number): boolean {
  return number >= 0 && number <= 1;
}

function withText(generator: RecordGenerator, type: RecordType, text: string): Payload {
  const { properties }: SchemaShape = type.addSchema;
  const own = Object.entries(properties ?? {})
    .filter(([, schema]) => alternativesOf(schema).some(isFreeText))
    .map(([name]) => [name, text]);
  const additional = [{ key: text === "" ? "k" : text, value: text, type: "STRING" }];
  const fields = { ...Object.fromEntries(own), additional_properties: additional };
  return generator.record(type, fields);
}

/** Each change of about the maximum size of a record; the resulting state can be larger. */
function long(generator: RecordGenerator, type: RecordType): readonly Submitted[] {
  const text = "\ud83d\ude00".repeat(limits.textCharactersMax / 2);
  const entries = Array.from({ length: 24 }, (_, index) => ({
    key: `long ${index}`,
    value: text,
    type: "STRING",
  }));
  const first = generator.record(type, { additional_properties: entries });
  const { [type.idField]: id, timestamp } = first;
  const { additional_properties: _left, ...texts } = withText(generator, type, text);
  const second = { ...texts, [type.idField]: id, timestamp };
  return [
    { mode: "add", payload: first },
    { mode: "update", payload: second },
  ];
}

function isFreeText(schema: SchemaShape): boolean {
  const { format } = schema as { format?: string };
  const isPlain = format === undefined || format === "well-formed";
  return schema.type === "string" && schema.enum === undefined && isPlain;
}

function numberFields({ addSchema }: RecordType): readonly string[] {
  const { properties }: SchemaShape = addSchema;
  return Object.entries(properties ?? {})
    .filter(([, schema]) => alternativesOf(schema).some(({ type }) => type === "number"))
    .map(([name]) => name);
}

function nullAmounts(generator: RecordGenerator, type: RecordType): readonly Payload[] {
  return type.fieldNames.includes("amount") ? [generator.record(type, { amount: null })] : [];
}

/** Some with timestamps before those of earlier changes, and with nulls. */
function withUpdates(generator: RecordGenerator, type: RecordType): readonly Submitted[] {
  const payload = generator.record(type);
  const id = String(payload[type.idField]);
  const updates = Array.from({ length: generator.random.integer(1, 4) }, () => ({
    mode: "update" as const,
    payload: generator.update(type, id),
  }));
  return [{ mode: "add", payload }, ...updates];
}
