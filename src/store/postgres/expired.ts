// Finds why expired records must be retained, a whole page at a time. Deletes nothing.

import type { RecordKey } from "../../domain/record/record-write.ts";
import { findHoldsOf } from "../sql/erase/hold.ts";
import type { ResourceType } from "../../domain/record-type.ts";
import { decideExpiries, readExpiredPage } from "../sql/erase/expired.ts";
import { readConfidentialTypes } from "../sql/access/organization.ts";
import type { ExpiredPart, ExpiryQuery } from "../interface/retention.ts";
import { findClosed } from "./erase/closed-record.ts";
import { findRecords } from "./commit/record.ts";
import { keyText } from "../shared/record-key.ts";
import { findRelationsTo, type RelationRow } from "./erase/relation.ts";
import type { Transaction } from "./transaction.ts";

export async function findExpired(
  transaction: Transaction,
  query: ExpiryQuery,
): Promise<ExpiredPart> {
  const { keys, next } = await transaction.perform(readExpiredPage, query);
  if (keys.length === 0) return { expired: [], next };
  const held = new Set((await transaction.perform(findHoldsOf, keys)).map(keyText));
  const open = await findClosed(transaction, keys);
  const confidential = await transaction.perform(readConfidentialTypes, query.organizationId);
  const needed = await findNeeded(transaction, keys, { before: query.before, confidential });
  const kept = keys.map((key) => {
    const name = keyText(key);
    return { key, held: held.has(name), open: open.has(name), needed: needed.has(name) };
  });
  return { expired: await transaction.perform(decideExpiries, query, kept), next };
}

/**
 * Finds the records to which something belongs, at any depth, that was seen later. Reads level by level, because
 * records and relations may be on different nodes of a cluster.
 */
async function findNeeded(
  transaction: Transaction,
  keys: readonly RecordKey[],
  {
    before,
    confidential,
  }: { readonly before: string; readonly confidential: ReadonlySet<ResourceType> },
): Promise<ReadonlySet<string>> {
  /** For each record: the records that it belongs to. */
  const holders = new Map<string, string[]>();
  const later: string[] = [];
  const reached = new Set(keys.map(keyText));
  for (let level = keys; level.length > 0;) {
    const relations = await findRelationsTo(transaction, level);
    const next = new Map<string, RecordKey>();
    for (const relation of relations) {
      // A report must not disclose that it exists by keeping what it belongs to.
      if (relation.kind !== "belongs" || confidential.has(relation.from_type)) continue;
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
  // Iterating over a set includes the elements that are added meanwhile.
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
