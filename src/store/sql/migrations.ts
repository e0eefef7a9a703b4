// The migrations since version 1.0, the same list for both engines: each brings a store from one version of the schema
// to the next. They lead to the schema of a new store (schema.sql), which is made without them.

import { baselineVersion } from "../shared/schema-version.ts";

/** In their order, in the words of schema.sql. A published migration is never edited. */
export const published: readonly string[] = [
  // What the audit trail says of older requests.
  `ALTER TABLE deletion ADD COLUMN requester text COLLATE "C";
  UPDATE deletion SET requester = audit_entry.actor FROM audit_entry
  WHERE audit_entry.action = 'deletion.request' AND audit_entry.subject = deletion_request_id
    AND audit_entry.actor <> requested_by AND restricted_of IS NULL;`,
  `CREATE INDEX hold_restricted ON hold (hold_id)
    WHERE organization_id > 'restricted/' AND organization_id < 'restricted0';`,
  `--postgres DROP INDEX change_by_arrival;
  --postgres CREATE INDEX change_by_arrival ON change (organization_id, change_no) WHERE change_no > 0;
  --postgres DROP INDEX relation_by_source;
  --postgres CREATE INDEX relation_by_source ON relation (organization_id, from_type, from_id) WHERE kind > '';
  `,
];

export const readVersion = `SELECT value FROM meta WHERE name = 'schema_version'`;

export const schemaVersion = baselineVersion + published.length;
