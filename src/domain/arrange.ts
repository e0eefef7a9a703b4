// Puts valid values into canonical order: the fields of an object in the order of its schema, the keys of a map sorted.
// Never changes a value in place, and gives back the very same value where it is in order already.

import { alternativeFor, isJsonObject, type JsonObject, type SchemaShape } from "./schema-shape.ts";

type Arrange = (value: unknown) => unknown;

/** For an object schema with fields. A flat object that was sent in order costs one pass over its names. */
export function arrangeObject(schema: SchemaShape): (value: JsonObject) => JsonObject {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    arrange: arrangeValue(property),
  }));
  // Both sides are in order, or it is not arranged: one pass over the two is enough, without looking anything up.
  function isArranged(value: JsonObject): boolean {
    let position = 0;
    // A parsed object has no enumerable names but its own.
    for (const name in value) {
      while (fields[position]?.name !== name) {
        position += 1;
        if (position >= fields.length) return false;
      }
      if (fields[position]?.arrange !== undefined) return false;
    }
    return true;
  }

  return (value) => {
    if (isArranged(value)) return value;
    const arranged: Record<string, unknown> = {};
    for (const { name, arrange } of fields) {
      const held = value[name];
      if (held !== undefined) arranged[name] = arrange === undefined ? held : arrange(held);
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

function arrangeFieldsOrKeys(schema: SchemaShape): (value: JsonObject) => JsonObject {
  return schema.additionalProperties === false ? arrangeObject(schema) : arrangeKeys;
}

/** By UTF-16 code units. `fromEntries` makes own properties even of names such as `__proto__`. */
function arrangeKeys(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1)));
}
