// Converts values to JSON and back with one description for both directions: an object by the codecs of its fields,
// whose names are in camel case in the code and in snake case in JSON. Reading validates; members without a codec are
// ignored.

import { isJsonObject } from "../schema/schema-shape.ts";

/** The result of `read` for JSON that does not describe a value. */
export const invalid = Symbol("invalid");

export interface Codec<Value> {
  readonly write: (value: Value) => unknown;
  readonly read: (json: unknown) => Value | typeof invalid;
}

export const text: Codec<string> = {
  write: (value) => value,
  read: (json) => (typeof json === "string" ? json : invalid),
};

export const textOrNull: Codec<string | undefined> = {
  write: (value) => value ?? null,
  read: (json) => ((json ?? undefined) === undefined ? undefined : text.read(json)),
};

/** A whole number from 0 on. */
export const count: Codec<number> = {
  write: (value) => value,
  read: (json) => (Number.isSafeInteger(json) && Number(json) >= 0 ? Number(json) : invalid),
};

export const countOrNull: Codec<number | undefined> = {
  write: (value) => value ?? null,
  read: (json) => ((json ?? undefined) === undefined ? undefined : count.read(json)),
};

/** False if the member is missing, as in older documents. */
export const flag: Codec<boolean> = {
  write: (value) => value,
  read: (json = false) => (typeof json === "boolean" ? json : invalid),
};

/** Unix milliseconds; ISO 8601 in UTC in JSON. */
export const time: Codec<number> = {
  write: (unixMs) => new Date(unixMs).toISOString(),
  read: (json) => {
    const unixMs = typeof json === "string" ? Date.parse(json) : Number.NaN;
    return Number.isNaN(unixMs) ? invalid : unixMs;
  },
};

/** The names of the members are written in the order of the fields. */
export function object<Value extends object>(fields: {
  readonly [Name in keyof Value]: Codec<Value[Name]>;
}): Codec<Value> {
  const names = Object.keys(fields) as (keyof Value & string)[];
  const members = names.map((name) => [name, toSnakeCase(name), fields[name]] as const);
  return {
    write: (value) =>
      Object.fromEntries(members.map(([name, key, { write }]) => [key, write(value[name])])),
    read: (json) => {
      if (!isJsonObject(json)) return invalid;
      const values = members.map(([name, key, { read }]) => [name, read(json[key])] as const);
      if (values.some(([, value]) => value === invalid)) return invalid;
      return Object.fromEntries(values) as Value;
    },
  };
}

/** Members of JSON may be missing, and so may fields of the value. */
export function partial<Value extends object>(fields: {
  readonly [Name in keyof Value]-?: Codec<Exclude<Value[Name], undefined>>;
}): Codec<Value> {
  const names = Object.keys(fields) as (keyof Value & string)[];
  const members = names.map((name) => [name, toSnakeCase(name), fields[name]] as const);
  return {
    write: (value) =>
      Object.fromEntries(
        members.flatMap(([name, key, { write }]) => {
          const field = value[name];
          return field === undefined ? [] : [[key, write(field as never)]];
        }),
      ),
    read: (json) => {
      if (!isJsonObject(json)) return invalid;
      const values = members.flatMap(([name, key, { read }]) =>
        json[key] === undefined ? [] : [[name, read(json[key])] as const],
      );
      if (values.some(([, value]) => value === invalid)) return invalid;
      return Object.fromEntries(values) as Value;
    },
  };
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
