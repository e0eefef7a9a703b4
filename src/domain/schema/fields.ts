// The kinds of field in record types, each a schema that validates and documents itself: plain data, which validator.ts
// compiles.

import { limits } from "../limits.ts";
import type { ObjectSchema, SchemaShape } from "./schema-shape.ts";

export interface Field {
  readonly schema: SchemaShape;
  readonly required: boolean;
}

export function required(schema: SchemaShape): Field {
  return { schema, required: true };
}

export function optional(schema: SchemaShape): Field {
  return { schema, required: false };
}

export function identifier(
  description: string,
  { deprecated }: { readonly deprecated?: true } = {},
): SchemaShape {
  return {
    type: "string",
    ...(deprecated === true ? { deprecated } : {}),
    description,
    minLength: 1,
    maxLength: limits.idCharactersMax,
    format: "identifier",
    expected: `an id of 1 to ${limits.idCharactersMax} characters without control characters`,
  };
}

/** A field of text in this format, by its description. `expected` completes the sentence "… must be". */
function textIn(format: string, expected: string, bounds: Pick<SchemaShape, "maxLength"> = {}) {
  return (description: string): SchemaShape => {
    return { type: "string", description, ...bounds, format, expected };
  };
}

function textOfAtMost(maxLength: number) {
  return textIn("well-formed", `text of at most ${maxLength} characters`, { maxLength });
}

export const text = textOfAtMost(limits.textCharactersMax);

/** The schema of a narrative; the bound on the bytes of a record applies too. */
export const longText = textOfAtMost(limits.longTextCharactersMax);

export function oneOf(description: string, values: readonly string[]): SchemaShape {
  return { enum: [...values], description, expected: `one of ${values.join(", ")}` };
}

export function flag(description: string): SchemaShape {
  return { type: "boolean", description, expected: "true or false" };
}

/** A flag that is false if it is in no change (merge.ts); payloads are stored as sent. */
export function flagOrFalse(description: string): SchemaShape {
  return { ...flag(description), default: false };
}

/** A number of at most 2^53 - 1 in magnitude. */
export function amount(description: string): SchemaShape {
  return {
    type: "number",
    description,
    minimum: -limits.amountMagnitudeMax,
    maximum: limits.amountMagnitudeMax,
    expected: `a number between -${limits.amountMagnitudeMax} and ${limits.amountMagnitudeMax}`,
  };
}

export function share(description: string): SchemaShape {
  return { type: "number", description, minimum: 0, maximum: 1, expected: "a number from 0 to 1" };
}

export const dateTime = textIn(
  "date-time",
  "an RFC 3339 date-time with offset, such as 2026-01-31T09:30:00Z, with at most " +
    `${limits.fractionDigitsMax} digits of a fraction`,
);

export const date = textIn("date", "a date such as 2026-01-31");

export const currency = textIn("iso-4217", "an ISO 4217 currency code in capitals, such as EUR");

export const country = textIn(
  "iso-3166-1-alpha-2",
  "an ISO 3166-1 alpha-2 country code in capitals, such as DE",
);

export const nationality = textIn(
  "iso-3166-1",
  "an ISO 3166-1 alpha-2 or alpha-3 country code in capitals, such as DE or DEU",
);

export function listOf(description: string, items: SchemaShape): SchemaShape {
  return {
    type: "array",
    items,
    description,
    maxItems: limits.listItemsMax,
    expected: `a list of at most ${limits.listItemsMax} items`,
  };
}

export function identifiers(description: string): SchemaShape {
  return listOf(description, identifier("An id."));
}

/**
 * The object has exactly these fields; a null in an optional one means nothing. `component`: its name in the OpenAPI
 * form.
 */
export function object(
  description: string,
  fields: Readonly<Record<string, Field>>,
  component: { readonly component?: string } = {},
): SchemaShape {
  return {
    ...exactObject(fields, addedField),
    description,
    expected: `an object with ${describeFields(fields)}`,
    ...component,
  };
}

/** `key, value, and optionally description` */
function describeFields(fields: Readonly<Record<string, Field>>): string {
  const namesOf = (isRequired: boolean) =>
    Object.keys(fields)
      .filter((name) => fields[name]?.required === isRequired)
      .join(", ");
  const [needed, others] = [namesOf(true), namesOf(false)];
  if (needed === "") return `any of ${others}`;
  return others === "" ? needed : `${needed}, and optionally ${others}`;
}

export function exactObject(
  fields: Readonly<Record<string, Field>>,
  change: (field: Field, name: string) => Field,
): ObjectSchema {
  const changed = Object.entries(fields).map(
    ([name, field]) => [name, change(field, name)] as const,
  );
  const names = changed.filter(([, field]) => field.required).map(([name]) => name);
  return {
    type: "object",
    ...(names.length === 0 ? {} : { required: names }),
    properties: Object.fromEntries(changed.map(([name, { schema }]) => [name, schema])),
    additionalProperties: false,
  };
}

/**
 * An object with keys chosen by the sender and any JSON as values; the rule `jsonIn` bounds their depth. The bound on
 * the keys comes first, in its own allOf: otherwise a validator reads every entry before it checks the bound, and a
 * body can have a million.
 */
export function jsonMap(description: string): SchemaShape {
  const bound = { maxProperties: limits.listItemsMax };
  const entries = { propertyNames: text("A key."), additionalProperties: {} };
  return {
    type: "object",
    properties: {},
    description,
    allOf: [bound, entries],
    expected: `an object of at most ${limits.listItemsMax} entries`,
  };
}

export function either(
  description: string,
  schemas: readonly SchemaShape[],
  expected: string,
): SchemaShape {
  return { anyOf: [...schemas], description, expected };
}

export function nullable(schema: SchemaShape): SchemaShape {
  return orNull(schema, `${schema.expected ?? "a value"}, or null`);
}

/** A field of an added record or a nested object: an optional one may be null, which is the same as omitting it. */
export function addedField({ schema, required: isRequired }: Field): Field {
  return isRequired ? required(schema) : optional(orNull(schema, schema.expected ?? "a value"));
}

function orNull(schema: SchemaShape, expected: string): SchemaShape {
  const { description } = schema;
  return {
    anyOf: [schema, { type: "null" }],
    ...(description === undefined ? {} : { description }),
    ...("default" in schema ? { default: schema.default } : {}),
    expected,
  };
}

export const address: SchemaShape = object(
  "A postal address.",
  {
    lines: optional(listOf("Street lines.", text("A line."))),
    city: optional(text("City.")),
    state: optional(text("State or province.")),
    county: optional(text("County.")),
    postal_code: optional(text("Postal code.")),
    country: optional(text("Country.")),
  },
  { component: "Address" },
);

/** Keys must be unique, which validate.ts checks for every type. */
export const additionalProperty: SchemaShape = object(
  "One of the sender's own fields.",
  {
    key: required(text("Name, unique in the list.")),
    value: required(longText("Value, always as text.")),
    type: required(
      oneOf("What the text stands for.", ["STRING", "NUMBER", "BOOLEAN", "OBJECT", "ARRAY"]),
    ),
    description: optional(text("What it means.")),
  },
  { component: "AdditionalProperty" },
);

export const additionalProperties: SchemaShape = listOf(
  "The sender's own fields.",
  additionalProperty,
);
