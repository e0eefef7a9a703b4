// Puts valid values into canonical order: the fields of an object in the order of its schema, the keys of a map sorted.
// Leaves out nulls that mean nothing. Never changes a value in place, and gives back the very same value where it is in
// canonical form already.

import { sortKeys } from "./json-value.ts";
import { alternativeFor, isJsonObject, type JsonObject, type SchemaShape } from "./schema-shape.ts";

type Arrange = (value: unknown) => unknown;

interface ArrangedField {
  readonly name: string;
  readonly arrange: Arrange | undefined;
  /** A null in it is the same as leaving it out. */
  readonly dropsNull: boolean;
}

/**
 * For an object schema with fields. A flat object that was sent in order costs one pass over its names. `keepsNulls`: a null
 * in an optional field means something, as it does in an update; inside other fields it never does.
 */
export function arrangeObject(
  schema: SchemaShape,
  { keepsNulls = false }: { readonly keepsNulls?: boolean } = {},
): (value: JsonObject) => JsonObject {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]): ArrangedField => {
    const dropsNull = !keepsNulls && schema.required?.includes(name) !== true;
    return { name, arrange: arrangeValue(property), dropsNull };
  });
  // Both sides are in order, or it is not arranged: one pass over the two is enough, without looking anything up.
  function isArranged(value: JsonObject): boolean {
    let position = 0;
    // A parsed object has no enumerable names but its own.
    for (const name in value) {
      while (fields[position]?.name !== name) {
        position += 1;
        if (position >= fields.length) return false;
      }
      const field = fields[position];
      if (field?.arrange !== undefined) return false;
      if (value[name] === null && field?.dropsNull === true) return false;
    }
    return true;
  }

  return (value) => {
    if (isArranged(value)) return value;
    const arranged: Record<string, unknown> = {};
    for (const { name, arrange, dropsNull } of fields) {
      const held = value[name];
      if (held === undefined || (held === null && dropsNull)) continue;
      arranged[name] = arrange === undefined ? held : arrange(held);
    }
    return arranged;
  };
}

/** Undefined for a schema whose values have nothing to put in order. */
function arrangeValue(schema: SchemaShape): Arrange | undefined {
  const object = alternativeFor(schema, "object");
  const arrangeFields = object === undefined ? undefined : arrangeFieldsOrKeys(object);
  const items = alternativeFor(schema, "array")?.items;
  const arrangeItem = items === undefined ? undefined : arrangeValue(items);
  if (arrangeFields === undefined && arrangeItem === undefined) return undefined;
  return (value) => {
    if (Array.isArray(value)) return arrangeItem === undefined ? value : value.map(arrangeItem);
    return arrangeFields !== undefined && isJsonObject(value) ? arrangeFields(value) : value;
  };
}

function arrangeFieldsOrKeys(schema: SchemaShape): (value: JsonObject) => unknown {
  return schema.additionalProperties === false ? arrangeObject(schema) : sortKeys;
}
