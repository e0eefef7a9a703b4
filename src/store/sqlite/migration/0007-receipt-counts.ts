// What receipts need that contain no numbers: the key of their salts, and every number by type. Numbers of references that were
// removed before are taken from the plans of deletions in progress. Which types are confidential, by organization.

import { randomBytes } from "node:crypto";
import type { Connection } from "../connection.ts";

const addColumns = `
  ALTER TABLE receipt_head ADD COLUMN salt_key TEXT NOT NULL DEFAULT '';
  ALTER TABLE deletion ADD COLUMN kept TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE deletion ADD COLUMN redacted_by_type TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE organization ADD COLUMN confidential_types TEXT NOT NULL DEFAULT '[]';

  UPDATE deletion SET redacted_by_type = (
    SELECT json_group_object(resource_type, redactions) FROM (
      SELECT resource_type, count(*) AS redactions FROM deletion_target
      WHERE deletion_target.deletion_request_id = deletion.deletion_request_id
        AND action = 'redact' AND done
      GROUP BY resource_type))
  WHERE status = 'processing' AND redacted > 0;
  UPDATE deletion SET redacted = (SELECT coalesce(sum(value), 0) FROM json_each(redacted_by_type))
  WHERE status = 'processing' AND redacted > 0;
`;

export function receiptCounts(connection: Connection): void {
  connection.exec(addColumns);
  connection.run("UPDATE receipt_head SET salt_key = ?", randomBytes(32).toString("hex"));
}
