// Which records of an organization are past the time for which it keeps them, a bounded part at once, in the order of the
// primary key. Deletes nothing.

import type { RecordKey } from "../../domain/record/record-write.ts";
import type { ExpiredPart, Expiry, ExpiryQuery } from "../store.ts";
import { findClosed } from "./erase/closed-record.ts";
import { findRecords } from "./commit/record.ts";
import { keyColumns, type KeyRow, keyText, rowKeyText, toKey } from "./record-key.ts";
import { findRelationsTo, type RelationRow } from "./erase/relation.ts";
import type { Transaction } from "./transaction.ts";

const readPage = `
  SELECT organization_id, resource_type, resource_id, last_seen FROM record
  WHERE organization_id = $1 AND (resource_type, resource_id) > ($2, $3)
  ORDER BY resource_type, resource_id LIMIT $4`;

const findHeld = `
  SELECT hold.organization_id, hold.resource_type, hold.resource_id
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    JOIN hold USING (organization_id, resource_type, resource_id)`;

export async function findExpired(
  transaction: Transaction,
  query: ExpiryQuery,
): Promise<ExpiredPart> {
  const { organizationId, before, after, scannedMax } = query;
  const rows = await transaction.all<KeyRow & { last_seen: string }>(
    readPage,
    organizationId,
    after?.resourceType ?? "",
    after?.resourceId ?? "",
    scannedMax,
  );
  const keys = rows.filter(({ last_seen }) => last_seen < before).map(toKey);
  const last = rows.length < scannedMax ? undefined : rows.at(-1);
  const next = last === undefined ? undefined : toKey(last);
  if (keys.length === 0) return { expired: [], next };
  const held = new Set(
    (await transaction.all<KeyRow>(findHeld, ...keyColumns(keys))).map(rowKeyText),
  );
  const open = await findClosed(transaction, keys);
  const needed = await findNeeded(transaction, keys, before);
  const findExpiry = (key: RecordKey): Expiry => {
    const name = keyText(key);
    if (held.has(name)) return "held";
    if (open.has(name)) return "open";
    return needed.has(name) ? "needed" : "due";
  };
  return { expired: keys.map((key) => ({ key, expiry: findExpiry(key) })), next };
}

/**
 * Those to which something belongs, to any depth, that was seen later. Level by level, as records and relations are on
 * different nodes of a cluster.
 */
async function findNeeded(
  transaction: Transaction,
  keys: readonly RecordKey[],
  before: string,
): Promise<ReadonlySet<string>> {
  /** By a record: what it belongs to. */
  const holders = new Map<string, string[]>();
  const later: string[] = [];
  const reached = new Set(keys.map(keyText));
  for (let level = keys; level.length > 0;) {
    const relations = await findRelationsTo(transaction, level);
    const next = new Map<string, RecordKey>();
    for (const relation of relations) {
      if (relation.kind !== "belongs") continue;
      const from = keyText(fromOf(relation));
      holders.set(from, [...(holders.get(from) ?? []), keyText(toOf(relation))]);
      if (!reached.has(from)) next.set(from, fromOf(relation));
      reached.add(from);
    }
    level = [...next.values()];
    const seen = await findRecords(transaction, level);
    for (const [name, { lastSeen }] of seen) if (lastSeen >= before) later.push(name);
  }
  const needed = new Set(later);
  // A set goes through what is added while it is gone through.
  for (const name of needed) for (const holder of holders.get(name) ?? []) needed.add(holder);
  return needed;
}

function toOf(relation: RelationRow): RecordKey {
  const { organization_id: organizationId, to_type: resourceType, to_id: resourceId } = relation;
  return { organizationId, resourceType, resourceId };
}

function fromOf(relation: RelationRow): RecordKey {
  const { organization_id: organizationId, from_type: resourceType } = relation;
  return { organizationId, resourceType, resourceId: relation.from_id };
}
