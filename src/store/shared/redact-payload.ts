// Removes references to erased records from a stored payload, and replaces the ids of erased parties. The same on every
// engine.

import { nodeKey, withoutReferences, type NodeKey } from "../../domain/deletion/erasure.ts";
import { partyTypes, withParties } from "../../domain/deletion/party.ts";
import { canonicalPayload } from "../../domain/record/payload.ts";
import type { Payload, ResourceType } from "../../domain/record-type.ts";
import { recordTypeByName } from "../../domain/record-types.ts";

export type ErasedRecords = ReadonlyMap<NodeKey, string | undefined>;

/** Returns the same text if the payload has no such reference. */
export function redactPayload(
  resourceType: ResourceType,
  payload: string,
  erased: ErasedRecords,
): string {
  const type = recordTypeByName(resourceType);
  if (type === undefined) throw new TypeError(`there is no record type ${resourceType}`);
  const before = JSON.parse(payload) as Payload;
  const after = withoutReferences(type, before, (to, id) => erased.has(nodeKey(to, id)));
  return canonicalPayload(
    type,
    withParties(type, after, (id) => pseudonymOf(erased, id)),
  );
}

function pseudonymOf(erased: ErasedRecords, id: string): string | undefined {
  for (const { resourceType } of partyTypes) {
    const pseudonym = erased.get(nodeKey(resourceType, id));
    if (pseudonym !== undefined) return pseudonym;
  }
  return undefined;
}
