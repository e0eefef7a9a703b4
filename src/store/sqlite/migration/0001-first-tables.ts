// The first tables. A migration that was published is never edited; the next change is the next file.
//
// Times are Unix milliseconds, except first_seen and last_seen, which are normalised timestamps (domain/timestamp.ts).

export const firstTables = `
  CREATE TABLE counter (
    name TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- the number of the latest change; and a number that goes up with every change to an organization or a key
  INSERT INTO counter (name, value) VALUES ('arrival', 0);
  INSERT INTO meta (name, value) VALUES ('credentials_version', 1);

  CREATE TABLE organization (
    organization_id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    strict_scopes INTEGER NOT NULL,
    deletion_grace_seconds INTEGER NOT NULL,
    rate_limit_per_second INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE api_key (
    key_id TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organization,
    name TEXT NOT NULL,
    secret_hash BLOB NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX api_key_by_organization ON api_key (organization_id);

  CREATE TABLE access_token (
    token_hash BLOB NOT NULL PRIMARY KEY,
    key_id TEXT NOT NULL REFERENCES api_key,
    organization_id TEXT NOT NULL REFERENCES organization,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX access_token_by_expiry ON access_token (expires_at);

  -- record_no is the arrival number of the record's first change
  CREATE TABLE record (
    organization_id TEXT NOT NULL,
    resource_type TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    record_no INTEGER NOT NULL,
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    PRIMARY KEY (organization_id, resource_type, resource_id)
  ) STRICT, WITHOUT ROWID;

  -- reply_key names the kept reply that the change came with, so that erasing the one erases the other
  CREATE TABLE change (
    record_no INTEGER NOT NULL,
    change_no INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    reply_key BLOB,
    payload TEXT NOT NULL,
    PRIMARY KEY (record_no, change_no)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE relation (
    organization_id TEXT NOT NULL,
    from_type TEXT NOT NULL,
    from_id TEXT NOT NULL,
    to_type TEXT NOT NULL,
    to_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('belongs', 'mentions')),
    PRIMARY KEY (organization_id, from_type, from_id, to_type, to_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX relation_by_target
    ON relation (organization_id, to_type, to_id, from_type, from_id, kind);

  -- held: waits for the release of a hold, which waiting_for names
  CREATE TABLE deletion (
    deletion_request_id TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    resource_type TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'cancelled')),
    requested_by TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    started_at INTEGER,
    completed_at INTEGER,
    erased TEXT NOT NULL DEFAULT '{}',
    redacted INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    waiting_for TEXT,
    held INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER,
    lease_until INTEGER,
    claimant TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX deletion_open ON deletion (organization_id, resource_type, resource_id)
    WHERE status IN ('pending', 'processing');
  CREATE INDEX deletion_due ON deletion (status, coalesce(next_attempt_at, due_at))
    WHERE status IN ('pending', 'processing');
  CREATE INDEX deletion_by_status ON deletion (status, requested_at);
  CREATE INDEX deletion_by_time ON deletion (requested_at);
  CREATE INDEX deletion_by_organization ON deletion (organization_id, requested_at);

  -- the plan of a deletion in progress; record_no is known for a record that is there and will be erased,
  -- to_type and to_id name the reference that a redaction takes out
  CREATE TABLE deletion_target (
    deletion_request_id TEXT NOT NULL REFERENCES deletion,
    position INTEGER NOT NULL,
    organization_id TEXT NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('erase', 'redact')),
    resource_type TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    record_no INTEGER,
    to_type TEXT,
    to_id TEXT,
    done INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (deletion_request_id, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deletion_target_by_record
    ON deletion_target (organization_id, resource_type, resource_id, action);
  CREATE INDEX deletion_target_to_do ON deletion_target (deletion_request_id, position)
    WHERE done = 0;

  CREATE TABLE hold (
    organization_id TEXT NOT NULL,
    resource_type TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    placed_at INTEGER NOT NULL,
    placed_by TEXT NOT NULL,
    PRIMARY KEY (organization_id, resource_type, resource_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE idempotent_reply (
    organization_id TEXT NOT NULL,
    key_hash BLOB NOT NULL,
    fingerprint BLOB NOT NULL,
    outcome TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organization_id, key_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotent_reply_by_time ON idempotent_reply (created_at);

  CREATE TABLE audit_entry (
    entry_no INTEGER NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    organization_id TEXT,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
`;
