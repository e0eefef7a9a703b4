// Translates a schema that validates into standard JSON Schema 2020-12. The result accepts nothing that the validators
// refuse, except lone surrogates, for which no pattern is portable.

import { plainNamePattern } from "../../domain/schema/formats.ts";
import { countriesAlpha2, countriesAlpha3, currencies } from "../../domain/schema/codes.ts";
import { additionalProperty, address } from "../../domain/schema/fields.ts";
import type { SchemaShape } from "../../domain/schema/schema-shape.ts";
import { type JsonSchema, schemaRef } from "./document.ts";

interface CodeList {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly values: ReadonlySet<string>;
}

const codeLists: Readonly<Record<string, CodeList>> = {
  "iso-4217": {
    name: "CurrencyCode",
    description:
      "An ISO 4217 currency code, active or historic; one withdrawn before 2021 only for times at which it was valid.",
    example: "EUR",
    values: currencies,
  },
  "iso-3166-1-alpha-2": {
    name: "CountryCode",
    description: "An ISO 3166-1 alpha-2 country code, or XK (Kosovo).",
    example: "DE",
    values: countriesAlpha2,
  },
  "iso-3166-1": {
    name: "NationalityCode",
    description: "An ISO 3166-1 alpha-2 or alpha-3 country code, or XK or XKX (Kosovo).",
    example: "DEU",
    values: new Set([...countriesAlpha2, ...countriesAlpha3]),
  },
};

/** Fields that are components; `component` in a schema names it, and survives when options copy the schema. */
const components: readonly SchemaShape[] = [address, additionalProperty];

/** Lists of codes are patterns: an enum in a client breaks whenever a country or a currency is new. */
export function sharedSchemas(): Record<string, JsonSchema> {
  const lists = Object.values(codeLists).map(({ name, description, example, values }) => [
    name,
    {
      type: "string",
      description,
      pattern: `^(?:${[...values].join("|")})$`,
      examples: [example],
    },
  ]);
  const shapes = components.map((schema) => [nameOf(schema), publishShape(schema)]);
  return Object.fromEntries([...shapes, ...lists]) as Record<string, JsonSchema>;
}

/** A reference if the schema is a component, otherwise the schema itself. */
export function publishSchema(source: unknown): JsonSchema {
  const name = nameOf(source);
  if (name !== undefined) return schemaRef(name);
  const { format, description } = source as { format?: string; description?: string };
  const list = format === undefined ? undefined : codeLists[format];
  if (list === undefined) return publishShape(source);
  return { ...schemaRef(list.name), ...(description === undefined ? {} : { description }) };
}

function nameOf(schema: unknown): string | undefined {
  return (schema as { component?: string }).component;
}

export function describedShape(description: string, schema: unknown): JsonSchema {
  return { ...publishShape(schema), description };
}

export function publishShape(source: unknown): JsonSchema {
  const published: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(source as JsonSchema)) {
    Object.assign(published, publishers[keyword]?.(value) ?? { [keyword]: value });
  }
  return "default" in published ? withDefaultInWords(published) : published;
}

function withDefaultInWords({ default: value, description, ...rest }: JsonSchema): JsonSchema {
  const what = typeof description === "string" ? `${description} ` : "";
  return { ...rest, description: `${what}Counts as ${JSON.stringify(value)} if left out.` };
}

/** Maps a keyword to its replacement; a keyword that is not listed is published unchanged. */
const publishers: Readonly<Record<string, (value: unknown) => JsonSchema>> = {
  expected: () => ({}),
  component: () => ({}),
  type: publishType,
  format: publishFormat,
  enum: (values) => ({ type: "string", enum: values }),
  properties: publishProperties,
  items: (items) => ({ items: publishSchema(items) }),
  propertyNames: (names) => ({ propertyNames: publishSchema(names) }),
  additionalProperties: (more) => ({
    additionalProperties: typeof more === "object" ? publishSchema(more) : more,
  }),
  allOf: (parts) => publishParts(parts as readonly JsonSchema[]),
  anyOf: (alternatives) => publishUnion(alternatives as readonly JsonSchema[]),
};

/** Generators derive the width of a number from its format; without it some choose one that is too narrow. */
function publishType(type: unknown): JsonSchema {
  if (type === "number") return { type, format: "double" };
  return type === "integer" ? { type, format: "int64" } : { type };
}

function publishFormat(format: unknown): JsonSchema {
  if (format === "well-formed") return {};
  if (format === "no-nul") return { pattern: "^[^\\x00]*$" };
  // Control characters C0, DEL and C1, in escapes that mean the same in ECMA-262, Python and RE2.
  if (format === "identifier") return { pattern: "^[^\\x00-\\x1f\\x7f-\\x9f]+$" };
  if (format === "plain-name") return { pattern: plainNamePattern };
  return { format };
}

function publishProperties(properties: unknown): JsonSchema {
  const entries = Object.entries(properties as JsonSchema);
  if (entries.length === 0) return {};
  return {
    properties: Object.fromEntries(entries.map(([name, schema]) => [name, publishSchema(schema)])),
  };
}

function publishUnion(alternatives: readonly JsonSchema[]): JsonSchema {
  const all = alternatives.flatMap(alternativesOf);
  const others = all.filter(({ type }) => type !== "null").map(publishSchema);
  if (others.length === all.length) return { anyOf: others };
  const [only] = others;
  if (others.length === 1 && only !== undefined && isPlain(only)) return withNull(only);
  const described = others.length === 1 ? others.map(withoutDescription) : others;
  return { anyOf: [...described, { type: "null" }] };
}

/** Joins parts that only define the order of checks into one schema, unless a keyword occurs in two of them. */
function publishParts(parts: readonly JsonSchema[]): JsonSchema {
  const published = parts.map(publishShape);
  const keywords = published.flatMap((part) => Object.keys(part));
  const clash = new Set(keywords).size < keywords.length;
  return clash ? { allOf: published } : (Object.assign({}, ...published) as JsonSchema);
}

function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf } = schema as { anyOf?: readonly JsonSchema[] };
  return anyOf === undefined ? [schema] : anyOf.flatMap(alternativesOf);
}

function isPlain({ type }: JsonSchema): boolean {
  return typeof type === "string" && type !== "object";
}

function withNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema as { type: string; enum?: readonly unknown[] };
  const enumWithNull = values === undefined ? {} : { enum: [...values, null] };
  return { ...schema, type: [type, "null"], ...enumWithNull };
}

function withoutDescription(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => keyword !== "description"),
  );
}
