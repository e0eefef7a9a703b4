// The parties that a record named before and after it was rewritten. The same on every engine.

import { areAllErased } from "../../domain/deletion/party.ts";
import type { Payload, ResourceType } from "../../domain/record-type.ts";
import { recordTypeByName } from "../../domain/record-types.ts";

export interface RewrittenRecord {
  /** The payloads of all changes of the record. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The pseudonym of the deletion. */
  readonly pseudonym: string;
}

export interface RewrittenParties {
  /**
   * The record names the pseudonym now, and did not before: so a record is counted only once, whenever its changes
   * arrive.
   */
  readonly isNew: boolean;
  /** The record names only erased parties. */
  readonly isOrphan: boolean;
}

export function evaluateParties(
  resourceType: ResourceType,
  { before, after, pseudonym }: RewrittenRecord,
): RewrittenParties {
  const type = recordTypeByName(resourceType);
  const names = (payload: string) => payload.includes(pseudonym);
  if (type === undefined || !after.some(names)) return { isNew: false, isOrphan: false };
  const payloads = after.map((payload) => JSON.parse(payload) as Payload);
  return { isNew: !before.some(names), isOrphan: areAllErased(type, payloads) };
}
