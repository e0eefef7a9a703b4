// What is looked up for a search: the terms of what is known of a person or a company. A term that a record has by its
// whole value is an exact match, any other one a partial match.

import {
  normaliseDate,
  normaliseEmail,
  normaliseNumber,
} from "../../domain/search/contact-terms.ts";
import { limits } from "../../domain/limits.ts";
import { termsOfWantedName } from "../../domain/search/name-terms.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireLine } from "../operator/require-text.ts";
import { makeTerm } from "./record-terms.ts";
import type { TelephoneReader } from "./telephone.ts";

export const criteria = ["name", "born", "email", "telephone", "document", "registration"] as const;

export type Criterion = (typeof criteria)[number];

/** What is known; at least one of them. */
export type Wanted = Readonly<Partial<Record<Criterion, string | undefined>>>;

export interface WantedTerm {
  readonly criterion: Criterion;
  readonly term: string;
  readonly exact: boolean;
}

/**
 * Of a name of six words in three spellings there are fewer. The other values have a few terms, which a name never
 * displaces.
 */
const nameTermsMax = 320;

type ReadWanted = (
  text: string,
  readTelephone: TelephoneReader,
) => readonly Omit<WantedTerm, "criterion">[];

const readers: Readonly<Record<Criterion, ReadWanted>> = {
  name: (text) =>
    termsOfWantedName(text)
      .slice(0, nameTermsMax)
      .map((one) => ({ term: makeTerm(one.form, one.text), exact: one.exact })),
  born: (text) => exactly("born", normaliseDate(text)),
  email: (text) => exactly("email", normaliseEmail(text)),
  telephone: (text, readTelephone) => {
    const { full, national } = readTelephone(text);
    const partial = national.map((digits) => ({
      term: makeTerm("national", digits),
      exact: false,
    }));
    return [...exactly("telephone", full), ...partial];
  },
  document: (text) => exactly("document", normaliseNumber(text)),
  registration: (text) => exactly("registration", normaliseNumber(text)),
};

/** What a text has to be that has no terms. */
const expected: Readonly<Record<Criterion, string>> = {
  name: "a name with letters",
  born: "a date such as 1990-12-10",
  email: "an address such as ada@example.com",
  telephone: "a telephone number, best with its country, such as +49 30 1234567",
  document: "a number with letters or digits",
  registration: "a number with letters or digits",
};

function exactly(form: string, text: string | undefined): readonly Omit<WantedTerm, "criterion">[] {
  return text === undefined ? [] : [{ term: makeTerm(form, text), exact: true }];
}

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
    requireLine(`The ${criterion}`, text, limits.textCharactersMax);
    const found = readers[criterion](text, readTelephone);
    if (found.length > 0) return found.map((one) => ({ ...one, criterion }));
    throw new OperatorError("invalid", `The ${criterion} must be ${expected[criterion]}.`);
  });
}
