// Random values generated from schemas, for properties: valid payloads, invalid payloads, histories
// of changes.

import * as fc from "fast-check";
import { countriesAlpha2, countriesAlpha3, currencies } from "../../src/domain/schema/codes.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import {
  alternativesOf,
  isJsonObject,
  type SchemaShape,
} from "../../src/domain/schema/schema-shape.ts";
import { anyCharacter } from "../support/any-character.ts";

export const anyType: fc.Arbitrary<RecordType> = fc.constantFrom(...recordTypes);

/** Text as clients send it, with names that break code that trusts prototypes. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.constantFrom("__proto__", "constructor", "toString", "", "0", "1", "\u0000"),
);

export const anyId = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
  .filter((text) => text !== "");

const anyDate = fc
  .date({
    min: new Date("0000-01-02T00:00:00Z"),
    max: new Date("9999-12-30T00:00:00Z"),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString());

export const anyTimestamp = fc
  .tuple(anyDate, fc.constantFrom("Z", "z", "+00:00", "-00:00", "+01:00", "-11:30", "+14:00"))
  .map(([instant, offset]) => instant.slice(0, -1) + offset);

const byFormat: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  "date-time": anyTimestamp,
  date: anyDate.map((instant) => instant.slice(0, 10)),
  identifier: anyId,
  "well-formed": anyText,
  "iso-4217": fc.constantFrom(...currencies),
  "iso-3166-1-alpha-2": fc.constantFrom(...countriesAlpha2),
  "iso-3166-1": fc.constantFrom(...countriesAlpha2, ...countriesAlpha3),
};

export function anyValue(schema: SchemaShape): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...alternativesOf(schema).map(anyValue));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "string":
      return byFormat[(schema as { format?: string }).format ?? ""] ?? anyText;
    case "number":
    case "integer": {
      const { minimum = 0, maximum = 1 } = schema as { minimum?: number; maximum?: number };
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    }
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(anyValue(schema.items ?? {}), { maxLength: 4 });
    case "object":
      return typeof schema.additionalProperties === "object"
        ? fc.dictionary(anyText, anyValue(schema.additionalProperties), { maxKeys: 4 })
        : anyObject(schema);
    case undefined:
      return schema.allOf === undefined ? fc.jsonValue({ maxDepth: 2 }) : fc.constant(null);
    case "null":
    default:
      return fc.constant(null);
  }
}

/**
 * The meaning of a value: without the nulls in optional fields, which are the same as leaving them
 * out.
 */
export function withoutNulls(schema: SchemaShape, value: unknown): unknown {
  const alternatives = alternativesOf(schema);
  if (Array.isArray(value)) {
    const items = alternatives.find((one) => one.items !== undefined)?.items ?? {};
    return value.map((item) => withoutNulls(items, item));
  }
  const closed = alternatives.find((one) => one.additionalProperties === false);
  if (closed === undefined || !isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([name, held]) => held !== null || closed.required?.includes(name) === true,
  );
  return Object.fromEntries(
    kept.map(([name, held]) => [name, withoutNulls(closed.properties?.[name] ?? {}, held)]),
  );
}

/** The same for an update, where a null at the top level clears the field. */
export function withoutInnerNulls(type: RecordType, payload: object): object {
  const properties: Readonly<Record<string, SchemaShape>> = type.updateSchema.properties;
  const entries = Object.entries(payload);
  return Object.fromEntries(
    entries.map(([name, held]) => [name, withoutNulls(properties[name] ?? {}, held)]),
  );
}

/** Required fields and any of the others, in any order. */
function anyObject(schema: SchemaShape): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    anyValue(property),
  ]);
  const byName: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(fields);
  const requiredKeys = [...(schema.required ?? [])];
  return fc.record(byName, { requiredKeys, noNullPrototype: true }).chain(anyOrder);
}

export function anyOrder(
  value: Readonly<Record<string, unknown>>,
): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(value);
  return fc
    .shuffledSubarray(entries, { minLength: entries.length })
    .map((shuffled) => Object.fromEntries(shuffled));
}

/** Each field is valid; rules across fields may reject it. */
export function anyPayload(
  type: RecordType,
  operation: "add" | "update",
): fc.Arbitrary<Record<string, unknown>> {
  return anyObject(operation === "add" ? type.addSchema : type.updateSchema);
}

/** Anything from valid to completely invalid. */
export function anySubmission(type: RecordType): fc.Arbitrary<unknown> {
  const name = fc.oneof(fc.constantFrom(...type.fieldNames), anyText);
  const damage = fc.array(fc.tuple(name, fc.jsonValue({ maxDepth: 2 })), { maxLength: 3 });
  const damaged = fc
    .tuple(anyPayload(type, "update"), damage)
    .map(([payload, broken]) => Object.fromEntries([...Object.entries(payload), ...broken]));
  return fc.oneof(
    { weight: 8, arbitrary: damaged },
    { weight: 2, arbitrary: anyPayload(type, "add") },
    fc.jsonValue(),
  );
}
