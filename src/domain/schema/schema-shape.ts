// The part of JSON Schema that the domain's schemas use, as plain data, and the kinds of JSON value. Validates nothing.

export interface SchemaShape {
  readonly type?: JsonKind | "integer";
  readonly description?: string;
  /** Completes the sentence "… must be" in error messages. */
  readonly expected?: string;
  readonly default?: unknown;
  readonly deprecated?: true;
  /** The name of the schema in the OpenAPI document, if it is a component. */
  readonly component?: string;
  readonly properties?: Readonly<Record<string, SchemaShape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaShape;
  readonly propertyNames?: SchemaShape;
  readonly items?: SchemaShape;
  readonly anyOf?: readonly SchemaShape[];
  readonly allOf?: readonly SchemaShape[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface ObjectSchema extends SchemaShape {
  readonly properties: Readonly<Record<string, SchemaShape>>;
}

export type JsonKind = "string" | "number" | "boolean" | "null" | "array" | "object";
export type JsonObject = Readonly<Record<string, unknown>>;

export function kindOf(value: unknown): JsonKind {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  const kind = typeof value;
  return kind === "string" || kind === "number" || kind === "boolean" ? kind : "object";
}

export function isJsonObject(value: unknown): value is JsonObject {
  return kindOf(value) === "object";
}

/** Returns the alternatives of a schema: those of nested unions, or the schema itself with all its parts. */
export function alternativesOf(schema: SchemaShape): readonly SchemaShape[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(alternativesOf);
  return [schema.allOf === undefined ? schema : Object.assign({}, schema, ...schema.allOf)];
}

export function alternativeFor(schema: SchemaShape, kind: JsonKind): SchemaShape | undefined {
  const fitting = alternativesOf(schema).filter((alternative) => alternative.type === kind);
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** The schema of a field, of an entry of a map, or of an item of a list; undefined if there is none. */
export function stepInto(schema: SchemaShape, step: string | number): SchemaShape | undefined {
  if (typeof step === "number") return alternativeFor(schema, "array")?.items;
  const object = alternativeFor(schema, "object");
  if (Object.hasOwn(object?.properties ?? {}, step)) return object?.properties?.[step];
  const others = object?.additionalProperties;
  return typeof others === "object" ? others : undefined;
}
