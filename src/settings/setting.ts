// What a setting is, and how the common kinds of values are read. A value that can't be read is a Problem, which says
// what was expected and never repeats the value.

import { isIP } from "node:net";

export interface Setting<Value> {
  readonly name: string;
  readonly fallback: string;
  readonly summary: string;
  readonly read: Reader<Value>;
  /** The value can also be in a file (`readSecretFiles`). */
  readonly isSecret?: true;
}

/** `form`: the valid texts, if they are a list or a range. */
export type Reader<Value> = ((text: string) => Value | Problem) & { readonly form?: Form };

export type Form = Readonly<{ values: readonly string[] } | { min: number; max: number }>;

export class Problem {
  readonly expected: string;
  constructor(expected: string) {
    this.expected = expected;
  }
}

export function setting<Value>(
  name: string,
  fallback: string,
  summary: string,
  read: ((text: string) => Value | Problem) & { readonly form?: Form },
): Setting<Value> {
  return { name, fallback, summary, read };
}

export function secret<Value>(...item: Parameters<typeof setting<Value>>): Setting<Value> {
  return { ...setting(...item), isSecret: true };
}

export function text(expected: string): (value: string) => string | Problem {
  return (value) => (value.trim() === "" ? new Problem(expected) : value);
}

export function wholeNumber(min: number, max: number): Reader<number> {
  const read = (value: string) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    const fits = number >= min && number <= max;
    return fits ? number : new Problem(`a whole number from ${min} to ${max}`);
  };
  return Object.assign(read, { form: { min, max } });
}

export function oneOf<const Value extends string>(values: readonly Value[]): Reader<Value> {
  const read = (value: string) =>
    values.find((one) => one === value) ?? new Problem(`one of ${values.join(", ")}`);
  return Object.assign(read, { form: { values } });
}

export const onOrOff: Reader<boolean> = Object.assign(
  (value: string) =>
    value === "on" || value === "off" ? value === "on" : new Problem("on or off"),
  { form: { values: ["on", "off"] } },
);

/** Reads an optional setting: an empty text is undefined. */
export function optional<Value>(read: Reader<Value>): Reader<Value | undefined> {
  const readAny = (value: string) => (value === "" ? undefined : read(value));
  return read.form === undefined ? readAny : Object.assign(readAny, { form: read.form });
}

/** Undefined if a part is not `key=value` or can't be decoded. */
export function readPairs(value: string): readonly (readonly [string, string])[] | undefined {
  const parts = value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const pairs = parts.map(readPair);
  return pairs.every((pair) => pair !== undefined) ? pairs : undefined;
}

function readPair(part: string): readonly [string, string] | undefined {
  const at = part.indexOf("=");
  if (at <= 0) return undefined;
  try {
    const name = decodeURIComponent(part.slice(0, at).trim());
    return name === "" ? undefined : [name, decodeURIComponent(part.slice(at + 1).trim())];
  } catch {
    return undefined;
  }
}

/** Addresses and networks, separated by commas. */
export function networks(value: string): readonly string[] | Problem {
  const parts = value === "" ? [] : value.split(",").map((part) => part.trim());
  if (parts.every(isNetwork)) return parts;
  return new Problem("addresses and networks such as 10.1.0.0/16, separated by commas");
}

/** Whether this is an address, or a network such as 10.0.0.0/8. */
export function isNetwork(part: string): boolean {
  const [address = "", bits = "0", ...rest] = part.split("/");
  const bitsMax = { 4: 32, 6: 128 }[isIP(address)];
  return (
    bitsMax !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax && rest.length === 0
  );
}
