// clients/go/types.go: a struct for each object that is sent or answered. What may be left out is a pointer; in an
// update, what may also be null is a *Nullable, so that clearing a field and leaving it as it is are two things.

import type { Shape } from "../../../client/generate/schema-types.ts";
import { aligned, goDoc, goFile, goName } from "./go-text.ts";
import {
  alternativesOf,
  type NamedShape,
  namedShapes,
  refName,
  type Use,
  valuesOf,
} from "./shapes.ts";

type Declarations = Map<string, string>;

interface Place {
  readonly declarations: Declarations;
  readonly use: Use;
  /** A schema that needs a name here: an object or an enumeration. */
  readonly name: string;
  readonly innerPrefix: string;
}

export function renderGoTypes(): string {
  const declarations: Declarations = new Map();
  for (const named of namedShapes()) declareNamed(declarations, named);
  return goFile(
    "What is sent and what is answered.",
    'import (\n\t"encoding/json"\n\t"time"\n)',
    [...declarations.values()].map((text) => text.trimEnd()).join("\n\n"),
  );
}

function declareNamed(declarations: Declarations, { name, use, shape, innerPrefix }: NamedShape) {
  if (shape.properties !== undefined) {
    declareStruct(shape, { declarations, use, name, innerPrefix });
  } else if (valuesOf(shape).length > 0) {
    declareEnum(shape, { declarations, use, name, innerPrefix });
  } else {
    add(declarations, name, `${describe(name, shape)}type ${name} = string\n`);
  }
}

/** Two declarations with one name have to be the same. */
function add(declarations: Declarations, name: string, text: string): void {
  const there = declarations.get(name);
  if (there !== undefined && there !== "" && there !== text) {
    throw new Error(`there are two types in Go with the name ${name}`);
  }
  declarations.set(name, text);
}

/** Go documentation begins with the name. */
function describe(name: string, { description = "" }: Shape): string {
  return goDoc(description === "" ? "" : `${name}: ${description}`);
}

function declareEnum(shape: Shape, { declarations, name }: Place): string {
  const rows = valuesOf(shape).map((value) => [
    `${name}${goName(String(value))}`,
    name,
    `= ${JSON.stringify(value)}`,
  ]);
  const doc = `// ${name} is one of the constants below; a newer service may have further values.\n`;
  add(declarations, name, `${doc}type ${name} string\n\nconst (\n${aligned(rows)})\n`);
  return name;
}

function declareStruct(shape: Shape, place: Place): string {
  const { declarations, name, use } = place;
  // Reserves its place before the objects inside.
  if (!declarations.has(name)) declarations.set(name, "");
  const rows = Object.entries(shape.properties ?? {}).map(([field, property]) => {
    const inner = { ...place, name: `${place.innerPrefix}${goName(field)}` };
    const isRequired = shape.required?.includes(field) === true;
    const { type, isOmitted } = fieldType(field, property, { ...inner, isRequired });
    const tag = `\`json:"${field}${isOmitted ? ",omitempty" : ""}"\``;
    return { cells: [goName(field), type, tag], doc: goDoc(property.description ?? "", "\t") };
  });
  const hasDocs = use !== "update" && rows.some(({ doc }) => doc !== "");
  const fields = hasDocs
    ? rows.map(({ cells, doc }) => `${doc}\t${cells.join(" ")}\n`).join("\n")
    : aligned(rows.map(({ cells }) => cells));
  add(declarations, name, `${describe(name, shape)}type ${name} struct {\n${fields}}\n`);
  return name;
}

interface Field {
  readonly type: string;
  readonly isOmitted: boolean;
}

function fieldType(
  field: string,
  shape: Shape,
  place: Place & { readonly isRequired: boolean },
): Field {
  // Kept unchanged: the signature covers all of its fields, including fields of a newer service.
  if (field === "receipt" && place.use === "reply") {
    if (shape.$ref !== undefined) return { type: "json.RawMessage", isOmitted: true };
  }
  const { types, isNullable } = alternativesOf(shape);
  const type = goType(types, place);
  const isOmitted = !place.isRequired;
  const takesNil = /^(?:\[\]|map\[|any$)/.test(type);
  if (place.use === "reply") {
    const isPointer = isNullable || (isOmitted && /^[A-Z]/.test(type) && isStruct(types));
    return { type: isPointer ? `*${type}` : type, isOmitted };
  }
  if (place.use === "update" && isOmitted) {
    return { type: isNullable ? `*Nullable[${type}]` : `*${type}`, isOmitted };
  }
  return { type: (isOmitted || isNullable) && !takesNil ? `*${type}` : type, isOmitted };
}

function isStruct([first]: readonly Shape[]): boolean {
  return first?.properties !== undefined || first?.$ref !== undefined;
}

const plain: Readonly<Record<string, string>> = {
  string: "string",
  number: "float64",
  integer: "int64",
  boolean: "bool",
};

/** Several types become any value; the service checks it. */
function goType(types: readonly Shape[], place: Place): string {
  const [shape] = types;
  if (shape === undefined || types.length > 1) return "any";
  const { $ref, type = "", format = "", items, properties, additionalProperties } = shape;
  if ($ref !== undefined) return refName($ref);
  const values = valuesOf(shape);
  if (values.length > 0 && type === "string") return declareEnum(shape, place);
  if (format === "date-time" && type === "string")
    return place.use === "reply" ? "Timestamp" : "time.Time";
  if (format === "date" && type === "string") return "Date";
  const known = plain[String(type)];
  if (known !== undefined) return known;
  if (type === "array" && items !== undefined) {
    return `[]${goType(alternativesOf(items).types, { ...place, name: `${place.name}Item` })}`;
  }
  if (type === "object" && properties !== undefined) {
    const use = place.use === "update" ? "record" : place.use;
    return declareStruct(shape, { ...place, use, innerPrefix: place.name });
  }
  if (type === "object" && typeof additionalProperties === "object") {
    const value = { ...place, name: `${place.name}Value` };
    return `map[string]${goType(alternativesOf(additionalProperties).types, value)}`;
  }
  if (type === "" && Object.keys(shape).length === 0) return "any";
  throw new Error(`there is no Go yet for the schema ${JSON.stringify(shape)}`);
}
