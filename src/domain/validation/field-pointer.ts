// The field of a validation error as a JSON Pointer without indexes, such as /addresses/address/city. Contains only
// names that the schema of the type has: the keys of maps, and the names of unknown fields, are what a client sent.

import type { RecordType } from "../record-type.ts";
import {
  alternativeFor,
  isPropertyOf,
  type SchemaShape,
  stepInto,
} from "../schema/schema-shape.ts";

export const unknownField = "(unknown field)";

/** Paths seen so far, by type; emptied when a client sends too many different ones. */
const known = new WeakMap<RecordType, Map<string, string>>();
const pathsKnownMax = 1_000;

/** `field`: a path such as `amount` or `[3].addresses[0].city`; an empty pointer stands for the whole record. */
export function fieldPointer(type: RecordType, field: string): string {
  const path = field.replace(/^\[\d+\]\.?/, "").replaceAll(/\[\d+\]/g, "[]");
  const paths = known.get(type) ?? new Map<string, string>();
  if (paths.size === 0 || paths.size >= pathsKnownMax) {
    paths.clear();
    known.set(type, paths);
  }
  let pointer = paths.get(path);
  if (pointer === undefined) paths.set(path, (pointer = resolve(type, path)));
  return pointer;
}

function resolve(type: RecordType, path: string): string {
  let schema: SchemaShape = type.addSchema;
  let pointer = "";
  for (const step of path.match(/[^.[\]]+|\[\]/g) ?? []) {
    const inside = stepInto(schema, step === "[]" ? 0 : step);
    if (inside === undefined) return pointer + restOf(schema, pointer);
    if (step !== "[]") pointer += `/${isPropertyOf(schema, step) ? step : "*"}`;
    schema = inside;
  }
  return pointer;
}

/** Empty if the schema has no known fields: the dots in a key of a map do not separate fields. */
function restOf(schema: SchemaShape, pointer: string): string {
  if (alternativeFor(schema, "object") === undefined) return "";
  return pointer === "" ? unknownField : `/${unknownField}`;
}
