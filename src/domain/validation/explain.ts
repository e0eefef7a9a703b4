// Explains why a schema refuses a value: one error for each path, with what was expected and what to do. Walks the
// schema itself, because the list of a validator has every branch of a union and stops early. Runs only after a
// refusal. Errors contain names, kinds and sizes of what was sent, never content.

import type { FieldError } from "../error.ts";
import { errorsMax, limits } from "../limits.ts";
import { isNestedDeeper } from "../json/json-value.ts";
import { fieldPath, itemPath } from "./path.ts";
import {
  alternativeFor,
  alternativesOf,
  isJsonObject,
  type JsonObject,
  kindOf,
  type SchemaShape,
  type JsonKind,
} from "../schema/schema-shape.ts";
import { codeMeantBy } from "../schema/codes.ts";
import { codesOf } from "../schema/formats.ts";
import { isValid, validatorOf } from "../schema/validator.ts";
import { adviseName } from "./suggest.ts";
import { inexactMessage, isInexact } from "../json/exact-number.ts";

/** How many errors of one request suggest the name that was meant; each compares with all names. */
const suggestionsMax = 20;

export interface Explanation {
  /** The noun for the value, such as `transaction` or `token request`. */
  readonly what: string;
  /** Shared by all explanations of one request, which may have thousands of invalid items. */
  readonly budget?: ErrorBudget | undefined;
}

/** How much more explaining the errors of a request may cost. */
export interface ErrorBudget {
  /** A client that sends more unknown names than this has not mistyped. */
  suggestions: number;
}

export function makeErrorBudget(): ErrorBudget {
  return { suggestions: suggestionsMax };
}

interface Walk {
  readonly what: string;
  readonly budget: ErrorBudget;
  readonly errors: FieldError[];
}

interface CheckedValue {
  readonly schema: SchemaShape;
  readonly value: unknown;
  readonly path: string;
}

interface CheckedObject extends CheckedValue {
  readonly value: JsonObject;
}

/** All errors of the value, up to one more than a reply lists; empty if it is valid. */
export function explainErrors(
  schema: SchemaShape,
  value: unknown,
  explanation: Explanation,
): readonly FieldError[] {
  return validatorOf(schema).Check(value) ? [] : explainRefusal(schema, value, explanation);
}

export function explainRefusal(
  schema: SchemaShape,
  value: unknown,
  { what, budget = makeErrorBudget() }: Explanation,
): readonly FieldError[] {
  const walk: Walk = { what, budget, errors: [] };
  explainRefused(walk, { schema, value, path: "" });
  return walk.errors;
}

function explainValue(walk: Walk, place: CheckedValue): void {
  if (walk.errors.length >= errorsMax) return;
  if (isOversized(place) || !isValid(place.schema, place.value)) explainRefused(walk, place);
}

function explainRefused(walk: Walk, place: CheckedValue): void {
  const before = walk.errors.length;
  // The branch of a union that the value is probably meant for, so that errors inside it are named.
  const schema = alternativeFor(place.schema, kindOf(place.value));
  if (schema !== undefined && !isOversized(place)) explainInside(walk, { ...place, schema });
  if (walk.errors.length > before) return;
  const isTooDeep = !isOversized(place) && isNestedDeeper(place.value, limits.jsonDepthMax);
  const message = isTooDeep ? tooDeepMessage : mismatch(place.schema, place.value);
  report(walk, place.path, message + adviseValue(walk, place));
}

/** Names blanks; suggests a value of the enumeration or a code, if the sent one has a typing error or another case. */
function adviseValue(walk: Walk, { schema, value }: CheckedValue): string {
  if (typeof value !== "string") return "";
  const plain = value.trim();
  const isPadded = plain !== value && !/\p{Cc}/u.test(value);
  if (isPadded && isValid(schema, plain)) return ", but has blanks around it";
  for (const { format = "" } of alternativesOf(schema)) {
    const codes = Object.hasOwn(codesOf, format) ? codesOf[format] : undefined;
    const code = codes === undefined ? undefined : codeMeantBy(value, codes);
    if (code !== undefined) return `; did you mean ${code}?`;
  }
  const known = alternativesOf(schema).flatMap(({ enum: values = [] }) => values);
  if (known.length === 0) return "";
  return advise(
    walk,
    value,
    known.filter((one) => typeof one === "string"),
  );
}

const tooDeepMessage = `is nested deeper than ${limits.jsonDepthMax} levels`;

/** A list or map that is too long is reported as such and not read: it may have millions of entries. */
function isOversized({ schema, value }: CheckedValue): boolean {
  const { maxItems = Infinity, maxProperties = Infinity } =
    alternativeFor(schema, kindOf(value)) ?? {};
  if (Array.isArray(value)) return value.length > maxItems;
  return (
    maxProperties < Infinity && isJsonObject(value) && Object.keys(value).length > maxProperties
  );
}

