// What letters say, in the language of the operator: fixed texts with placeholders, the words for types, fields and
// values, and dates and numbers as people write them. Values of records are shown so that none of them changes how the
// text around it is read.

import { fileReasonOf } from "../../actions/operator/operator-error.ts";
import { recordTypes } from "../../domain/record-types.ts";
import {
  alternativesOf,
  isJsonObject,
  type JsonObject,
  type SchemaShape,
} from "../../domain/schema/schema-shape.ts";
import { readNamedFile } from "../../files/named-file.ts";
import { Problem, type Setting, setting } from "../../settings/setting.ts";
import { english, type TextKey } from "./english.ts";

type Values = Readonly<Record<string, string | number>>;

export class Texts {
  /** A BCP 47 tag. */
  readonly language: string;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #dates: Intl.DateTimeFormat;
  readonly #times: Intl.DateTimeFormat;
  readonly #numbers: Intl.NumberFormat;
  readonly #days: Intl.NumberFormat;
  readonly #countries: Intl.DisplayNames;
  /** The formats of currencies. */
  readonly #amounts = new Map<string, Intl.NumberFormat>();

  constructor(own: Readonly<Record<string, string>> = {}) {
    this.#texts = new Map(Object.entries({ ...knownTexts(), ...own }));
    const language = (this.language = this.#read("language"));
    const dates = { dateStyle: "long", timeZone: "UTC" } as const;
    const times = { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" } as const;
    this.#dates = new Intl.DateTimeFormat(language, dates);
    this.#times = new Intl.DateTimeFormat(language, times);
    this.#numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 20 });
    const unit = { style: "unit", unit: "day", unitDisplay: "long" } as const;
    this.#days = new Intl.NumberFormat(language, unit);
    this.#countries = new Intl.DisplayNames(language, { type: "region", fallback: "code" });
  }

  get all(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#texts);
  }

  say(key: TextKey, values: Values = {}): string {
    return this.#read(key).replaceAll(placeholder, (_, name: string) => {
      const value = values[name] ?? "";
      return typeof value === "number" ? this.number(value) : showText(value);
    });
  }

  /** The cells of a row of fixed texts. */
  sayAll(...keys: readonly TextKey[]): readonly string[] {
    return keys.map((key) => this.say(key));
  }

  /** A record type in words; the name itself for an organization. */
  type(resourceType: string): string {
    return this.#texts.get(`type.${resourceType}`) ?? resourceType;
  }

  field(name: string): string {
    return this.#texts.get(`field.${name}`) ?? wordsOf(name);
  }

  number(value: number): string {
    return this.#numbers.format(value);
  }

  days(count: number): string {
    return this.#days.format(count);
  }

  /** `time`: Unix milliseconds, or a text that begins with a date. */
  date(time: number | string): string {
    return this.#format(this.#dates, time) ?? String(time);
  }

  time(time: number | string): string {
    const text = this.#format(this.#times, time);
    return text === undefined ? String(time) : `${text} UTC`;
  }

  /** Undefined for a leap second, which Date does not have. */
  #format(format: Intl.DateTimeFormat, time: number | string): string | undefined {
    const date = new Date(time);
    return Number.isNaN(date.getTime()) ? undefined : format.format(date);
  }

  amount(value: number, currency: string): string {
    const style = {
      style: "currency",
      currencyDisplay: "code",
      maximumFractionDigits: 20,
    } as const;
    const format =
      this.#amounts.get(currency) ?? new Intl.NumberFormat(this.language, { ...style, currency });
    this.#amounts.set(currency, format);
    return format.format(value);
  }

  /** The value of a field, on several lines if it has several parts. `field`: undefined if whoever sent it named it. */
  value(field: string | undefined, value: unknown, depth = 0): string {
    if (value === null || value === undefined) return "–";
    if (typeof value === "boolean") return this.say(value ? "yes" : "no");
    if (typeof value === "number") return this.number(value);
    if (typeof value === "string") return this.#word(field, value);
    if (depth > depthMax) return showText(JSON.stringify(value));
    if (Array.isArray(value)) {
      return value.map((one: unknown) => this.value(field, one, depth + 1)).join("\n");
    }
    // An entry of `additional_properties`.
    const { key, value: own } = value as JsonObject;
    if (typeof key === "string")
      return `${showText(key)}: ${this.value(undefined, own, depth + 1)}`;
    return Object.entries(value)
      .map(([name, part]) => {
        const text = this.value(field === undefined ? undefined : name, part, depth + 1);
        return `${field === undefined ? showText(name) : this.field(name)}: ${text}`;
      })
      .join("\n");
  }

  /** An id or a name that looks like a day is none. */
  #word(field: string | undefined, value: string): string {
    if (field === undefined) return showText(value);
    const { values, format } = fieldKinds().get(field) ?? unknownKind;
    if (values.has(value)) return this.#texts.get(`value.${value}`) ?? value;
    if (format === "date") return showText(this.date(value));
    if (format === "date-time") return showText(this.time(value));
    if (isCode(field, value)) return showText(wordsOf(value));
    const isCountry = /^(?:\w+_country|country|nationality)$/.test(field);
    return showText((isCountry && /^[A-Z]{2}$/.test(value) && this.#countries.of(value)) || value);
  }

  #read(key: TextKey): string {
    return this.#texts.get(key) ?? english[key];
  }
}

