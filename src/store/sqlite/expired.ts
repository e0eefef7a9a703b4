// Finds why an expired record must be retained, record by record. Deletes nothing.

import type { RecordKey } from "../../domain/record/record-write.ts";
import { decideExpiries, type Keepers, readExpiredPage } from "../sql/erase/expired.ts";
import { readConfidentialTypes } from "../sql/access/organization.ts";
import type { ExpiredPart, ExpiryQuery } from "../interface/retention.ts";
import type { Connection } from "./connection.ts";

/**
 * `below`: the record and everything that belongs to it, at any depth, without reports whose existence must not be
 * disclosed. CROSS JOIN keeps the order: SQLite would otherwise read all records and relations of the organization.
 */
const findExpiry = `
  WITH RECURSIVE below (type, id) AS (
    SELECT ?2, ?3
    UNION
    SELECT from_type, from_id FROM below CROSS JOIN relation
      ON organization_id = ?1 AND to_type = type AND to_id = id AND kind = 'belongs'
    WHERE from_type NOT IN (SELECT value FROM json_each(?5)))
  SELECT
    EXISTS (
      SELECT 1 FROM hold
      WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id = ?3) AS held,
    EXISTS (
      SELECT 1 FROM deletion
      WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id = ?3
        AND status IN ('pending', 'processing')) AS open,
    EXISTS (
      SELECT 1 FROM below CROSS JOIN record
        ON organization_id = ?1 AND resource_type = type AND resource_id = id
      WHERE last_seen >= ?4) AS needed`;

export function findExpired(connection: Connection, query: ExpiryQuery): ExpiredPart {
  const { keys, next } = connection.perform(readExpiredPage, query);
  const types = connection.perform(readConfidentialTypes, query.organizationId);
  const { before } = query;
  const confidential = JSON.stringify([...types]);
  const kept = keys.map((key) => ({
    key,
    ...findKeepers(connection, key, { before, confidential }),
  }));
  return { expired: connection.perform(decideExpiries, query, kept), next };
}

function findKeepers(
  connection: Connection,
  key: RecordKey,
  { before, confidential }: { readonly before: string; readonly confidential: string },
): Keepers {
  const { organizationId, resourceType, resourceId } = key;
  const row = connection.get<{ held: number; open: number; needed: number }>(
    findExpiry,
    organizationId,
    resourceType,
    resourceId,
    before,
    confidential,
  );
  return { held: row?.held === 1, open: row?.open === 1, needed: row?.needed === 1 };
}
