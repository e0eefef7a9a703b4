// The formats of text in schemas, by name. Other JSON Schema tools know the first two.

import { countriesAlpha2, countriesAlpha3, currencies } from "./codes.ts";
import { isFullDate, normaliseTimestamp } from "../timestamp.ts";

// Control characters (C0, DEL, C1) are not allowed in an id, and lone surrogates are not text: UTF-8 can't represent
// them, so a value with one could not be stored unchanged.
// eslint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** False for text that no store can hold: text in PostgreSQL can't contain NUL, and UTF-8 no lone surrogate. */
export function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes("\u0000");
}

const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export const plainNamePattern = plainName.source;

const countries = countriesAlpha2.union(countriesAlpha3);

/** The formats of which every value is a code of a list. */
export const codesOf: Readonly<Record<string, ReadonlySet<string>>> = {
  "iso-4217": currencies,
  "iso-3166-1-alpha-2": countriesAlpha2,
  "iso-3166-1": countries,
};

export const formats: Readonly<Record<string, (value: string) => boolean>> = {
  "date-time": (value) => normaliseTimestamp(value) !== undefined,
  date: isFullDate,
  identifier: (value) => !controlCharacter.test(value) && value.isWellFormed(),
  "well-formed": (value) => value.isWellFormed(),
  // Text that can be stored in a column of its own.
  "no-nul": isStorable,
  // A name that can be part of an address.
  "plain-name": (value) => plainName.test(value),
  "iso-4217": (value) => currencies.has(value),
  "iso-3166-1-alpha-2": (value) => countriesAlpha2.has(value),
  "iso-3166-1": (value) => countries.has(value),
};
