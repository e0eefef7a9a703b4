// Parties: the persons and companies that a transaction names by their ids, in fields that are not relations. When a
// party is erased, a pseudonym replaces its id there. Pure; whoever erases chooses the pseudonym at random.

import type { Payload, RecordType, ResourceType } from "../record-type.ts";
import { recordTypeByName, recordTypes } from "../record-types.ts";

const prefix = "erased_";
const form = /^erased_[0-9a-f]{32}$/;

/** Makes a pseudonym from 128 random bits in hex. Nothing connects it with the id that it replaces. */
export function pseudonymFrom(hex: string): string {
  const pseudonym = prefix + hex;
  if (!isPseudonym(pseudonym)) throw new TypeError("a pseudonym has 128 bits in hex");
  return pseudonym;
}

export function isPseudonym(id: unknown): boolean {
  return typeof id === "string" && form.test(id);
}

/** Persons and companies. */
export const partyTypes: readonly RecordType[] = recordTypes.filter(({ party }) => party === true);

export function isPartyType(resourceType: ResourceType): boolean {
  return recordTypeByName(resourceType)?.party === true;
}

export const namingTypes: readonly RecordType[] = recordTypes.filter(
  ({ partyFields }) => partyFields.length > 0,
);

export function namesParties(resourceType: ResourceType): boolean {
  return namingTypes.some((type) => type.resourceType === resourceType);
}

/** Returns the parties that a payload names, each once. */
export function partiesOf({ partyFields }: RecordType, payload: Payload): readonly string[] {
  const ids = partyFields.map((field) => payload[field]);
  return [...new Set(ids.filter((id) => typeof id === "string"))];
}

/** Returns the payload with the replacement of each party for which `replacementOf` returns one. */
export function withParties(
  { partyFields }: RecordType,
  payload: Payload,
  replacementOf: (id: string) => string | undefined,
): Payload {
  const changed: Record<string, unknown> = { ...payload };
  for (const field of partyFields) {
    const id = payload[field];
    if (typeof id === "string") changed[field] = replacementOf(id) ?? id;
  }
  return changed;
}
