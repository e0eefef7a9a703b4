// Converts values to JSON and back with one description for both directions, from which the type of the value follows:
// an object by the codecs of its fields, whose names are in camel case in the code and in snake case in JSON. Reading
// validates; members without a codec are ignored.

import { isJsonObject } from "../schema/schema-shape.ts";

/** The result of `read` for JSON that does not describe a value. */
export const invalid = Symbol("invalid");

export interface Codec<Value> {
  readonly write: (value: Value) => unknown;
  readonly read: (json: unknown) => Value | typeof invalid;
}

interface OptionalCodec<Value> extends Codec<Value> {
  readonly isOptional: true;
}

interface AnyCodec {
  readonly write: (value: never) => unknown;
  readonly read: (json: unknown) => unknown;
  readonly isOptional?: true;
}

/** The values that a codec converts. */
export type ValueOf<Of extends AnyCodec> = Exclude<ReturnType<Of["read"]>, typeof invalid>;

export const text: Codec<string> = {
  write: (value) => value,
  read: (json) => (typeof json === "string" ? json : invalid),
};

/** A whole number from 0 on. */
export const count: Codec<number> = {
  write: (value) => value,
  read: (json) => (Number.isSafeInteger(json) && Number(json) >= 0 ? Number(json) : invalid),
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

/** Undefined is null in JSON. */
export function orNull<Value>({ write, read }: Codec<Value>): Codec<Value | undefined> {
  return {
    write: (value) => (value === undefined ? null : write(value)),
    read: (json) => ((json ?? undefined) === undefined ? undefined : read(json)),
  };
}

/** Null is a value. */
export function nullable<Value>({ write, read }: Codec<Value>): Codec<Value | null> {
  return {
    write: (value) => (value === null ? null : write(value)),
    read: (json) => (json === null ? null : read(json)),
  };
}

/** The member of the object may be missing, and so may the field of the value. */
export function optional<Value>(codec: Codec<Value>): OptionalCodec<Value> {
  return { ...codec, isOptional: true };
}

type Fields = Readonly<Record<string, AnyCodec>>;

type OptionalName<Of extends Fields> = {
  [Name in keyof Of]: Of[Name] extends { readonly isOptional: true } ? Name : never;
}[keyof Of];

type ObjectOf<Of extends Fields> = {
  readonly [Name in Exclude<keyof Of, OptionalName<Of>>]: ValueOf<Of[Name]>;
} & { readonly [Name in OptionalName<Of>]?: ValueOf<Of[Name]> };

/** The names of the members are written in the order of the fields. */
export function object<Of extends Fields>(fields: Of): Codec<ObjectOf<Of>> {
  const members = Object.entries<AnyCodec>(fields).map(
    ([name, codec]) => ({ name, key: toSnakeCase(name), ...codec }) as const,
  );
  return {
    write: (value) => {
      const values = value as Readonly<Record<string, never>>;
      const written = members.filter(
        ({ name, isOptional }) => !isOptional || values[name] !== undefined,
      );
      return Object.fromEntries(
        written.map(({ name, key, write }) => [key, write(values[name] as never)]),
      );
    },
    read: (json) => {
      if (!isJsonObject(json)) return invalid;
      const present = members.filter(
        ({ key, isOptional }) => !isOptional || json[key] !== undefined,
      );
      const values = present.map(({ name, key, read }) => [name, read(json[key])] as const);
      if (values.some(([, value]) => value === invalid)) return invalid;
      return Object.fromEntries(values) as ObjectOf<Of>;
    },
  };
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
