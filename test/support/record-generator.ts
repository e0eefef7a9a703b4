// Valid records of every type, generated from the schemas with a seed: the same seed generates the
// same records. Knows no type by name; where the rules of a type reject a draft, what they require
// is added or removed.

import {
  countriesAlpha2,
  countriesAlpha3,
  currencies,
  withdrawalOf,
} from "../../src/domain/schema/codes.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { alternativesOf, type SchemaShape } from "../../src/domain/schema/schema-shape.ts";
import { validatePayload } from "../../src/domain/validation/validate.ts";
import { makeRandom, type Random } from "./random.ts";

/** Valid at any timestamp. */
const lastingCurrencies = [...currencies].filter((code) => withdrawalOf(code) === undefined);

export type Fields = Record<string, unknown>;

export interface RecordGenerator {
  readonly random: Random;
  /** An id that this generator has not returned before. */
  id(type: RecordType): string;
  /** A record that POST accepts. `overrides` come last; undefined there leaves a field out. */
  record(type: RecordType, overrides?: Fields): Fields;
  /** An update that PUT accepts: id, timestamp and some other fields, sometimes null. */
  update(type: RecordType, id: string, overrides?: Fields): Fields;
}

/** `prefix` distinguishes the ids of several generators with the same seed. */
export function makeRecordGenerator(seed: number, prefix = ""): RecordGenerator {
  const random = makeRandom(seed);
  let count = 0;
  function id(type: RecordType): string {
    count += 1;
    return `${prefix}${type.resourceType}-${count}${random.pick(["", " ü", "/a?b=c&d", "-😀", "%2F", "'\""])}`;
  }
  return {
    random,
    id,
    record(type, overrides = {}) {
      const fields = objectValue(type.addSchema, random);
      fields[type.idField] = id(type);
      return complete(type, "add", { ...fields, ...overrides }, random);
    },
    update(type, recordId, overrides = {}) {
      const fields = objectValue(type.updateSchema, random, { nulls: true });
      fields[type.idField] = recordId;
      return complete(type, "update", { ...fields, ...overrides }, random);
    },
  };
}

/**
 * Makes the record satisfy the rules of the type. Throws if an error remains: a bug of this
 * generator.
 */
function complete(
  type: RecordType,
  operation: "add" | "update",
  draft: Fields,
  random: Random,
): Fields {
  const fields: Fields = Object.fromEntries(
    Object.entries(draft).filter(([, value]) => value !== undefined),
  );
  for (let round = 0; round < 3; round += 1) {
    for (const rule of type.rules) {
      if (rule.on === "add" && operation === "update") continue;
      for (const { field = "", message = "" } of rule.check(fields)) {
        if (message.startsWith("can't be sent together")) delete fields[field];
        else fields[field] = valueOf(withoutNull(propertyOf(type, field)), random);
      }
    }
  }
  const errors = validatePayload(type, operation, fields);
  if (errors.length > 0)
    throw new Error(`generated an invalid ${type.resourceType}: ${JSON.stringify(errors)}`);
  return fields;
}

function propertyOf(type: RecordType, field: string): SchemaShape {
  const schema: SchemaShape = type.addSchema;
  return schema.properties?.[field] ?? {};
}

function valueOf(schema: SchemaShape, random: Random): unknown {
  const one = random.pick(alternativesOf(schema));
  if (one.enum !== undefined) return random.pick(one.enum);
  switch (one.type) {
    case "string":
      return textValue(one, random);
    case "number":
    case "integer":
      return numberValue(one, random);
    case "boolean":
      return random.chance(0.5);
    case "array":
      return listValue(one, random);
    case "object":
      return typeof one.additionalProperties === "object"
        ? mapValue(one.additionalProperties, random)
        : objectValue(one, random);
    case undefined:
      return random.pick(jsonValues);
    case "null":
    default:
      return null;
  }
}

const jsonValues: readonly unknown[] = [null, "text", -0.5, true, [], [[null]], { a: { b: [1] } }];

function withoutNull(schema: SchemaShape): SchemaShape {
  return { anyOf: alternativesOf(schema).filter(({ type }) => type !== "null") };
}

/** Required fields, and each other one in half of all cases; `nulls`: sometimes as null. */
function objectValue(schema: SchemaShape, random: Random, { nulls = false } = {}): Fields {
  const fields: Fields = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const required = schema.required?.includes(name) === true;
    if (!required && !random.chance(0.5)) continue;
    fields[name] = valueOf(required || nulls ? property : withoutNull(property), random);
  }
  return fields;
}

function listValue({ items = {} }: SchemaShape, random: Random): unknown[] {
  const list = Array.from({ length: random.integer(0, 3) }, () => valueOf(items, random));
  // The one rule within a list: the keys of additional_properties are unique.
  return list.map((item, index) =>
    items.properties?.["key"] === undefined ? item : { ...(item as Fields), key: `key ${index}` },
  );
}

function mapValue(values: SchemaShape, random: Random): Fields {
  const keys = ["reason", "ключ", "constructor"].slice(0, random.integer(0, 3));
  return Object.fromEntries(keys.map((key) => [key, valueOf(values, random)]));
}

const texts = [
  "plain",
  "",
  "Zoë Müller",
  "line one\nline two",
  'quotes " and \\ backslashes',
  "日本語 😀",
  "<script>alert(1)</script>",
  "'; DROP TABLE record; --",
  "\u0000\u2028",
] as const;

function textValue({ format }: { format?: string }, random: Random): string {
  switch (format ?? "") {
    case "date-time":
      return dateTimeValue(random);
    case "date":
      return dateTimeValue(random).slice(0, 10);
    case "identifier":
      return `ref-${random.integer(1, 1_000_000)}`;
    case "iso-4217":
      return random.pick(lastingCurrencies);
    case "iso-3166-1-alpha-2":
      return random.pick([...countriesAlpha2]);
    case "iso-3166-1":
      return random.pick([...countriesAlpha2, ...countriesAlpha3]);
    default:
      return random.pick(texts);
  }
}

function dateTimeValue(random: Random): string {
  const instant = new Date(random.integer(Date.UTC(2020, 0, 2), Date.UTC(2026, 4, 30)));
  const fraction = random.pick(["", ".5", ".120", ".000001", ".123456789"]);
  return `${instant.toISOString().slice(0, 19)}${fraction}${random.pick(["Z", "+02:00", "-11:30"])}`;
}

function numberValue(
  { minimum = 0, maximum = 1 }: { minimum?: number; maximum?: number },
  random: Random,
): number {
  if (maximum <= 1) return random.integer(0, 1_000) / 1_000;
  return random.pick([
    0,
    minimum,
    maximum,
    random.integer(-1e9, 1e9) / 100,
    random.integer(0, 1e6),
  ]);
}
