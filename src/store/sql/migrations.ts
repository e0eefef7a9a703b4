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
  `--postgres DROP INDEX deletion_by_organization, deletion_by_organization_status, deletion_by_record,
  --postgres   deletion_by_status, deletion_by_time, deletion_due, deletion_open;
  --postgres CREATE INDEX deletion_by_organization
  --postgres   ON deletion (organization_id, requested_at, deletion_request_id) WHERE requested_at >= 0;
  --postgres CREATE INDEX deletion_by_organization_status
  --postgres   ON deletion (organization_id, status, requested_at, deletion_request_id) WHERE requested_at >= 0;
  --postgres CREATE INDEX deletion_by_record
  --postgres   ON deletion (organization_id, resource_type, resource_id, requested_at, deletion_request_id)
  --postgres   WHERE requested_at >= 0;
  --postgres CREATE INDEX deletion_by_status
  --postgres   ON deletion (status, requested_at, deletion_request_id) WHERE requested_at >= 0;
  --postgres CREATE INDEX deletion_by_time
  --postgres   ON deletion (requested_at, deletion_request_id) WHERE requested_at >= 0;
  --postgres CREATE INDEX deletion_due
  --postgres   ON deletion (status, (CASE WHEN next_attempt_at IS NULL THEN due_at ELSE next_attempt_at END),
  --postgres     due_at, deletion_request_id)
  --postgres   WHERE status IN ('pending', 'processing') AND due_at >= 0;
  --postgres CREATE UNIQUE INDEX deletion_open
  --postgres   ON deletion (organization_id, resource_type, resource_id)
  --postgres   WHERE status IN ('pending', 'processing') AND resource_id > '';
  `,
];

export const readVersion = `SELECT value FROM meta WHERE name = 'schema_version'`;

export const schemaVersion = baselineVersion + published.length;
