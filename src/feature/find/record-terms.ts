// The search terms of a person or a company: the terms of the values in its changes, each with its field.

import { termsOfName } from "./name-terms.ts";
import type { SearchedType } from "./store/tokens.ts";
import type { Payload } from "../../domain/record-type.ts";
import type { TelephoneReader } from "./value-terms.ts";
import { makeTerm, termsOfValue, type ValueKind } from "./value-terms.ts";

export interface RecordTerm {
  readonly term: string;
  readonly field: string;
  /** Whether only changes before the latest state have the value. */
  readonly former: boolean;
}

/** The latest state comes first. A long name has many terms, so names get what other values leave. */
const termsMax = 256;
const valueTermsMax = 128;
/** The maximum for one name, so that a long one leaves some for a former name. */
const nameTermsMax = 128;

/** The kind of value of each field; two fields with a space between them make one name. */
const kinds: Readonly<Record<SearchedType, Readonly<Record<string, ValueKind | "name">>>> = {
  person: {
    name: "name",
    "first_name last_name": "name",
    email: "email",
    phone_number: "telephone",
    date_of_birth: "born",
    national_identification_number: "document",
  },
  company: {
    legal_name: "name",
    trading_name: "name",
    email: "email",
    phone_number: "telephone",
    registration_number: "registration",
  },
};

interface TermSources {
  readonly state: Payload;
  readonly changes: readonly Payload[];
  readonly readTelephone: TelephoneReader;
}

/** `changes`: in the order of arrival. Names that arrived one after the other make one name. */
export function readTerms(
  type: SearchedType,
  { state, changes, readTelephone }: TermSources,
): readonly RecordTerm[] {
  const found = new Map<string, RecordTerm>();
  const values = valuesOf(type, [state, ...statesOf(changes).toReversed()]);
  const names = values.filter(({ kind }) => kind === "name");
  const others = values.filter(({ kind }) => kind !== "name");
  for (const { kind, text, field, former } of [...others, ...names]) {
    const max = kind === "name" ? termsMax : valueTermsMax;
    // A record with many changes has many values, and making terms takes longer than reading them.
    if (found.size >= max) continue;
    const terms =
      kind === "name"
        ? termsOfName(text, type).slice(0, nameTermsMax).map(makeTerm)
        : termsOfValue(kind, text, readTelephone).map(({ term }) => term);
    for (const term of terms.filter((one) => !found.has(one)).slice(0, max - found.size)) {
      found.set(term, { term, field, former });
    }
  }
  return [...found.values()];
}

interface RecordValue {
  readonly kind: ValueKind | "name";
  readonly text: string;
  readonly field: string;
  readonly former: boolean;
}

function valuesOf(type: SearchedType, states: readonly Payload[]): readonly RecordValue[] {
  const found = new Map<string, RecordValue>();
  for (const [at, payload] of states.entries()) {
    for (const [field, kind] of Object.entries(kinds[type])) {
      const text = valueOf(payload, field);
      const key = `${field} ${text}`;
      if (text === undefined || found.has(key)) continue;
      found.set(key, { kind, text, field, former: at > 0 });
    }
  }
  return [...found.values()];
}

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
