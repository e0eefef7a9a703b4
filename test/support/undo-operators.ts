// The migration of named operators and the console, undone, on every engine: tests of upgrades begin with the tables before it.

export const undoOperators = `
  DROP INDEX hold_by_organization; DROP INDEX deletion_awaiting; DROP INDEX deletion_awaiting_of_organization;
  ALTER TABLE organization DROP COLUMN deletion_approval;
  ALTER TABLE deletion DROP COLUMN approval_requester;
  ALTER TABLE deletion DROP COLUMN approved_by; ALTER TABLE deletion DROP COLUMN approved_at;
  DROP INDEX deletion_by_organization_status; DROP INDEX audit_entry_of_backup;
  DROP TABLE operator; DROP TABLE operator_passkey; DROP TABLE operator_session;
  DROP TABLE one_time_token; DROP TABLE import_run`;
