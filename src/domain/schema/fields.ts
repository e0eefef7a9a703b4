// The kinds of field in record types, each a schema that validates and documents itself. `description` is the meaning of the
// field; `expected` completes the sentence "… must be" in error messages.

import { type TSchema, Type } from "typebox";
import { Format } from "typebox/format";
import { countriesAlpha2, countriesAlpha3, currencies } from "./codes.ts";
import { limits } from "../limits.ts";
import { isFullDate, normaliseTimestamp } from "../timestamp.ts";

export interface Field {
  readonly schema: TSchema;
  readonly required: boolean;
}

export function required(schema: TSchema): Field {
  return { schema, required: true };
}

export function optional(schema: TSchema): Field {
  return { schema, required: false };
}

// These functions check the formats; other JSON Schema tools know the first two by name.
Format.Set("date-time", (value: string) => normaliseTimestamp(value) !== undefined);
Format.Set("date", isFullDate);
Format.Set("identifier", isIdentifier);
Format.Set("well-formed", (value: string) => value.isWellFormed());
// For values that have their own column: text in PostgreSQL can't contain NUL.
Format.Set("no-nul", (value: string) => value.isWellFormed() && !value.includes("\u0000"));
Format.Set("iso-4217", (value: string) => currencies.has(value));
Format.Set("iso-3166-1-alpha-2", (value: string) => countriesAlpha2.has(value));
Format.Set(
  "iso-3166-1",
  (value: string) => countriesAlpha2.has(value) || countriesAlpha3.has(value),
);

// Control characters (C0, DEL, C1) are not allowed in an id, and lone surrogates are not text: UTF-8 can't represent them, so
// a value with one could not be stored unchanged.
// eslint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

function isIdentifier(value: string): boolean {
  return !controlCharacter.test(value) && value.isWellFormed();
}

export function identifier(
  description: string,
  { deprecated }: { readonly deprecated?: true } = {},
): TSchema {
  return Type.String({
    ...(deprecated === true ? { deprecated } : {}),
    description,
    minLength: 1,
    maxLength: limits.idCharactersMax,
    format: "identifier",
    expected: `an id of 1 to ${limits.idCharactersMax} characters without control characters`,
  });
}

export function text(description: string): TSchema {
  return textOfAtMost(limits.textCharactersMax, description);
}

/** For narratives; the bound on the bytes of a record applies too. */
export function longText(description: string): TSchema {
  return textOfAtMost(limits.longTextCharactersMax, description);
}

function textOfAtMost(maxLength: number, description: string): TSchema {
  return Type.String({
    description,
    maxLength,
    format: "well-formed",
    expected: `text of at most ${maxLength} characters`,
  });
}

export function oneOf(description: string, values: readonly string[]): TSchema {
  return Type.Enum([...values], { description, expected: `one of ${values.join(", ")}` });
}

export function flag(description: string): TSchema {
  return Type.Boolean({ description, expected: "true or false" });
}

/** A flag that is false if it is in no change (merge.ts); payloads are stored as sent. */
export function flagOrFalse(description: string): TSchema {
  return Type.Boolean({ description, default: false, expected: "true or false" });
}

/** A number of at most 2^53 - 1 in magnitude. */
export function amount(description: string): TSchema {
  return Type.Number({
    description,
    minimum: -limits.amountMagnitudeMax,
    maximum: limits.amountMagnitudeMax,
    expected: `a number between -${limits.amountMagnitudeMax} and ${limits.amountMagnitudeMax}`,
  });
}

export function share(description: string): TSchema {
  return Type.Number({ description, minimum: 0, maximum: 1, expected: "a number from 0 to 1" });
}

export function dateTime(description: string): TSchema {
  return Type.String({
    description,
    format: "date-time",
    expected: "an RFC 3339 date-time with offset, such as 2026-01-31T09:30:00Z",
  });
}

export function date(description: string): TSchema {
  return Type.String({ description, format: "date", expected: "a date such as 2026-01-31" });
}

export function currency(description: string): TSchema {
  return Type.String({
    description,
    format: "iso-4217",
    expected: "an ISO 4217 currency code in capitals, such as EUR",
  });
}

export function country(description: string): TSchema {
  return Type.String({
    description,
    format: "iso-3166-1-alpha-2",
    expected: "an ISO 3166-1 alpha-2 country code in capitals, such as DE",
  });
}

export function nationality(description: string): TSchema {
  return Type.String({
    description,
    format: "iso-3166-1",
    expected: "an ISO 3166-1 alpha-2 or alpha-3 country code in capitals, such as DE or DEU",
  });
}

export function listOf(description: string, items: TSchema): TSchema {
  return Type.Array(items, {
    description,
    maxItems: limits.listItemsMax,
    expected: `a list of at most ${limits.listItemsMax} items`,
  });
}

export function identifiers(description: string): TSchema {
  return listOf(description, identifier("An id."));
}

/**
 * An object with exactly these fields. A null in an optional one is the same as omitting it. `component`: its name in
 * the OpenAPI document where it is a component.
 */
export function object(
  description: string,
  fields: Readonly<Record<string, Field>>,
  component: { readonly component?: string } = {},
): TSchema {
  const properties = Object.entries(fields).map(([name, field]) => [name, addedField(field)]);
  return Type.Object(Object.fromEntries(properties), {
    description,
    additionalProperties: false,
    expected: `an object with ${Object.keys(fields).join(", ")}`,
    ...component,
  });
}

/**
 * An object with keys chosen by the sender and any JSON as values; the rule `jsonIn` bounds their depth. The bound on the
 * keys comes first, in its own allOf: otherwise a validator reads every entry before it checks the bound, and a body can have
 * a million.
 */
export function jsonMap(description: string): TSchema {
  const bound = { maxProperties: limits.listItemsMax };
  const entries = { propertyNames: text("A key."), additionalProperties: {} };
  return Type.Object(
    {},
    {
      description,
      allOf: [bound, entries],
      expected: `an object of at most ${limits.listItemsMax} entries`,
    },
  );
}

export function either(
  description: string,
  schemas: readonly TSchema[],
  expected: string,
): TSchema {
  return Type.Union([...schemas], { description, expected });
}

/** The same schema, or null. */
export function nullable(schema: TSchema): TSchema {
  const { expected } = schema as { expected?: string };
  return orNull(schema, `${expected ?? "a value"}, or null`);
}

/** A field of an added record or a nested object: an optional one may be null, which is the same as omitting it. */
export function addedField({ schema, required: isRequired }: Field): TSchema {
  if (isRequired) return schema;
  const { expected } = schema as { expected?: string };
  return Type.Optional(orNull(schema, expected ?? "a value"));
}

function orNull(schema: TSchema, expected: string): TSchema {
  const { description, ...rest } = schema as { description?: string; default?: unknown };
  return Type.Union([schema, Type.Null()], {
    ...(description === undefined ? {} : { description }),
    ...("default" in rest ? { default: rest.default } : {}),
    expected,
  });
}

export const address: TSchema = object(
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
export const additionalProperty: TSchema = object(
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

export const additionalProperties: TSchema = listOf("The sender's own fields.", additionalProperty);
