// Corrupts a valid record, or the text of a body, in one place or a few. Whether the result is
// valid is unknown.

import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { isJsonObject } from "../../src/domain/schema/schema-shape.ts";
import type { Random } from "../support/random.ts";
import type { Fields } from "../support/record-generator.ts";
import { numberTexts, unusualKeys, unusualText, unusualValue } from "./unusual-values.ts";

type MutateRecord = (random: Random, record: Fields) => unknown;

const recordMutations: readonly MutateRecord[] = [
  (random, record) => withoutField(record, random.pick(Object.keys(record))),
  (random, record) => ({ ...record, [random.pick(Object.keys(record))]: unusualValue(random) }),
  (random, record) => ({ ...record, [random.pick(Object.keys(record))]: unusualText(random) }),
  (random, record) => ({ ...record, [random.pick(Object.keys(record))]: null }),
  (random, record) => {
    const field = random.pick(Object.keys(record));
    return { ...record, [field]: random.chance(0.5) ? [record[field]] : { value: record[field] } };
  },
  (random, record) => withField(record, random.pick(unusualKeys), unusualValue(random)),
  (random, record) => {
    const field = random.pick(Object.keys(record));
    return withField(withoutField(record, field), misspelt(random, field), record[field]);
  },
  (random, record) => {
    const one = random.pick(Object.keys(record));
    const other = random.pick(Object.keys(record));
    return { ...record, [one]: record[other], [other]: record[one] };
  },
  (random, record) => replaceWithin(random, record),
  (random, record) => ({ ...record, additional_properties: manyProperties(random) }),
  (random) => unusualValue(random),
];

export function mutateRecord(random: Random, record: Fields): unknown {
  let mutated: unknown = record;
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times -= 1) {
    if (!isJsonObject(mutated) || Object.keys(mutated).length === 0) return mutated;
    mutated = random.pick(recordMutations)(random, mutated);
  }
  return mutated;
}

type MutateText = (random: Random, text: string) => string;

const textMutations: readonly MutateText[] = [
  (random, text) => text.slice(0, random.integer(0, text.length)),
  (random, text) => text + random.pick(["]", "}", ",", "{}", "\u0000", " \n", "null", "//"]),
  (random, text) => random.pick(["\ufeff", " ", "\n", "\u00a0", "[", "(", ")]}'\n"]) + text,
  (random, text) =>
    insertAt(random, text, () => random.pick(["\u0000", '"', "\\", ",", "{", "\t", "\u2028"])),
  (random, text) => text.replace(/:(-?\d[\d.e+-]*)/, () => `:${random.pick(numberTexts)}`),
  (random, text) => text.replace(/^(\[?)\{/, (start) => `${start}${duplicate(random, text)}`),
  (random, text) => text.replaceAll('"', () => (random.chance(0.1) ? "'" : '"')),
  (random, text) => text.replace("}", `,"a":${"[".repeat(random.pick([15, 16, 17, 5_000]))}`),
  (_random, text) => text.replace("}", `,"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`),
  (_random, text) =>
    text.replace(/"([a-z_]+)":/, (_, name: string) => `"\\u00${hex(name)}${name.slice(1)}":`),
  (random, text) => `${" ".repeat(random.pick([1, 70_000]))}${text}`,
];

export function mutateText(random: Random, text: string): string {
  return random.pick(textMutations)(random, text);
}

/** Changes one to four bytes, which are mostly no longer UTF-8. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  for (let times = random.integer(1, 4); times > 0 && bytes.length > 0; times -= 1) {
    bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255);
  }
  return bytes;
}

/** Of the content encodings of bodies. */
export const encoders = {
  gzip: gzipSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
} as const;

/** Also creates keys such as `__proto__` as own properties. */
function withField(record: Fields, field: string, value: unknown): Fields {
  return Object.fromEntries([...Object.entries(record), [field, value]]);
}

function withoutField(record: Fields, field: string): Fields {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));
}

function misspelt(random: Random, field: string): string {
  const place = random.integer(0, field.length - 1);
  const swapped = random.pick([
    field.toUpperCase(),
    `${field}s`,
    field.slice(0, place) + field.slice(place + 1),
  ]);
  return swapped === field ? `${field}_` : swapped;
}

/** Somewhere inside a nested object or list. */
function replaceWithin(random: Random, value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.8)) {
    const index = random.integer(0, value.length - 1);
    return value.map((item, place): unknown =>
      place === index ? replaceWithin(random, item) : item,
    );
  }
  if (isJsonObject(value) && Object.keys(value).length > 0 && random.chance(0.9)) {
    const inner = Object.keys(value).filter((key) => typeof value[key] === "object");
    const key = random.pick(inner.length > 0 && random.chance(0.8) ? inner : Object.keys(value));
    return { ...value, [key]: replaceWithin(random, value[key]) };
  }
  return unusualValue(random);
}

/** From none to more than a record may have. */
function manyProperties(random: Random): readonly object[] {
  const length = random.pick([0, 2, 60, 70, 1_000, 1_001]);
  const value = "v".repeat(random.pick([0, 40, 1_024]));
  const repeated = random.chance(0.2);
  return Array.from({ length }, (_, index) => ({
    key: repeated ? "k" : `k${index}`,
    value,
    type: "STRING",
  }));
}

function insertAt(random: Random, text: string, insert: () => string): string {
  const place = random.integer(0, text.length);
  return text.slice(0, place) + insert() + text.slice(place);
}

/** Repeats the first key of an object before it. */
function duplicate(random: Random, text: string): string {
  const key = /"[a-z_]+":/.exec(text)?.[0] ?? '"a":';
  return `{${key}${random.pick(["null", '"first"', "1", "{}"])},`;
}

function hex(name: string): string {
  return name.charCodeAt(0).toString(16).padStart(2, "0");
}
