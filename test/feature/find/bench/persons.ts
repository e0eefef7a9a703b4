// Persons for the benchmark of the search, each from its number. Of 500 first names the most common one has 4.5 % of
// all persons, and of 50,000 family names the most common one has 0.45 %. Names and dates repeat after a million.

import { makeDraft } from "../../../../src/domain/record/payload.ts";
import type { Draft } from "../../../../src/domain/record/record-write.ts";
import { typeNamed } from "../../../conformance/scene.ts";

const firstNames = 500;
const lastNames = 50_000;
const days = 30_000;

const person = typeNamed("person");

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly lastName: string;
  readonly born: string;
  readonly document: string;
}

export const commonName = nameOf(firstNames);

/** Few names are common and many are rare: the square of an even number from 0 to 1 is more often near 0. */
export function personOf(no: number): Person {
  const even = (factor: number) => ((no * factor) % 1_000_003) / 1_000_003;
  const first = nameOf(Math.floor(even(7_919) ** 2 * firstNames));
  const lastName = nameOf(firstNames + Math.floor(even(104_729) ** 2 * lastNames));
  const born = new Date(Math.floor(even(15_485_863) * days) * 86_400_000);
  return {
    id: `person-${no}`,
    name: `${first} ${lastName}`,
    lastName,
    born: born.toISOString().slice(0, 10),
    document: `X${no}`,
  };
}

/** A word of syllables for each number. */
function nameOf(no: number): string {
  const syllables = ["ma", "ri", "to", "ne", "ku", "la", "si", "bo", "de", "vu"];
  const digits = Array.from(String(no + 10_000), (digit) => syllables[Number(digit)] ?? "");
  const word = digits.join("");
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

export function draftOf(no: number): Draft {
  const { id, name, born, document } = personOf(no);
  return makeDraft(person, {
    person_id: id,
    is_test_user: false,
    is_retail_customer: true,
    name,
    date_of_birth: born,
    email: `${id}@example.com`,
    national_identification_number: { type: "PASSPORT", value: document },
    timestamp: "2026-01-31T09:30:00Z",
  });
}
