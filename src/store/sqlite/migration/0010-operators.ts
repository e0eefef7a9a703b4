// Operators, their passkeys and sessions, tokens of one use, imports, and the approval of deletions by a second person.

export const operators = `
  CREATE TABLE operator (
    operator_id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    roles TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    disabled_at INTEGER,
    issuer TEXT,
    subject TEXT
  ) STRICT, WITHOUT ROWID;
  -- one operator for each person of an issuer of OpenID Connect
  CREATE UNIQUE INDEX operator_by_identity ON operator (issuer, subject);

  CREATE TABLE operator_passkey (
    credential_id TEXT NOT NULL PRIMARY KEY,
    operator_id TEXT NOT NULL,
    public_key BLOB NOT NULL,
    sign_count INTEGER NOT NULL,
    transports TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX operator_passkey_by_operator ON operator_passkey (operator_id);

  CREATE TABLE operator_session (
    session_id TEXT NOT NULL PRIMARY KEY,
    token_hash BLOB NOT NULL UNIQUE,
    operator_id TEXT NOT NULL,
    method TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX operator_session_by_operator ON operator_session (operator_id);

  -- links by which operators sign in, and challenges that their passkeys sign
  CREATE TABLE one_time_token (
    token_hash BLOB NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL,
    operator_id TEXT,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX one_time_token_expiry ON one_time_token (expires_at);

  CREATE TABLE import_run (
    organization_id TEXT NOT NULL,
    import_id TEXT NOT NULL,
    resource_type TEXT NOT NULL,
    source TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    started_by TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    rows_read INTEGER NOT NULL DEFAULT 0,
    written INTEGER NOT NULL DEFAULT 0,
    unchanged INTEGER NOT NULL DEFAULT 0,
    refused INTEGER NOT NULL DEFAULT 0,
    outcome TEXT,
    PRIMARY KEY (organization_id, import_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX import_run_by_start ON import_run (started_at);

  -- by which the console lists deletions; the primary key is the end of each index
  CREATE INDEX deletion_by_organization_status
    ON deletion (organization_id, status, requested_at);

  -- by which the holds of an organization are listed
  CREATE INDEX hold_by_organization ON hold (organization_id, hold_id);

  -- the approval of a deletion; without a requester, it needs none
  ALTER TABLE organization ADD COLUMN deletion_approval INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE deletion ADD COLUMN approval_requester TEXT;
  ALTER TABLE deletion ADD COLUMN approved_by TEXT;
  ALTER TABLE deletion ADD COLUMN approved_at INTEGER;
  CREATE INDEX deletion_awaiting ON deletion (requested_at)
    WHERE approval_requester IS NOT NULL AND approved_at IS NULL AND status = 'pending';
  CREATE INDEX deletion_awaiting_of_organization ON deletion (organization_id, requested_at)
    WHERE approval_requester IS NOT NULL AND approved_at IS NULL AND status = 'pending';

  -- by which the last backup is found
  CREATE INDEX audit_entry_of_backup ON audit_entry (entry_no) WHERE action = 'store.backup';
`;
