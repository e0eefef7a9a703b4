// Which records of an organization are past the time for which it keeps them, a bounded part at once, in the order of the
// primary key. Deletes nothing.

import type { RecordKey } from "../../domain/record/record-write.ts";
import type { ExpiredPart, Expiry, ExpiryQuery } from "../store.ts";
import type { Connection } from "./connection.ts";

const readPage = `
  SELECT resource_type, resource_id, last_seen FROM record
  WHERE organization_id = ? AND (resource_type, resource_id) > (?, ?)
  ORDER BY resource_type, resource_id LIMIT ?`;

/** `below`: the record, and what belongs to it to any depth. */
const findExpiry = `
  WITH RECURSIVE below (type, id) AS (
    SELECT ?2, ?3
    UNION
    SELECT from_type, from_id FROM below JOIN relation
      ON organization_id = ?1 AND to_type = type AND to_id = id AND kind = 'belongs')
  SELECT
    EXISTS (
      SELECT 1 FROM hold
      WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id = ?3) AS held,
    EXISTS (
      SELECT 1 FROM deletion
      WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id = ?3
        AND status IN ('pending', 'processing')) AS open,
    EXISTS (
      SELECT 1 FROM below JOIN record
        ON organization_id = ?1 AND resource_type = type AND resource_id = id
      WHERE last_seen >= ?4) AS needed`;

interface SeenRow {
  readonly resource_type: string;
  readonly resource_id: string;
  readonly last_seen: string;
}

export function findExpired(connection: Connection, query: ExpiryQuery): ExpiredPart {
  const { organizationId, before, after, scannedMax } = query;
  const rows = connection.all<SeenRow>(
    readPage,
    organizationId,
    after?.resourceType ?? "",
    after?.resourceId ?? "",
    scannedMax,
  );
  const toKey = ({ resource_type: resourceType, resource_id: resourceId }: SeenRow): RecordKey => ({
    organizationId,
    resourceType,
    resourceId,
  });
  const expired = rows
    .filter(({ last_seen }) => last_seen < before)
    .map(toKey)
    .map((key) => ({ key, expiry: evaluateRecord(connection, key, before) }));
  const last = rows.length < scannedMax ? undefined : rows.at(-1);
  return { expired, next: last === undefined ? undefined : toKey(last) };
}

function evaluateRecord(connection: Connection, key: RecordKey, before: string): Expiry {
  const { organizationId, resourceType, resourceId } = key;
  const row = connection.get<{ held: number; open: number; needed: number }>(
    findExpiry,
    organizationId,
    resourceType,
    resourceId,
    before,
  );
  if (row?.held === 1) return "held";
  if (row?.open === 1) return "open";
  return row?.needed === 1 ? "needed" : "due";
}
