// Values that often expose bugs: texts, numbers, keys and nestings at the limits of what JSON,
// UTF-8, dates and this service's own bounds allow. Some are valid in some fields; each has to be
// stored unchanged or rejected.

import type { Random } from "../support/random.ts";

const texts: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\u0085",
  "\ud800",
  "\udc00x",
  "\ufeffbom",
  "e\u0301",
  "\u202egnp.exe",
  "👩‍👩‍👧‍👦",
  "İıſ",
  "\u2028\u2029",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "true",
  "-1",
  "NaN",
  "1e999",
  "EUR ",
  "eur",
  "DE\n",
  "XX",
  "2026-02-30T00:00:00Z",
  "2026-06-30T23:59:60Z",
  "2026-06-30T22:59:60Z",
  "2026-01-31t09:30:00z",
  "2026-01-31 09:30:00Z",
  "2026-01-31T09:30:00",
  "2026-01-31T24:00:00Z",
  "2026-01-31T09:30:00+24:00",
  "0000-01-01T00:00:00+14:00",
  "9999-12-31T23:59:59-14:00",
  `2026-01-31T09:30:00.${"1".repeat(64)}Z`,
  `2026-01-31T09:30:00.${"1".repeat(65)}Z`,
  "2026-02-29",
  "2024-02-29",
  "../../etc/passwd",
  "%00%ff",
  "\r\nx-injected: yes",
  "'; DROP TABLE record; --",
  "{{7*7}}${7*7}",
];

const numbers: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.1,
  0.1 + 0.2,
  1e-7,
  5e-324,
  1e21,
  1.797_693_134_862_315_7e308,
  Number.MAX_SAFE_INTEGER,
  -Number.MAX_SAFE_INTEGER,
  2 ** 53,
  2 ** 63,
  123_456_789_012.34,
];

const validNumbers = `
  9007199254740991 9007199254740993 -9007199254740993 0.1000000000000000055511151231257827 0.10000000000000000000
  100000000000000000000000000000e-27 1e400 1e-400 1E+2 -0 -0.0e0 123456789.123456789 0.30000000000000004
  1e99999999999999999999`;
const invalidNumbers = "01 1. +1 .5 0x10 NaN Infinity 1_000";

/** Numbers as they may be written in a body. */
export const numberTexts: readonly string[] = `${validNumbers} ${invalidNumbers}`
  .trim()
  .split(/\s+/);

export const unusualKeys: readonly string[] = [
  "",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "0",
  "amount ",
  "Amount",
  "ammount",
  "tx-id",
  "a.b[0]",
  "\u0000",
  "\ud800",
  "k".repeat(300),
  "k".repeat(5_000),
];

export function unusualText(random: Random): string {
  if (random.chance(0.7)) return random.pick(texts);
  const unit = random.pick(["a", "é", "😀", "\u0000", '"', "\\", "\ud83d"]);
  return unit.repeat(random.pick([1, 127, 255, 256, 257, 1_023, 1_024, 1_025, 5_000, 70_000]));
}

function unusualNumber(random: Random): number {
  return random.chance(0.7)
    ? random.pick(numbers)
    : (random.next() - 0.5) * 10 ** random.integer(-20, 40);
}

export function unusualValue(random: Random): unknown {
  switch (random.integer(0, 9)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
    case 3:
      return unusualNumber(random);
    case 4:
      return unusualList(random);
    case 5:
      return unusualObject(random);
    case 6:
      return nested(random, random.pick([3, 15, 16, 17, 100, 3_000]));
    default:
      return unusualText(random);
  }
}

function unusualList(random: Random): unknown[] {
  const length = random.pick([0, 1, 2, 1_000, 1_001]);
  const item = random.pick<unknown>([
    "x",
    "",
    1,
    null,
    [],
    {},
    { key: "k", value: "v", type: "STRING" },
  ]);
  return Array.from({ length }, () => item);
}

function unusualObject(random: Random): object {
  const keys = Array.from({ length: random.integer(0, 3) }, () => random.pick(unusualKeys));
  return Object.fromEntries(keys.map((key) => [key, random.pick<unknown>(["x", 1, null, {}])]));
}

/** Only as text can it be deeper than the stack of the code that serializes it. */
function nested(random: Random, depth: number): unknown {
  const inList = random.chance(0.5);
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = inList ? [value] : { a: value };
  return value;
}
