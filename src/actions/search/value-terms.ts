// The terms of values other than names by which a person or a company is found. A stored value and a value that is
// searched for match if they have a term in common; only hashes of terms are stored.

import type { TelephoneReader } from "./telephone.ts";
import { spell } from "../../domain/search/transliteration.ts";

/** The kind of a value other than a name. */
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

/** None if the text is not such a value. */
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

/**
 * The domain in the form of the DNS (RFC 5890), and everything in lower case: RFC 5321 lets a server distinguish case
 * in the part before the @, but no server does. Undefined if the text is not an address.
 */
export function normaliseEmail(text: string): string | undefined {
  const parts = text.normalize("NFKC").trim().toLowerCase().split(atSign);
  const domain = parts.at(-1) ?? "";
  const local = parts.slice(0, -1).join("@");
  if (local === "" || domain === "") return undefined;
  const host = URL.parse(`http://${domain}`)?.host;
  return host === undefined || host === "" ? undefined : `${local}@${host}`;
}

/** The letters and digits of a number that an authority or a register gave. Undefined if there are none. */
export function normaliseNumber(text: string): string | undefined {
  const [spelled = ""] = spell(text);
  const number = spelled.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return number === "" ? undefined : number;
}

/** A date as records have it, YYYY-MM-DD. */
export function normaliseDate(text: string): string | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined;
}
