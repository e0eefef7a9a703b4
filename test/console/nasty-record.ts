// Records with markup in every field that accepts text, for tests that pages show it as text.

import type { Payload, RecordType } from "../../src/domain/record-type.ts";
import { alternativesOf, type SchemaShape } from "../../src/domain/schema/schema-shape.ts";

export const nasty = `</td></textarea><script>alert("1")</script><img src=x onerror='alert(2)'>&amp;`;

const textFormats: ReadonlySet<string | undefined> = new Set([
  undefined,
  "identifier",
  "well-formed",
  "no-nul",
]);

/**
 * The example of the type, with markup in place of each text, and in each field that the example lacks and no rule
 * forbids.
 */
export function makeNastyRecord(type: RecordType): Payload {
  const properties: Readonly<Record<string, SchemaShape>> = type.addSchema.properties;
  const exclusive = type.rules.flatMap((rule) => rule.exclusive ?? []);
  const left = new Set([...exclusive, ...type.partyFields]);
  const names = Object.keys(properties).filter(
    (name) => Object.hasOwn(type.example, name) || !left.has(name),
  );
  const values = names.map((name) => [
    name,
    nastyValue(properties[name] ?? {}) ?? type.example[name],
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Undefined for a value that is not free text and contains none. */
function nastyValue(schema: SchemaShape): unknown {
  const alternatives = alternativesOf(schema);
  if (alternatives.every(({ type, enum: values }) => type === undefined && values === undefined)) {
    return nasty;
  }
  for (const one of alternatives) {
    const { format } = one as { readonly format?: string };
    if (one.type === "string" && one.enum === undefined && textFormats.has(format)) {
      return nasty;
    }
    if (one.type === "array" && one.items !== undefined) {
      const item = nastyValue(one.items);
      if (item !== undefined) return [item];
    }
    if (one.type === "object") return nastyObject(one);
  }
  return undefined;
}

function nastyObject({ properties = {}, required = [] }: SchemaShape): unknown {
  const values = Object.entries(properties).map(([name, schema]) => {
    return [name, nastyValue(schema) ?? (required.includes(name) ? firstOf(schema) : undefined)];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function firstOf(schema: SchemaShape): unknown {
  return schema.enum?.[0] ?? false;
}