/** Reports nothing if the value is wrong as a whole. */
function explainInside(walk: Walk, { schema, value, path }: CheckedValue): void {
  if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    for (const [index, item] of value.entries()) {
      explainValue(walk, { schema: schema.items, value: item, path: itemPath(path, index) });
    }
  } else if (isJsonObject(value)) {
    explainFields(walk, { schema, value, path });
    if (schema.additionalProperties === false) explainUnknown(walk, { schema, value, path });
    else explainEntries(walk, { schema, value, path });
  }
}

function explainFields(walk: Walk, { schema, value, path }: CheckedObject): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const required = schema.required?.includes(name) === true;
    const field = { schema: property, value: value[name], path: fieldPath(path, name) };
    if (!Object.hasOwn(value, name) || field.value === undefined) {
      if (required) report(walk, field.path, "is required");
    } else if (field.value === null && !required && !isValid(property, null)) {
      report(walk, field.path, `${mismatch(property, null)}; leave it out instead`);
    } else {
      explainValue(walk, field);
    }
  }
}

function explainUnknown(walk: Walk, { schema, value, path }: CheckedObject): void {
  const names = Object.keys(schema.properties ?? {});
  for (const name of Object.keys(value)) {
    if (walk.errors.length >= errorsMax) return;
    if (names.includes(name)) continue;
    const where =
      path === ""
        ? `is not a field of ${withArticle(walk.what)}`
        : `is not one of ${names.join(", ")}`;
    report(walk, fieldPath(path, name), where + advise(walk, name, names));
  }
}

function advise({ budget }: Walk, name: string, known: readonly string[]): string {
  if (budget.suggestions <= 0) return "";
  budget.suggestions -= 1;
  return adviseName(name, known);
}

function explainEntries(walk: Walk, { schema, value, path }: CheckedObject): void {
  const { propertyNames, additionalProperties } = schema;
  if (typeof additionalProperties !== "object") return;
  for (const [name, entry] of Object.entries(value)) {
    const entryPath = fieldPath(path, name);
    if (propertyNames !== undefined && !isValid(propertyNames, name)) {
      report(walk, entryPath, `as a key ${mismatch(propertyNames, name)}`);
    } else {
      explainValue(walk, { schema: additionalProperties, value: entry, path: entryPath });
    }
  }
}

/** `a transaction check`. */
export function withArticle(noun: string): string {
  return `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;
}

function report(walk: Walk, path: string, message: string): void {
  if (walk.errors.length >= errorsMax) return;
  walk.errors.push(path === "" ? { message } : { field: path, message });
}

const kindNames: Readonly<Record<JsonKind | "integer", string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
  array: "a list",
  object: "an object",
};

function mismatch(schema: SchemaShape, value: unknown): string {
  if (isInexact(value) && alternativesOf(schema).some(({ type }) => isNumeric(type))) {
    return inexactMessage;
  }
  const detail = detailOf(schema, value);
  return `must be ${expectedOf(schema)}${describeItems(schema, value)}${detail === undefined ? "" : `, but ${detail}`}`;
}

function expectedOf(schema: SchemaShape): string {
  return schema.expected ?? alternativesOf(schema).map(nameOf).join(" or ");
}

function describeItems(schema: SchemaShape, value: unknown): string {
  const items = Array.isArray(value) ? undefined : alternativeFor(schema, "array")?.items;
  return items === undefined ? "" : `, each ${expectedOf(items)}`;
}

function nameOf(schema: SchemaShape): string {
  return schema.type === undefined ? "a valid value" : kindNames[schema.type];
}

/** Describes how the value differs from what was expected, unless only its content does. */
function detailOf(schema: SchemaShape, value: unknown): string | undefined {
  const kind = kindOf(value);
  const fitting = alternativesOf(schema).find((alternative) => takesKind(alternative, kind));
  return fitting === undefined ? `is ${kindNames[kind]}` : sizeDetailOf(fitting, value);
}

function isNumeric(type: SchemaShape["type"]): boolean {
  return type === "number" || type === "integer";
}

function takesKind(schema: SchemaShape, kind: JsonKind): boolean {
  if (schema.enum !== undefined) return schema.enum.some((allowed) => kindOf(allowed) === kind);
  return (
    schema.type === undefined ||
    schema.type === kind ||
    (kind === "number" && isNumeric(schema.type))
  );
}

function sizeDetailOf(schema: SchemaShape, value: unknown): string | undefined {
  if (typeof value === "string") {
    if (value === "") return "is empty";
    if (isLonger(value, schema.maxLength ?? Infinity)) return "is longer";
    return value.isWellFormed()
      ? undefined
      : "contains half of a surrogate pair, which is not valid text";
  }
  if (Array.isArray(value)) {
    return value.length > (schema.maxItems ?? Infinity) ? `has ${value.length} items` : undefined;
  }
  if (typeof value === "object" && value !== null && schema.maxProperties !== undefined) {
    const { length } = Object.keys(value);
    return length > schema.maxProperties ? `has ${length} entries` : undefined;
  }
  return undefined;
}

/** Characters are code points, as they are to JSON Schema. */
function isLonger(text: string, charactersMax: number): boolean {
  let left = charactersMax;
  for (const character of text) {
    if (character !== "" && (left -= 1) < 0) return true;
  }
  return false;
}
