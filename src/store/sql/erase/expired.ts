// Finds the records of an organization that were last seen before its retention period, a bounded part at a time, in
// the order of their keys. Each engine has its own statement for what keeps a record. Deletes nothing.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { ExpiredPart, Expiry, ExpiryQuery } from "../../interface/retention.ts";
import { listFloors } from "./floor.ts";
import { latestFloor, readOrigins } from "./floor-origin.ts";
import { all, type Statements } from "../statement/statements.ts";

const readPage = `
  SELECT resource_type, resource_id, last_seen FROM record
  WHERE organization_id = $1 AND (resource_type, resource_id) > ($2, $3)
  ORDER BY resource_type, resource_id LIMIT $4`;

interface SeenRow {
  readonly resource_type: string;
  readonly resource_id: string;
  readonly last_seen: string;
}

export interface ExpiredPage {
  readonly keys: readonly RecordKey[];
  readonly next: ExpiredPart["next"];
}

export function* readExpiredPage(query: ExpiryQuery): Statements<ExpiredPage> {
  const { organizationId, before, after, scannedMax } = query;
  const from = [after?.resourceType ?? "", after?.resourceId ?? ""] as const;
  const rows = yield* all<SeenRow>(readPage, organizationId, ...from, scannedMax);
  const toKey = ({ resource_type: resourceType, resource_id: resourceId }: SeenRow) => {
    return { organizationId, resourceType, resourceId };
  };
  const last = rows.length < scannedMax ? undefined : rows.at(-1);
  return {
    keys: rows.filter(({ last_seen }) => last_seen < before).map(toKey),
    next: last && toKey(last),
  };
}

/** What keeps a record that has expired. */
export interface Keepers {
  readonly held: boolean;
  readonly open: boolean;
  /** Something that belongs to it was seen later. */
  readonly needed: boolean;
}

function decideExpiry({ held, open, needed }: Keepers): Expiry {
  if (held) return "held";
  if (open) return "open";
  return needed ? "needed" : "due";
}

/** A record that is otherwise due may be under a retention floor; the ceiling does not request its deletion then. */
export function* decideExpiries(
  { organizationId, now }: ExpiryQuery,
  kept: readonly (Keepers & { readonly key: RecordKey })[],
): Statements<ExpiredPart["expired"]> {
  const expired = kept.map(({ key, ...keepers }) => ({ key, expiry: decideExpiry(keepers) }));
  const records = expired.filter(({ expiry }) => expiry === "due").map(({ key }) => key);
  const floors = records.length === 0 ? [] : yield* listFloors(organizationId);
  const origins = yield* readOrigins({ floors, records });
  return expired.map(({ key, expiry }) => {
    // The floor is that of a deletion which is requested now.
    const floor = latestFloor({ floors, origins, records: [key], requestedAt: now });
    return { key, expiry: (floor?.until ?? 0) > now ? "floor" : expiry };
  });
}
