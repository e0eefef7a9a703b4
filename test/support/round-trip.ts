// Two stores and the files between them: one exports, the other imports, and both are read through the store itself, so
// that an incomplete export is noticed. Records that are hard to represent in a file: text that looks like a formula, a
// number, a marker or JSON, ids with unusual characters, numbers at the limits of a double, and meaningful nulls.

import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type App, currentTimeOf } from "../../src/actions/app.ts";
import { writeRecords } from "../../src/actions/intake/submission.ts";
import { openApp } from "../../src/process/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import { mergeChanges } from "../../src/domain/record/merge.ts";
import type { Payload, RecordType } from "../../src/domain/record-type.ts";
import type { ExportedChange } from "../../src/domain/record/record-write.ts";
import { type CommandLine, makeCommandLine } from "../cli/command-line.ts";
import { removeFolder } from "./temp-folder.ts";
import { limits } from "../../src/domain/limits.ts";
import { alternativesOf, type SchemaShape } from "../../src/domain/schema/schema-shape.ts";
import { makeRecordGenerator, type RecordGenerator } from "./record-generator.ts";

export const formats = ["ndjson", "csv", "parquet"] as const;
type Format = (typeof formats)[number];
export const acme = "acme";

export async function makeStore(
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandLine> {
  const line = makeCommandLine({ environment });
  await line.ask("organization create --name Acme --id", acme);
  return line;
}

/** A store for one test. */
export async function openStoreFor(test: TestContext): Promise<CommandLine> {
  const line = await makeStore();
  test.after(() => removeFolder(line.folder));
  return line;
}

export async function withApp<Result>(
  { environment }: CommandLine,
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  const app = await openApp(readConfig(environment), { role: "command" });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** A record's first submission, or a further one. */
interface Submitted {
  readonly mode: "add" | "update";
  readonly payload: Payload;
}

export async function submit(
  app: App,
  type: RecordType,
  submitted: readonly Submitted[],
): Promise<void> {
  for (const { mode, payload } of submitted) {
    const options = {
      organizationId: acme,
      type,
      mode,
      lenient: false,
      single: true,
      receivedAt: currentTimeOf(app),
      timestampMin: app.timestampMin,
    };
    await writeRecords(app, options, { items: [payload] });
  }
}

/** What a store has of a type, by id: every stored change, and the resulting state. */
export interface Content {
  readonly states: ReadonlyMap<string, Payload>;
  readonly payloads: ReadonlyMap<string, readonly string[]>;
}

export function contentOf(line: CommandLine, type: RecordType): Promise<Content> {
  return withApp(line, async ({ store }) => {
    const asked = {
      organizationId: acme,
      resourceType: type.resourceType,
      upTo: await store.latestArrival(),
      limit: 1_000,
    };
    const all: ExportedChange[] = [];
    for (;;) {
      const page = await store.listChanges({ ...asked, after: all.at(-1) });
      all.push(...page);
      if (page.length < asked.limit) break;
    }
    const byId = Map.groupBy(all, ({ resourceId }) => resourceId);
    const states = new Map([...byId].map(([id, changes]) => [id, mergeChanges(type, changes)]));
    const payloads = new Map(
      [...byId].map(([id, changes]) => [id, changes.map(({ payload }) => payload)]),
    );
    return { states, payloads };
  });
}

interface Way {
  readonly type: RecordType;
  readonly format: Format;
  readonly history?: boolean;
}

/** Options before the ones that follow; returns the file. */
export async function exportTo(
  from: CommandLine,
  { type: { resourceType }, format, history = false }: Way,
  ...options: readonly string[]
): Promise<string> {
  const file = join(from.folder, `${resourceType}${history ? "-history" : ""}.${format}`);
  const words = ["export", resourceType, "--organization", acme, "--output", file];
  const { code, err } = await from.type(...words, ...(history ? ["--history"] : []), ...options);
  assert.equal(err, "");
  assert.equal(code, 0);
  return file;
}

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
