// Reduces the document to what common generators of clients turn into code that compiles. It then accepts more than the
// service, which still validates everything: rules stand in the descriptions, and streams in the guides.

import type { JsonSchema, OpenApiDocument } from "./document.ts";

/** The same operations and components, with simpler schemas. */
export function makePortable(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    if (typeof value !== "object" || value === null) return value;
    const parts = Object.entries(simplify(value as JsonSchema, schemas));
    return Object.fromEntries(
      parts.map(([name, part]) => [name, isValue(name) ? part : convert(part)]),
    );
  };
  return convert(document) as OpenApiDocument;
}

/** Examples are values of clients, whatever their members are called. */
function isValue(name: string): boolean {
  return name === "example" || name === "examples";
}

/** A schema and null become a list of types; any other union becomes a schema that accepts everything. */
function simplify(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const { anyOf, ...rest } = withoutClosing(schema) as { readonly anyOf?: readonly JsonSchema[] };
  if (anyOf === undefined) return rest;
  const [only = {}, ...others] = anyOf.filter(({ type }) => type !== "null");
  return others.length === 0 ? { ...withNull(resolve(only, components)), ...rest } : rest;
}

/** Generators make a map of a false value, whose name is that of the field `additional_properties`. */
function withoutClosing(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...rest } = schema;
  return additionalProperties === false ? rest : schema;
}

function resolve(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { $ref } = schema as { readonly $ref?: string };
  if ($ref === undefined) return schema;
  return components[$ref.slice($ref.lastIndexOf("/") + 1)] ?? {};
}

function withNull(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema["type"], "null"] };
}