/** Values of `additional_properties` that are nested deeper are shown as JSON. */
const depthMax = 3;

const placeholder = /\{(\w+)\}/g;

/** Control characters except line breaks, and characters that turn the direction of what follows. */
const controls = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu;
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [isolate, end] = ["\u2068", "\u2069"];

/** A text from outside as it can stand within another one. */
export function showText(text: string): string {
  const shown = text.replaceAll(controls, "\uFFFD");
  return rightToLeft.test(shown) ? isolate + shown + end : shown;
}

/** What a sender's own code says of a kind or a result, such as DATE_OF_BIRTH or PASSED. */
function isCode(field: string, value: string): boolean {
  if (field.endsWith("outcome") && /^[A-Z]+$/.test(value)) return true;
  return /(?:type|outcome)$/.test(field) && /^[a-z\d]+(?:_[a-z\d]+)+$/i.test(value);
}

function wordsOf(name: string): string {
  const words = name.replace(/^is_/, "").toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface FieldKind {
  /** The values that the field can have; empty if it can have any. */
  readonly values: Set<string>;
  format: string | undefined;
}

const unknownKind: FieldKind = { values: new Set(), format: undefined };
let kinds: ReadonlyMap<string, FieldKind> | undefined;

function fieldKinds(): ReadonlyMap<string, FieldKind> {
  if (kinds !== undefined) return kinds;
  const byName = new Map<string, FieldKind>();
  const add = (name: string, schema: SchemaShape): void => {
    const known = byName.get(name) ?? { values: new Set(), format: undefined };
    byName.set(name, known);
    for (const { enum: allowed = [], format, items, properties = {} } of alternativesOf(schema)) {
      known.format ??= format;
      for (const one of allowed) if (typeof one === "string") known.values.add(one);
      if (items !== undefined) add(name, items);
      for (const [part, inner] of Object.entries(properties)) add(part, inner);
    }
  };
  for (const { addSchema } of recordTypes) {
    for (const [name, schema] of Object.entries(addSchema.properties)) add(name, schema);
  }
  return (kinds = byName);
}

function wordsFor(kind: string, names: Iterable<string>) {
  return Array.from(names, (name) => [`${kind}.${name}`, wordsOf(name)] as const);
}

/** Every text that a file can replace. */
function knownTexts(): Readonly<Record<string, string>> {
  const fields = fieldKinds();
  return {
    ...Object.fromEntries([
      ...recordTypes.map(({ resourceType, title }) => [`type.${resourceType}`, title] as const),
      ...wordsFor("field", fields.keys()),
      ...wordsFor(
        "value",
        Array.from(fields.values()).flatMap(({ values }) => [...values]),
      ),
    ]),
    ...english,
  };
}

export const letterTexts: Setting<Texts> = setting(
  "LETTER_TEXTS",
  "",
  "Path of a JSON file with texts of letters, such as for another language, in place of the English ones.",
  readTexts,
);

function problem(why: string): Problem {
  return new Problem(`the path of a JSON file of texts (${why})`);
}

/** Texts that the file lacks stay English. */
function readTexts(path: string): Texts | Problem {
  if (path === "") return new Texts();
  let given: unknown;
  try {
    given = JSON.parse(readNamedFile(path).toString());
  } catch (error) {
    return problem(error instanceof SyntaxError ? "it is not JSON" : fileReasonOf(error));
  }
  if (!isJsonObject(given)) return problem("it is no object");
  const fault = findFault(given);
  return fault === undefined
    ? new Texts(given as Readonly<Record<string, string>>)
    : problem(fault);
}

function findFault(given: JsonObject): string | undefined {
  const known = new Map(Object.entries(knownTexts()));
  for (const [key, text] of Object.entries(given)) {
    const original = known.get(key);
    if (original === undefined) return `there is no text "${key}"`;
    if (typeof text !== "string") return `"${key}" is no text`;
    const [wanted, found] = [placeholdersOf(original), placeholdersOf(text)];
    if (found !== wanted) return `"${key}" must have ${wanted}, and has ${found}`;
    if (key === "language" && !isLanguage(text)) return `"language" must be a tag such as de-AT`;
  }
  return undefined;
}

function placeholdersOf(text: string): string {
  const found = Array.from(text.matchAll(placeholder), ([all]) => all);
  return [...new Set(found)].sort().join(" ") || "no placeholder";
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}
