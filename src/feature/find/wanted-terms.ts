// What a search looks up: the terms of what is known about a person or a company. A term that stands for a record's
// whole value is an exact match, any other one a partial match.

import { limits } from "../../domain/limits.ts";
import { termsOfWantedName } from "./name-terms.ts";
import { OperatorError, requireLine } from "../../actions/operator/operator-error.ts";
import type { TelephoneReader } from "./telephone.ts";
import { makeTerm, termsOfValue, type ValueTerm } from "./value-terms.ts";

export const criteria = ["name", "born", "email", "telephone", "document", "registration"] as const;

export type Criterion = (typeof criteria)[number];

/** What is known; at least one of these. */
export type Wanted = Readonly<Partial<Record<Criterion, string | undefined>>>;

export interface WantedTerm extends ValueTerm {
  readonly criterion: Criterion;
}

/** More than a name of six words in three spellings has; no name displaces the terms of other values. */
const nameTermsMax = 320;

/** What a person calls it. */
const called: Readonly<Record<Criterion, string>> = {
  name: "name",
  born: "date of birth",
  email: "e-mail address",
  telephone: "telephone number",
  document: "number of a document",
  registration: "number in a register",
};

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
    requireLine(`The ${called[criterion]}`, text, limits.textCharactersMax);
    const found =
      criterion === "name" ? readName(text) : termsOfValue(criterion, text, readTelephone);
    if (found.length > 0) return found.map((one) => ({ ...one, criterion }));
    throw new OperatorError("invalid", `The ${called[criterion]} must be ${expected[criterion]}.`);
  });
}

function readName(text: string): readonly ValueTerm[] {
  const terms = termsOfWantedName(text).slice(0, nameTermsMax);
  return terms.map((one) => ({ term: makeTerm(one), exact: one.exact }));
}
