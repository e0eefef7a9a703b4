// What receipts need that contain no numbers: the key of their salts, and every number by type. Which types are confidential, by
// organization.

import { addCounts } from "../../row/deletion-row.ts";
import type { Transaction } from "../transaction.ts";

/** gen_random_uuid has 122 random bits of the server's cryptographic generator, so three have more than the key. */
export const receiptCounts = `
  ALTER TABLE receipt_head ADD COLUMN salt_key text NOT NULL DEFAULT '';
  UPDATE receipt_head SET salt_key = encode(sha256(convert_to(
    gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex');

  ALTER TABLE deletion ADD COLUMN kept text NOT NULL DEFAULT '{}';
  ALTER TABLE deletion ADD COLUMN redacted_by_type text NOT NULL DEFAULT '{}';
  ALTER TABLE organization ADD COLUMN confidential_types text NOT NULL DEFAULT '[]';
`;

const findProcessing = `
  SELECT deletion_request_id FROM deletion WHERE status = 'processing' AND redacted > 0`;

const findRedacted = `
  SELECT resource_type FROM deletion_target
  WHERE deletion_request_id = $1 AND action = 'redact' AND done`;

const setRedacted = `
  UPDATE deletion SET redacted_by_type = $2, redacted = $3 WHERE deletion_request_id = $1`;

/** References that deletions in progress have removed: their plans still name them. */
export async function countRedactedByType(transaction: Transaction): Promise<void> {
  const deletions = await transaction.all<{ deletion_request_id: string }>(findProcessing);
  for (const { deletion_request_id: id } of deletions) {
    const rows = await transaction.all<{ resource_type: string }>(findRedacted, id);
    const byType = addCounts(
      {},
      rows.map(({ resource_type }) => resource_type),
    );
    await transaction.run(setRedacted, id, JSON.stringify(byType), rows.length);
  }
}
