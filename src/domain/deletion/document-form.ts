// The forms of signed documents. Each is described once: the type of the document, the check of JSON that claims to be
// one, and the schema of the API (src/http/openapi/receipt-schema.ts) follow. Verifies no signature.

import { isJsonObject } from "../schema/schema-shape.ts";

/** A member of a document, with values of the type. */
export interface Field<Value = unknown> {
  readonly test: (value: unknown) => boolean;
  /** Completes the sentence "The field … is not". */
  readonly expected: string;
  /** JSON Schema, without that of members and items. */
  readonly schema: Readonly<Record<string, unknown>> & { readonly description: string };
  /** The members of an object that has exactly these. */
  readonly members?: Form;
  /** What the schema says of the items of a list or of a map. */
  readonly items?: Field;
  /** The name of the schema, if it is a component of the API's document. */
  readonly component?: string;
  readonly isOptional?: true;
  /** Carries the type; is never set. */
  readonly value?: Value;
}

export type Form = Readonly<Record<string, Field>>;

type OptionalName<Of extends Form> = {
  [Name in keyof Of]: Of[Name] extends { readonly isOptional: true } ? Name : never;
}[keyof Of];

type ValueOf<Of> = Of extends Field<infer Value> ? Value : never;

export type DocumentOf<Of extends Form> = {
  readonly [Name in Exclude<keyof Of, OptionalName<Of>>]: ValueOf<Of[Name]>;
} & { readonly [Name in OptionalName<Of>]?: ValueOf<Of[Name]> };

function textLike(pattern: RegExp, expected: string, more: { readonly format?: string } = {}) {
  const test = (value: unknown) => typeof value === "string" && pattern.test(value);
  return (description: string): Field<string> => {
    return { test, expected, schema: { type: "string", ...more, description } };
  };
}

export const text = textLike(/[^]/, "text");
export const hex = textLike(/^[0-9a-f]{64}$/, "64 hex digits");
/** SHA-256, base64url without padding. */
export const hashed = textLike(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, "a hash in base64url");
/** 64 bytes: the last four bits of 86 characters are unused and must be zero (RFC 4648, section 3.5). */
export const signature = textLike(
  /^[A-Za-z0-9_-]{85}[AQgw]$/,
  "86 characters of base64url (64 bytes)",
);
export const time = textLike(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, "a time in UTC", {
  format: "date-time",
});

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

export function wholeNumber(description: string): Field<number> {
  const schema = { type: "integer", format: "int64", minimum: 0, description };
  return { test: isCount, expected: "a whole number", schema };
}

/** Text that has one of these values today. */
export function oneOf<Value extends string>(
  values: readonly Value[],
  description: string,
): Field<Value> {
  const { test, expected } = text(description);
  return { test, expected, schema: { type: "string", enum: values, description } };
}

export function constant<Value extends string | number>(
  value: Value,
  description: string,
): Field<Value> {
  const type = typeof value === "string" ? "string" : "integer";
  const schema = { type, enum: [value], description };
  return { test: (given) => given === value, expected: JSON.stringify(value), schema };
}

export function nullable<Value>({ test, expected, schema }: Field<Value>): Field<Value | null> {
  return {
    test: (value) => value === null || test(value),
    expected: `${expected}, or null`,
    schema: { type: [schema["type"], "null"], description: schema.description },
  };
}

export function listOf<Value>(items: Field<Value>, description: string): Field<readonly Value[]> {
  const test = (value: unknown) => Array.isArray(value) && value.every(items.test);
  const schema = { type: "array", description };
  return { test, expected: `a list of ${items.expected}`, schema, items };
}

export function object<Of extends Form>(members: Of, description: string): Field<DocumentOf<Of>> {
  const schema = { type: "object", description };
  return { test: isJsonObject, expected: "an object", schema, members };
}

export function optional<Value>(field: Field<Value>): Field<Value> & { readonly isOptional: true } {
  return { ...field, isOptional: true };
}

/** Returns a sentence for each member that is not as in the form of the document, such as `a receipt`. */
export function findFormFaults(
  value: unknown,
  form: Form,
  { what, path = "" }: { readonly what: string; readonly path?: string },
): readonly string[] {
  if (!isJsonObject(value)) return ["It is not a JSON object."];
  const names = new Set([...Object.keys(form), ...Object.keys(value)]);
  return [...names].flatMap((name) => {
    const field = Object.hasOwn(form, name) ? form[name] : undefined;
    if (field === undefined) return [`The field ${path}${name} is not part of ${what}.`];
    if (!Object.hasOwn(value, name)) {
      return field.isOptional ? [] : [`The field ${path}${name} is missing.`];
    }
    const member = value[name];
    if (!field.test(member)) return [`The field ${path}${name} is not ${field.expected}.`];
    const { members } = field;
    return members ? findFormFaults(member, members, { what, path: `${path}${name}.` }) : [];
  });
}
