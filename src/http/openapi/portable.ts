// Reduces the document to what common generators of clients turn into code that compiles. It then accepts more than the
// service, which still validates everything: rules stand in the descriptions, and streams in the guides.

import type { JsonSchema, Media, OpenApiDocument } from "./document.ts";

/** The same operations and components, with simpler schemas and one media type for each body. */
export function makePortable(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([name, part]) => [
      name,
      isMedia(name, part) ? firstOf(part) : part,
    ]);
    const own = simplify(Object.fromEntries(entries) as JsonSchema, schemas);
    return Object.fromEntries(
      Object.entries(own).map(([name, part]) => [name, isValue(name) ? part : convert(part)]),
    );
  };
  return convert(document) as OpenApiDocument;
}

/** Examples are values of clients, whatever their members are called. */
function isValue(name: string): boolean {
  return name === "example" || name === "examples";
}

/** A field of a record may have the same name. */
function isMedia(name: string, part: unknown): part is Media {
  return name === "content" && Object.keys(part as object).every((type) => type.includes("/"));
}

/** If a body can be a record or a list, the examples of records go with the record. */
function firstOf(media: Media): Media {
  const [first] = Object.entries(media);
  if (first === undefined) return media;
  const [type, { schema, examples = {}, ...rest }] = first;
  const isList = "anyOf" in schema && listIn(schema["anyOf"] as readonly JsonSchema[]);
  const shown = Object.entries(examples).filter(([, { value }]) => !isList || Array.isArray(value));
  return { [type]: { ...rest, schema, examples: Object.fromEntries(shown) } };
}

function listIn(schemas: readonly JsonSchema[]): JsonSchema | undefined {
  return schemas.find(({ type }) => type === "array");
}

/**
 * Replaces a union: of a schema and null by a list of types, of a record and a list by the list, and any other by a
 * schema that accepts everything.
 */
function simplify(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const { anyOf, ...rest } = withoutClosing(schema) as { readonly anyOf?: readonly JsonSchema[] };
  if (anyOf === undefined) return rest;
  const others = anyOf.filter(({ type }) => type !== "null");
  const [only = {}] = others;
  if (others.length === 1) return { ...withNull(resolve(only, components)), ...rest };
  return listIn(others) ?? rest;
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
