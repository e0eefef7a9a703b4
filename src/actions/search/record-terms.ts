// What a person or a company is found by: the terms of the values in its changes, with the field of each. A term is a
// text that a search makes from its own values too; only hashes of terms are stored.

import {
  normaliseDate,
  normaliseEmail,
  normaliseNumber,
} from "../../domain/search/contact-terms.ts";
import { termsOfName } from "../../domain/search/name-terms.ts";
import type { SearchedType } from "../../domain/search/searched-types.ts";
import type { Payload } from "../../domain/record-type.ts";
import type { TelephoneReader } from "./telephone.ts";

export interface RecordTerm {
  readonly term: string;
  readonly field: string;
  /** Whether only changes before the latest state have the value. */
  readonly former: boolean;
}

/**
 * A record has no more; the latest state comes first. A long name has many terms, so names get what other values leave.
 */
const termsMax = 256;
const valueTermsMax = 128;

/** `form` tells terms of different kinds apart that have the same text. */
export function makeTerm(form: string, text: string): string {
  return `${form} ${text}`;
}

/** Returns the terms of a value. */
type ReadTerms = (text: string, readTelephone: TelephoneReader) => readonly string[];

function nameOf(type: SearchedType): ReadTerms {
  return (text) => termsOfName(text, type).map((one) => makeTerm(one.form, one.text));
}

function oneOf(form: string, normalise: (text: string) => string | undefined): ReadTerms {
  return (text) => {
    const normalised = normalise(text);
    return normalised === undefined ? [] : [makeTerm(form, normalised)];
  };
}

const email = oneOf("email", normaliseEmail);

function telephone(text: string, readTelephone: TelephoneReader): readonly string[] {
  const { full, national } = readTelephone(text);
  return [
    ...(full === undefined ? [] : [makeTerm("telephone", full)]),
    ...national.map((digits) => makeTerm("national", digits)),
  ];
}

type Fields = Readonly<Record<SearchedType, Readonly<Record<string, ReadTerms>>>>;

/** The key is the name of a field, or the names of the fields that make one name. */
const names: Fields = {
  person: { name: nameOf("person"), "first_name last_name": nameOf("person") },
  company: { legal_name: nameOf("company"), trading_name: nameOf("company") },
};

/** Each has a few terms at most. */
const values: Fields = {
  person: {
    email,
    phone_number: telephone,
    date_of_birth: oneOf("born", normaliseDate),
    national_identification_number: oneOf("document", normaliseNumber),
  },
  company: {
    email,
    phone_number: telephone,
    registration_number: oneOf("registration", normaliseNumber),
  },
};

interface TermSources {
  readonly state: Payload;
  readonly changes: readonly Payload[];
  readonly readTelephone: TelephoneReader;
}

interface Adding {
  readonly former: boolean;
  readonly max: number;
}

/**
 * The terms of the latest state and of all states before it, each once.
 *
 * @param changes In the order of arrival: a first name and a last name that arrived one after the other make one name.
 */
export function readTerms(
  type: SearchedType,
  { state, changes, readTelephone }: TermSources,
): readonly RecordTerm[] {
  const found = new Map<string, RecordTerm>();
  const seen = new Set<string>();
  const earlier = statesOf(changes).toReversed();
  const add = (fields: Fields, payload: Payload, { former, max }: Adding): void => {
    for (const [field, read] of Object.entries(fields[type])) {
      const value = valueOf(payload, field);
      if (value === undefined || seen.has(`${field} ${value}`)) continue;
      seen.add(`${field} ${value}`);
      for (const term of read(value, readTelephone)) {
        if (!found.has(term) && found.size < max) found.set(term, { term, field, former });
      }
    }
  };
  for (const [fields, max] of [
    [values, valueTermsMax],
    [names, termsMax],
  ] as const) {
    add(fields, state, { former: false, max });
    for (const payload of earlier) add(fields, payload, { former: true, max });
  }
  return [...found.values()];
}

/** What a record said after each change. */
function statesOf(changes: readonly Payload[]): readonly Payload[] {
  let state: Payload = {};
  return changes.map((change) => (state = { ...state, ...change }));
}

/** Numbers of documents and registers are objects with a type, which is not compared. */
function valueOf(payload: Payload, field: string): string | undefined {
  const parts = field.split(" ").map((name) => {
    const value = payload[name];
    return typeof value === "object" && value !== null && "value" in value ? value.value : value;
  });
  const texts = parts.filter((part) => typeof part === "string");
  return texts.length === 0 ? undefined : texts.join(" ");
}
