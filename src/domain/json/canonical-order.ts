// Puts valid values into canonical order: the fields of an object in the order of its schema, the keys of a map sorted.
// Omits nulls without a meaning. Never changes a value in place; returns the same value if it is in canonical order
// already.

import { sortKeys } from "./json-value.ts";
import {
  alternativeFor,
  isJsonObject,
  type JsonObject,
  type SchemaShape,
} from "../schema/schema-shape.ts";

type Order = (value: unknown) => unknown;

interface OrderedField {
  readonly name: string;
  readonly order: Order | undefined;
  /** True if null means the same as omitting the field. */
  readonly dropsNull: boolean;
}

/** `keepsNulls`: a null in an optional field has a meaning, as in an update; inside other fields it never has. */
export function orderFields(
  schema: SchemaShape,
  { keepsNulls = false }: { readonly keepsNulls?: boolean } = {},
): (value: JsonObject) => JsonObject {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]): OrderedField => {
    const dropsNull = !keepsNulls && schema.required?.includes(name) !== true;
    return { name, order: orderValue(property), dropsNull };
  });
  // In canonical order, names come in the order of the fields: one pass over both is enough, without lookups.
  function isOrdered(value: JsonObject): boolean {
    let position = 0;
    // A parsed object has no enumerable names but its own.
    for (const name in value) {
      while (fields[position]?.name !== name) {
        position += 1;
        if (position >= fields.length) return false;
      }
      const field = fields[position];
      if (field?.order !== undefined) return false;
      if (field?.dropsNull === true && value[name] === null) return false;
    }
    return true;
  }

  return (value) => {
    if (isOrdered(value)) return value;
    const ordered: Record<string, unknown> = {};
    for (const { name, order, dropsNull } of fields) {
      const held = value[name];
      if (held === undefined || (held === null && dropsNull)) continue;
      ordered[name] = order === undefined ? held : order(held);
    }
    return ordered;
  };
}

/** Undefined for a schema whose values have nothing to put in order. */
function orderValue(schema: SchemaShape): Order | undefined {
  const object = alternativeFor(schema, "object");
  const orderOwnFields = object === undefined ? undefined : orderFieldsOrKeys(object);
  const items = alternativeFor(schema, "array")?.items;
  const orderItem = items === undefined ? undefined : orderValue(items);
  if (orderOwnFields === undefined && orderItem === undefined) return undefined;
  return (value) => {
    if (Array.isArray(value)) return orderItem === undefined ? value : value.map(orderItem);
    return orderOwnFields !== undefined && isJsonObject(value) ? orderOwnFields(value) : value;
  };
}

function orderFieldsOrKeys(schema: SchemaShape): (value: JsonObject) => unknown {
  return schema.additionalProperties === false ? orderFields(schema) : sortKeys;
}
