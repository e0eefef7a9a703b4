// Says what is wrong with a value that a schema refuses: one error a path, in words, with what was expected and what to
// do. Walks the schema itself, because a validator's own list names every branch of a union and stops early. Runs only
// after a refusal, and never repeats content: of what was sent it tells names, kinds and sizes.

import type { Validator } from "typebox/compile";
import { Check } from "typebox/value";
import type { FieldError } from "./error.ts";
import { limits } from "./limits.ts";
import { mismatch } from "./mismatch.ts";
import {
  alternativeFor,
  isJsonObject,
  type JsonObject,
  kindOf,
  type SchemaShape,
} from "./schema-shape.ts";
import { closestName } from "./suggest.ts";

export interface Explanation {
  /** What the value is, such as `transaction` or `token request`. */
  readonly what: string;
  /** What to say of a null in an optional field, if there is more to say than what was expected. */
  readonly nullMessage?: string | undefined;
}

/** One error more than a reply lists, so that whoever cuts the list can tell that there are more. */
export const errorsMax = limits.fieldErrorsMax + 1;
/** Looking for the name that was meant takes time; whoever sends so many unknown ones has not mistyped. */
const suggestionsMax = 20;

interface Walk extends Explanation {
  readonly errors: FieldError[];
  suggestions: number;
}

interface Place {
  readonly schema: SchemaShape;
  readonly value: unknown;
  readonly path: string;
}

interface ObjectPlace extends Place {
  readonly value: JsonObject;
}

/** Everything that is wrong with the value, up to one more than a reply lists; empty when the validator takes it. */
export function explainErrors(
  validator: Validator,
  value: unknown,
  explanation: Explanation,
): readonly FieldError[] {
  return validator.Check(value) ? [] : explainRefusal(validator, value, explanation);
}

/** The same, of a value that the validator is known to refuse. */
export function explainRefusal(
  validator: Validator,
  value: unknown,
  explanation: Explanation,
): readonly FieldError[] {
  const walk: Walk = { ...explanation, errors: [], suggestions: 0 };
  explainRefused(walk, { schema: validator.Type(), value, path: "" });
  return walk.errors;
}

function explainPlace(walk: Walk, place: Place): void {
  if (walk.errors.length >= errorsMax) return;
  if (isOversized(place) || !isValid(place.schema, place.value)) explainRefused(walk, place);
}

function explainRefused(walk: Walk, place: Place): void {
  const before = walk.errors.length;
  // The one branch of a union that the value can be meant for, so that what is wrong inside it is named.
  const schema = alternativeFor(place.schema, kindOf(place.value));
  if (schema !== undefined && !isOversized(place)) explainInside(walk, { ...place, schema });
  if (walk.errors.length === before) report(walk, place.path, mismatch(place.schema, place.value));
}

/** A list or map that is too long is told of as such, and not gone through: it may hold millions. */
function isOversized({ schema, value }: Place): boolean {
  const { maxItems = Infinity, maxProperties = Infinity } =
    alternativeFor(schema, kindOf(value)) ?? {};
  if (Array.isArray(value)) return value.length > maxItems;
  return (
    maxProperties < Infinity && isJsonObject(value) && Object.keys(value).length > maxProperties
  );
}

/** Reports nothing where the value is wrong as a whole. */
function explainInside(walk: Walk, { schema, value, path }: Place): void {
  if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    for (const [index, item] of value.entries()) {
      explainPlace(walk, { schema: schema.items, value: item, path: `${path}[${index}]` });
    }
  } else if (isJsonObject(value)) {
    explainFields(walk, { schema, value, path });
    if (schema.additionalProperties === false) explainUnknown(walk, { schema, value, path });
    else explainEntries(walk, { schema, value, path });
  }
}

function explainFields(walk: Walk, { schema, value, path }: ObjectPlace): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const required = schema.required?.includes(name) === true;
    const field: Place = { schema: property, value: value[name], path: join(path, name) };
    if (!Object.hasOwn(value, name) || field.value === undefined) {
      if (required) report(walk, field.path, "is required");
    } else if (field.value === null && !required && !isValid(property, null)) {
      const atTop = path === "" ? walk.nullMessage : undefined;
      report(walk, field.path, atTop ?? `${mismatch(property, null)}; leave it out instead`);
    } else {
      explainPlace(walk, field);
    }
  }
}

function explainUnknown(walk: Walk, { schema, value, path }: ObjectPlace): void {
  const known = Object.keys(schema.properties ?? {});
  for (const name of Object.keys(value)) {
    if (walk.errors.length >= errorsMax) return;
    if (known.includes(name)) continue;
    const meant = (walk.suggestions += 1) > suggestionsMax ? undefined : closestName(name, known);
    const where =
      path === ""
        ? `is not a field of ${withArticle(walk.what)}`
        : `is not one of ${known.join(", ")}`;
    report(
      walk,
      join(path, name),
      meant === undefined ? where : `${where}; did you mean ${meant}?`,
    );
  }
}

/** Of an object whose keys are the sender's own. */
function explainEntries(walk: Walk, { schema, value, path }: ObjectPlace): void {
  const { propertyNames, additionalProperties } = schema;
  if (typeof additionalProperties !== "object") return;
  for (const [name, entry] of Object.entries(value)) {
    const entryPath = join(path, name);
    if (propertyNames !== undefined && !isValid(propertyNames, name)) {
      report(walk, entryPath, `as a key ${mismatch(propertyNames, name)}`);
    } else {
      explainPlace(walk, { schema: additionalProperties, value: entry, path: entryPath });
    }
  }
}

function withArticle(noun: string): string {
  return `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;
}

function isValid(schema: SchemaShape, value: unknown): boolean {
  return Check(schema, value);
}

function report(walk: Walk, path: string, message: string): void {
  if (walk.errors.length >= errorsMax) return;
  walk.errors.push(path === "" ? { message } : { field: path, message });
}

function join(path: string, name: string): string {
  const step = name === "" ? '""' : shorten(name);
  return path === "" ? step : `${path}.${step}`;
}

function shorten(name: string): string {
  const max = limits.idCharactersMax;
  return name.length > max ? `${name.slice(0, max)}…` : name;
}
