// Deterministic values generated from schemas: one that fills in everything, every place in it, and
// for each place values that have to be rejected.

import { limits } from "../../src/domain/limits.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import {
  alternativesOf,
  isJsonObject,
  type SchemaShape,
} from "../../src/domain/schema/schema-shape.ts";

export type Step = string | number;
export type Fields = Record<string, unknown>;

const byFormat: Readonly<Record<string, string>> = {
  "date-time": "2026-03-01T12:00:00+02:00",
  date: "2024-02-29",
  identifier: "id/with ünïcode-😀",
  "well-formed": "text\u0000 with\nanything 😀",
  "iso-4217": "CHF",
  "iso-3166-1-alpha-2": "AT",
  "iso-3166-1": "AUT",
};

/** A valid value in which every field is present and every list has two items. */
export function fullValue(schema: SchemaShape): unknown {
  const first = alternativesOf(schema)[0] ?? schema;
  if (first.enum !== undefined) return first.enum.at(-1);
  switch (first.type) {
    case "string":
      return byFormat[formatOf(first)];
    case "number":
    case "integer":
      return 0.25;
    case "boolean":
      return true;
    case "array":
      return first.items === undefined ? [] : [fullValue(first.items), fullValue(first.items)];
    case "object":
      return Object.fromEntries(
        Object.entries(first.properties ?? {}).map(([name, property]) => [
          name,
          fullValue(property),
        ]),
      );
    case "null":
    case undefined:
    default:
      return null;
  }
}

/**
 * Everything filled in, except that of mutually exclusive fields it has only the named one (or the
 * first).
 */
export function fullPayload(type: RecordType, keep?: string): Fields {
  const payload: Fields = {};
  for (const [name, property] of Object.entries<SchemaShape>(type.addSchema.properties)) {
    payload[name] = fullValue(property);
  }
  const properties = payload["additional_properties"];
  if (Array.isArray(properties)) properties.forEach((item, index) => (item.key = `key ${index}`));
  const related = type.fieldNames.filter((name) => /^related_.*_id$/.test(name));
  const exclusive = type.rules.some((rule) => rule.summary.startsWith("At most one"));
  const kept = keep !== undefined && related.includes(keep) ? keep : related[0];
  if (exclusive) for (const name of related) if (name !== kept) delete payload[name];
  return payload;
}

export interface SchemaPlace {
  readonly path: string;
  readonly steps: readonly Step[];
  readonly schema: SchemaShape;
  readonly required: boolean;
}

/** Every field, item and part of the value that `fullValue` makes. */
export function placesOf(
  schema: SchemaShape,
  path = "",
  steps: readonly Step[] = [],
): SchemaPlace[] {
  return alternativesOf(schema).flatMap((alternative): SchemaPlace[] => {
    if (alternative.items !== undefined) {
      const place = { path: `${path}[1]`, steps: [...steps, 1], schema: alternative.items };
      return [{ ...place, required: true }, ...placesOf(place.schema, place.path, place.steps)];
    }
    return Object.entries(alternative.properties ?? {}).flatMap(([name, property]) => {
      const place = {
        path: path === "" ? name : `${path}.${name}`,
        steps: [...steps, name],
        schema: property,
      };
      const required = alternative.required?.includes(name) === true;
      return [{ ...place, required }, ...placesOf(property, place.path, place.steps)];
    });
  });
}

/** Values that this schema rejects, by what is wrong with them. The tests of nulls cover null. */
export function wrongValues(schema: SchemaShape): readonly (readonly [string, unknown])[] {
  const alternatives = alternativesOf(schema);
  const kinds = new Set(alternatives.map((one) => (one.enum === undefined ? one.type : "string")));
  const wrong: [string, unknown][] = [];
  if (!kinds.has("string")) wrong.push(["text", "text"], ["a number as text", "1"]);
  if (!kinds.has("number")) wrong.push(["a number", 7]);
  if (!kinds.has("boolean")) wrong.push(["a boolean", true]);
  if (!kinds.has("array")) wrong.push(["a list", []]);
  if (!kinds.has("object")) wrong.push(["an object", {}]);
  for (const alternative of alternatives) wrong.push(...outOfBounds(alternative));
  return wrong;
}

function outOfBounds(schema: SchemaShape): readonly [string, unknown][] {
  if (schema.enum !== undefined)
    return [
      ["another word", "ANOTHER"],
      ["lower case", String(schema.enum[0]).toLowerCase()],
    ];
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  if (schema.type === "number") {
    return [
      ["too small", (minimum ?? 0) - 1],
      ["too large", (maximum ?? 0) + 1],
      ["infinite", Infinity],
    ];
  }
  if (schema.type === "array") {
    const item = fullValue(schema.items ?? {});
    return [["too many items", Array.from({ length: limits.listItemsMax + 1 }, () => item)]];
  }
  if (schema.type !== "string") return [];
  const halfPair: [string, unknown] = ["half a surrogate pair", "\ud83d"];
  switch (formatOf(schema)) {
    case "identifier":
      return [
        halfPair,
        ["empty", ""],
        ["too long", "😀".repeat(limits.idCharactersMax + 1)],
        ["a control character", "a\u0000b"],
        ["a C1 control character", "a\u0085b"],
      ];
    case "well-formed":
      return [halfPair, ["too long", "😀".repeat((schema.maxLength ?? 0) + 1)]];
    case "date-time":
      return [
        halfPair,
        ["no offset", "2026-03-01T12:00:00"],
        ["no such day", "2026-02-29T12:00:00Z"],
      ];
    case "date":
      return [halfPair, ["a date-time", "2026-03-01T12:00:00Z"], ["no such day", "2026-02-29"]];
    default:
      return [halfPair, ["lower case", "chf"], ["no such code", "QQQ"], ["empty", ""]];
  }
}

function formatOf(schema: SchemaShape): string {
  return (schema as { format?: string }).format ?? "";
}

/** A copy of the value with one place set, or removed where `to` is undefined. */
export function withPlace(value: unknown, steps: readonly Step[], to: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return to;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === step ? withPlace(item, rest, to) : item));
  }
  const copy: Fields = isJsonObject(value) ? { ...value } : {};
  const held = withPlace(copy[step], rest, to);
  if (held === undefined) delete copy[step];
  else copy[step] = held;
  return copy;
}
