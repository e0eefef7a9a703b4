// The terms of values other than names by which a person or a company is found. A stored value and a value that is
// searched for match if they have a term in common; only hashes of terms are stored. E-mail addresses, numbers and
// dates are compared by the rules of their standards, and telephone numbers in ITU-T E.164. The numbering plans of
// all countries come from a library that is loaded when it is first needed.

import type { parsePhoneNumber } from "awesome-phonenumber";
import { isFullDate } from "../../domain/timestamp.ts";
import { spell, termsOfWantedName } from "./name-terms.ts";
import { limits } from "../../domain/limits.ts";
import { OperatorError, requireLine } from "../../actions/operator/operator-error.ts";

export type ValueKind = "born" | "email" | "telephone" | "document" | "registration";

/** `form` distinguishes terms of different kinds with the same text. */
export function makeTerm({ form, text }: { readonly form: string; readonly text: string }): string {
  return `${form} ${text}`;
}

export interface ValueTerm {
  readonly term: string;
  /** Whether values with this term are the same, and not only similar. */
  readonly exact: boolean;
}

const normalise = {
  born: normaliseDate,
  email: normaliseEmail,
  document: normaliseNumber,
  registration: normaliseNumber,
};

export function termsOfValue(
  kind: ValueKind,
  given: string,
  readTelephone: TelephoneReader,
): readonly ValueTerm[] {
  if (kind !== "telephone") return exactly(kind, normalise[kind](given));
  const { full, national } = readTelephone(given);
  const partial = national.map((text) => ({
    term: makeTerm({ form: "national", text }),
    exact: false,
  }));
  return [...exactly(kind, full), ...partial];
}

function exactly(form: ValueKind, text: string | undefined): readonly ValueTerm[] {
  return text === undefined ? [] : [{ term: makeTerm({ form, text }), exact: true }];
}

const atSign = /[@＠]/;

/** Removes characters that nobody sees, such as direction marks, and writes the digits of all scripts as 0 to 9. */
export function normaliseText(text: string): string {
  const visible = text.normalize("NFKC").replaceAll(/\p{Cf}/gu, "");
  return visible.replaceAll(/\p{Nd}/gu, (digit) => String(valueOf(digit)));
}

/** The ten digits of a script follow each other, and no digit comes before them. */
function valueOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value;
}

/** RFC 5890 for the domain; RFC 5321 lets a server distinguish case before the @, but no server does. */
export function normaliseEmail(text: string): string | undefined {
  const parts = normaliseText(text).trim().toLowerCase().split(atSign);
  const domain = (parts.at(-1) ?? "").replace(/\.$/, "");
  const local = parts.slice(0, -1).join("@");
  if (local === "" || domain === "") return undefined;
  const host = URL.parse(`http://${domain}`)?.host;
  return host === undefined || host === "" ? undefined : `${local}@${host}`;
}

/** The letters and digits of a number that an authority or a register gave. Undefined if there are none. */
export function normaliseNumber(text: string): string | undefined {
  const [spelled = ""] = spell(normaliseText(text));
  const number = spelled.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return number === "" ? undefined : number;
}

/** A date as records have it, YYYY-MM-DD. Undefined if the calendar has no such day. */
export function normaliseDate(text: string): string | undefined {
  return isFullDate(text) ? text : undefined;
}

export interface TelephoneNumber {
  /** In E.164, such as +49301234567; undefined if the text does not tell the country. */
  readonly full: string | undefined;
  /** The digits without the country code and the trunk prefix; several if it is uncertain where they begin. */
  readonly national: readonly string[];
}

/** Shorter texts are extensions, or not telephone numbers. */
const nationalDigitsMin = 5;
/** E.164 allows 15 digits; some texts repeat a trunk prefix. */
const digitsMax = 20;

export type TelephoneReader = (text: string) => TelephoneNumber;

export async function loadTelephoneReader(): Promise<TelephoneReader> {
  const library = await import("awesome-phonenumber");
  return (text) => readNumber(text, library.parsePhoneNumber);
}

type Parse = typeof parsePhoneNumber;

function readNumber(text: string, library: Parse): TelephoneNumber {
  const international = normaliseText(text).replace(/^[\s(]*00(?=[\s()-]*[1-9])/, "+");
  const parsed = parse(international, library);
  if (parsed !== undefined) return parsed;
  const digits = international.replaceAll(/[^\d]/g, "").slice(0, digitsMax);
  // Without a plus, the digits may or may not begin with a country code.
  const perhaps = digits.startsWith("0") ? undefined : parse(`+${digits}`, library);
  const national = [withoutTrunk(digits), ...(perhaps?.national ?? [])];
  return { full: undefined, national: national.filter((one) => one.length >= nationalDigitsMin) };
}

function parse(text: string, library: Parse): TelephoneNumber | undefined {
  const { number, possible } = library(text);
  if (number === undefined || !possible) return undefined;
  // The number as people dial it there, such as with 8 before it in Russia; an extension follows a letter.
  const [dialled = ""] = (number.national ?? "").split(/\p{L}/u);
  const national = [number.significant, dialled.replaceAll(/[^\d]/g, "")].map(withoutTrunk);
  return { full: number.e164, national: [...new Set(national)].filter((one) => one !== "") };
}

function withoutTrunk(digits: string): string {
  return digits.replace(/^0+/, "");
}

/** What can be known, as fields are called. */
export const labels = {
  name: "Name",
  born: "Date of birth",
  email: "E-mail address",
  telephone: "Telephone number, best with its country",
  document: "Number of an identity document",
  registration: "Number of a company in a register",
};

export type Criterion = keyof typeof labels;

export const criteria = Object.keys(labels) as readonly Criterion[];

/** What is known; at least one of these. */
export type Wanted = Readonly<Partial<Record<Criterion, string | undefined>>>;

export interface WantedTerm extends ValueTerm {
  readonly criterion: Criterion;
}

/** More than a name of six words in three spellings has; no name displaces the terms of other values. */
const nameTermsMax = 320;

/** What a text that has no terms has to be. */
const expected: Readonly<Record<Criterion, string>> = {
  name: "a name with letters",
  born: "a date such as 1990-12-10",
  email: "an address such as ada@example.com",
  telephone: "a telephone number, best with its country, such as +49 30 1234567",
  document: "a number with letters or digits",
  registration: "a number with letters or digits",
};

/** Throws OperatorError invalid, which never repeats what was entered. */
export function readWanted(wanted: Wanted, readTelephone: TelephoneReader): readonly WantedTerm[] {
  const given = criteria.filter((criterion) => (wanted[criterion] ?? "") !== "");
  if (given.length === 0) {
    throw new OperatorError(
      "invalid",
      "Say what is known: a name, a date of birth, an e-mail address, a telephone number, or the number of a document or a register.",
    );
  }
  return given.flatMap((criterion) => {
    const text = wanted[criterion] ?? "";
    const [called = ""] = labels[criterion].split(",");
    requireLine(called, text, limits.textCharactersMax);
    const found =
      criterion === "name" ? readName(text) : termsOfValue(criterion, text, readTelephone);
    if (found.length > 0) return found.map((one) => ({ ...one, criterion }));
    throw new OperatorError("invalid", `${called} must be ${expected[criterion]}.`);
  });
}

function readName(text: string): readonly ValueTerm[] {
  const terms = termsOfWantedName(text).slice(0, nameTermsMax);
  return terms.map((one) => ({ term: makeTerm(one), exact: one.exact }));
}
