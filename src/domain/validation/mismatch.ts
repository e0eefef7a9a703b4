// The error message for a value that its schema refuses: "must be …, but is …". Contains the kind and the size of the
// value, never its content.

import { inexactMessage, isInexact } from "../json/exact-number.ts";
import {
  alternativeFor,
  alternativesOf,
  type JsonKind,
  kindOf,
  type SchemaShape,
} from "../schema/schema-shape.ts";

const kindNames: Readonly<Record<JsonKind | "integer", string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
  array: "a list",
  object: "an object",
};

export function mismatch(schema: SchemaShape, value: unknown): string {
  if (isInexact(value) && alternativesOf(schema).some(({ type }) => isNumeric(type))) {
    return inexactMessage;
  }
  const detail = detailOf(schema, value);
  return `must be ${expectedOf(schema)}${describeItems(schema, value)}${detail === undefined ? "" : `, but ${detail}`}`;
}

function expectedOf(schema: SchemaShape): string {
  return schema.expected ?? alternativesOf(schema).map(nameOf).join(" or ");
}

function describeItems(schema: SchemaShape, value: unknown): string {
  const items = Array.isArray(value) ? undefined : alternativeFor(schema, "array")?.items;
  return items === undefined ? "" : `, each ${expectedOf(items)}`;
}

function nameOf(schema: SchemaShape): string {
  return schema.type === undefined ? "a valid value" : kindNames[schema.type];
}

/** Describes how the value differs from what was expected, unless only its content does. */
function detailOf(schema: SchemaShape, value: unknown): string | undefined {
  const kind = kindOf(value);
  const fitting = alternativesOf(schema).find((alternative) => takesKind(alternative, kind));
  return fitting === undefined ? `is ${kindNames[kind]}` : sizeDetailOf(fitting, value);
}

function isNumeric(type: SchemaShape["type"]): boolean {
  return type === "number" || type === "integer";
}

function takesKind(schema: SchemaShape, kind: JsonKind): boolean {
  if (schema.enum !== undefined) return schema.enum.some((allowed) => kindOf(allowed) === kind);
  return (
    schema.type === undefined ||
    schema.type === kind ||
    (kind === "number" && isNumeric(schema.type))
  );
}

function sizeDetailOf(schema: SchemaShape, value: unknown): string | undefined {
  if (typeof value === "string") {
    if (value === "") return "is empty";
    if (isLonger(value, schema.maxLength ?? Infinity)) return "is longer";
    return value.isWellFormed()
      ? undefined
      : "contains half of a surrogate pair, which is not valid text";
  }
  if (Array.isArray(value)) {
    return value.length > (schema.maxItems ?? Infinity) ? `has ${value.length} items` : undefined;
  }
  if (typeof value === "object" && value !== null && schema.maxProperties !== undefined) {
    const { length } = Object.keys(value);
    return length > schema.maxProperties ? `has ${length} entries` : undefined;
  }
  return undefined;
}

/** Characters are code points, as they are to JSON Schema. */
function isLonger(text: string, charactersMax: number): boolean {
  let left = charactersMax;
  for (const character of text) {
    if (character !== "" && (left -= 1) < 0) return true;
  }
  return false;
}
