// Operators, their passkeys and sessions, tokens of one use, imports, and the approval of deletions by a second person. Only
// imports belong to an organization, and so have a row policy.

export const operators = `
  CREATE TABLE operator (
    operator_id text COLLATE "C" NOT NULL PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    roles text NOT NULL,
    created_at bigint NOT NULL,
    disabled_at bigint,
    issuer text COLLATE "C",
    subject text COLLATE "C"
  );
  -- one operator for each person of an issuer of OpenID Connect
  CREATE UNIQUE INDEX operator_by_identity ON operator (issuer, subject);

  CREATE TABLE operator_passkey (
    credential_id text COLLATE "C" NOT NULL PRIMARY KEY,
    operator_id text COLLATE "C" NOT NULL,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    transports text NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint
  );
  CREATE INDEX operator_passkey_by_operator ON operator_passkey (operator_id);

  CREATE TABLE operator_session (
    session_id text COLLATE "C" NOT NULL PRIMARY KEY,
    token_hash bytea NOT NULL UNIQUE,
    operator_id text COLLATE "C" NOT NULL,
    method text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  );
  CREATE INDEX operator_session_by_operator ON operator_session (operator_id);

  -- links by which operators sign in, and challenges that their passkeys sign
  CREATE TABLE one_time_token (
    token_hash bytea NOT NULL PRIMARY KEY,
    purpose text COLLATE "C" NOT NULL,
    operator_id text COLLATE "C",
    expires_at bigint NOT NULL
  );
  CREATE INDEX one_time_token_expiry ON one_time_token (expires_at);

  CREATE TABLE import_run (
    organization_id text COLLATE "C" NOT NULL,
    import_id text COLLATE "C" NOT NULL,
    resource_type text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL,
    started_by text COLLATE "C" NOT NULL,
    updated_at bigint NOT NULL,
    rows_read bigint NOT NULL DEFAULT 0,
    written bigint NOT NULL DEFAULT 0,
    unchanged bigint NOT NULL DEFAULT 0,
    refused bigint NOT NULL DEFAULT 0,
    outcome text COLLATE "C",
    PRIMARY KEY (organization_id, import_id)
  );
  CREATE INDEX import_run_by_start ON import_run (started_at);

  -- by which the console lists deletions
  DROP INDEX deletion_by_status;
  CREATE INDEX deletion_by_status ON deletion (status, requested_at, deletion_request_id);
  CREATE INDEX deletion_by_organization_status
    ON deletion (organization_id, status, requested_at, deletion_request_id);

  -- by which the holds of an organization are listed
  CREATE INDEX hold_by_organization ON hold (organization_id, hold_id);

  -- the approval of a deletion; without a requester, it needs none
  ALTER TABLE organization ADD COLUMN deletion_approval boolean NOT NULL DEFAULT false;
  ALTER TABLE deletion
    ADD COLUMN approval_requester text COLLATE "C",
    ADD COLUMN approved_by text COLLATE "C",
    ADD COLUMN approved_at bigint;
  CREATE INDEX deletion_awaiting ON deletion (requested_at, deletion_request_id)
    WHERE approval_requester IS NOT NULL AND approved_at IS NULL AND status = 'pending';
  CREATE INDEX deletion_awaiting_of_organization
    ON deletion (organization_id, requested_at, deletion_request_id)
    WHERE approval_requester IS NOT NULL AND approved_at IS NULL AND status = 'pending';

  -- by which the last backup is found
  CREATE INDEX audit_entry_of_backup ON audit_entry (entry_no) WHERE action = 'store.backup';
`;
