// Converts JSON Schemas of the OpenAPI document to TypeScript, with one interface per object; nested objects get names
// of their own. Throws for anything that it does not support, rather than leave it out.

import type { JsonSchema } from "../../src/http/openapi/document.ts";
import { docstring, pascalCase, withUnion } from "./code-text.ts";

export interface Shape {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: boolean | Shape;
}

export interface TypeStyle {
  /** Senders may assign fields one by one and set a field to undefined. In replies, absent fields are missing. */
  readonly sent: boolean;
  readonly fieldDocs: boolean;
  /** The prefix for names of nested objects, such as `Person`, also for those of `PersonUpdate`. */
  readonly innerPrefix: string;
}

/** Declarations by name, in the order of the file. */
export type Declarations = Map<string, string>;

/** Declares a schema and the objects in it, unless the name is declared already. */
export function declare(
  declarations: Declarations,
  name: string,
  { schema, style }: { schema: JsonSchema; style: TypeStyle },
): void {
  if (declarations.has(name)) return;
  const shape: Shape = schema;
  const doc = docstring(shape.description ?? "");
  if (shape.properties === undefined) {
    const alternatives = typesOf(shape, { declarations, style, name });
    declarations.set(
      name,
      doc + withUnion(`export type ${name}`, " =", { alternatives, indent: "" }),
    );
    return;
  }
  // Reserves its place before the nested objects.
  declarations.set(name, "");
  const fields = Object.entries(shape.properties).map(([field, property]) => {
    const isRequired = shape.required?.includes(field) === true;
    const inner = `${style.innerPrefix}${pascalCase(field)}`;
    const types = typesOf(property, { declarations, style, name: inner });
    const alternatives = isRequired || !style.sent ? types : [...types, "undefined"];
    const fieldDoc = style.fieldDocs ? docstring(property.description ?? "", "  ") : "";
    const head = `${style.sent ? "" : "readonly "}${field}${isRequired ? "" : "?"}`;
    return fieldDoc + withUnion(head, ":", { alternatives, indent: "  " });
  });
  declarations.set(name, `${doc}export interface ${name} {\n${fields.join("")}}\n`);
}

interface Place {
  readonly declarations: Declarations;
  readonly style: TypeStyle;
  /** The name for an object at this place. */
  readonly name: string;
}

function typesOf(shape: Shape, place: Place): readonly string[] {
  if (shape.$ref !== undefined) return [shape.$ref.slice(shape.$ref.lastIndexOf("/") + 1)];
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap((each) => typesOf(each, place));
  if (shape.enum !== undefined) return shape.enum.map((value) => JSON.stringify(value));
  const types = typeof shape.type === "string" ? [shape.type] : (shape.type ?? []);
  // A schema without any of these accepts every JSON value.
  if (types.length === 0 && Object.keys(shape).length === 0) return ["unknown"];
  return types.flatMap((type) => [typeOf(type, shape, place), ...dateType(type, shape, place)]);
}

/** JSON.stringify turns a Date into a date-time. */
function dateType(type: string, { format }: Shape, { style }: Place): readonly string[] {
  return style.sent && type === "string" && format === "date-time" ? ["Date"] : [];
}

const plain: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

function typeOf(type: string, shape: Shape, place: Place): string {
  const known = plain[type];
  if (known !== undefined) return known;
  if (type === "array" && shape.items !== undefined) {
    const items = typesOf(shape.items, { ...place, name: `${place.name}Item` });
    return `readonly ${items.length === 1 ? items[0] : `(${items.join(" | ")})`}[]`;
  }
  if (type === "object" && typeof shape.additionalProperties === "object") {
    const values = typesOf(shape.additionalProperties, { ...place, name: `${place.name}Value` });
    return `Readonly<Record<string, ${values.join(" | ")}>>`;
  }
  if (type === "object" && shape.properties !== undefined) {
    const { declarations, name, style } = place;
    const inside = { ...style, innerPrefix: name };
    declare(declarations, name, { schema: shape as JsonSchema, style: inside });
    return name;
  }
  throw new Error(`there is no TypeScript yet for the schema ${JSON.stringify(shape)}`);
}

export function namesIn(schema: JsonSchema): readonly string[] {
  const found = JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  return [...new Set([...found].map(([, name = ""]) => name))];
}
