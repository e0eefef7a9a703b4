// The terms of values other than names by which a person or a company is found. A stored value and a value that is
// searched for match if they have a term in common; only hashes of terms are stored.

import {
  normaliseDate,
  normaliseEmail,
  normaliseNumber,
} from "./contact-terms.ts";
import type { TelephoneReader } from "./telephone.ts";

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
