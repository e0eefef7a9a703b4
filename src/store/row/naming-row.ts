// Rows of records that name parties, and their conversion. The same on every engine.

import { partiesOf } from "../../domain/deletion/party.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";
import type { Naming } from "../interface/naming.ts";

/** A change whose payload may name a wanted party. */
export interface NamingRow {
  readonly id: string;
  readonly payload: string;
}

/** A statement may have found too much, so only the payload counts. */
export function toNamings(
  type: RecordType,
  rows: readonly NamingRow[],
  wanted: ReadonlySet<string>,
): readonly Naming[] {
  const parties = new Map<string, Set<string>>();
  for (const { id, payload } of rows) {
    const named = partiesOf(type, JSON.parse(payload) as Payload).filter((one) => wanted.has(one));
    if (named.length > 0) parties.set(id, new Set([...(parties.get(id) ?? []), ...named]));
  }
  const { resourceType } = type;
  return [...parties].map(([resourceId, ids]) => ({ resourceType, resourceId, parties: [...ids] }));
}
