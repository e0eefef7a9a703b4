// The first tables. A migration that was published is never edited; the next change is the next file.
//
// Times are Unix milliseconds, except first_seen and last_seen, which are normalised timestamps (domain/timestamp.ts).
// Text is compared byte by byte (COLLATE "C"), so that its order is the same on every engine and every machine.
//
// Citus requires that every unique key of a distributed table contains the column that it is distributed by (citus.ts),
// and that no table refers to another across shards. So a change is stored under its record's key; its number comes
// from a sequence on the coordinator, taken while the record's row is locked, and so increases in the order of arrival.

export const firstTables = `
  CREATE TABLE counter (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    value bigint NOT NULL
  );
  -- goes up with every change to an organization or a key
  INSERT INTO counter (name, value) VALUES ('credentials_version', 1);

  CREATE TABLE organization (
    organization_id text COLLATE "C" NOT NULL PRIMARY KEY,
    name text NOT NULL,
    strict_scopes boolean NOT NULL,
    deletion_grace_seconds bigint NOT NULL,
    rate_limit_per_second bigint,
    created_at bigint NOT NULL
  );

  CREATE TABLE api_key (
    key_id text COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organization,
    name text NOT NULL,
    secret_hash bytea NOT NULL UNIQUE,
    scopes text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
  );
  CREATE INDEX api_key_by_organization ON api_key (organization_id);

  CREATE TABLE access_token (
    token_hash bytea NOT NULL PRIMARY KEY,
    key_id text COLLATE "C" NOT NULL REFERENCES api_key,
    organization_id text COLLATE "C" NOT NULL REFERENCES organization,
    scopes text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  );
  CREATE INDEX access_token_by_expiry ON access_token (expires_at);

  CREATE SEQUENCE arrival;

  -- room in the page keeps updates of first_seen and last_seen out of the index
  CREATE TABLE record (
    organization_id text COLLATE "C" NOT NULL,
    resource_type text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    first_seen text COLLATE "C" NOT NULL,
    last_seen text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, resource_type, resource_id)
  ) WITH (fillfactor = 90);

  -- reply_key names the stored reply that the change came with, so that erasing the one erases the other
  CREATE TABLE change (
    organization_id text COLLATE "C" NOT NULL,
    resource_type text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    change_no bigint NOT NULL,
    received_at bigint NOT NULL,
    reply_key bytea,
    payload text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, resource_type, resource_id, change_no)
  );

  CREATE TABLE relation (
    organization_id text COLLATE "C" NOT NULL,
    from_type text COLLATE "C" NOT NULL,
    from_id text COLLATE "C" NOT NULL,
    to_type text COLLATE "C" NOT NULL,
    to_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('belongs', 'mentions')),
    PRIMARY KEY (organization_id, to_type, to_id, from_type, from_id)
  );
  CREATE INDEX relation_by_source ON relation (organization_id, from_type, from_id);

  -- held: waits for the release of a hold, which waiting_for names
  CREATE TABLE deletion (
    deletion_request_id text COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    resource_type text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    status text COLLATE "C" NOT NULL
      CHECK (status IN ('pending', 'processing', 'completed', 'cancelled')),
    requested_by text NOT NULL,
    requested_at bigint NOT NULL,
    due_at bigint NOT NULL,
    started_at bigint,
    completed_at bigint,
    erased text NOT NULL DEFAULT '{}',
    redacted bigint NOT NULL DEFAULT 0,
    attempts bigint NOT NULL DEFAULT 0,
    waiting_for text,
    held boolean NOT NULL DEFAULT false,
    next_attempt_at bigint,
    lease_until bigint,
    claimant text
  );
  CREATE UNIQUE INDEX deletion_open ON deletion (organization_id, resource_type, resource_id)
    WHERE status IN ('pending', 'processing');
  CREATE INDEX deletion_due ON deletion (status, due_at)
    WHERE status IN ('pending', 'processing');
  CREATE INDEX deletion_by_time ON deletion (requested_at, deletion_request_id);
  CREATE INDEX deletion_by_organization
    ON deletion (organization_id, requested_at, deletion_request_id);

  -- the plan of a deletion in progress; to_type and to_id name the reference that a redaction takes out
  CREATE TABLE deletion_target (
    deletion_request_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL CHECK (action IN ('erase', 'redact')),
    resource_type text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    to_type text COLLATE "C",
    to_id text COLLATE "C",
    done boolean NOT NULL DEFAULT false,
    PRIMARY KEY (deletion_request_id, position, resource_id)
  );
  CREATE INDEX deletion_target_by_record
    ON deletion_target (organization_id, resource_type, resource_id, action);
  CREATE INDEX deletion_target_to_do ON deletion_target (deletion_request_id, position)
    WHERE NOT done;

  CREATE TABLE hold (
    organization_id text COLLATE "C" NOT NULL,
    resource_type text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    placed_at bigint NOT NULL,
    placed_by text NOT NULL,
    PRIMARY KEY (organization_id, resource_type, resource_id)
  );

  CREATE TABLE idempotent_reply (
    organization_id text COLLATE "C" NOT NULL,
    key_hash bytea NOT NULL,
    fingerprint bytea NOT NULL,
    outcome text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (organization_id, key_hash)
  );
  CREATE INDEX idempotent_reply_by_time ON idempotent_reply (created_at);

  CREATE TABLE audit_entry (
    entry_no bigint NOT NULL PRIMARY KEY,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    organization_id text COLLATE "C",
    subject text NOT NULL,
    detail text NOT NULL,
    previous_hash text NOT NULL,
    hash text NOT NULL
  );
  -- the end of the audit chain: one row, whose lock puts the processes that append in a row
  CREATE TABLE audit_head (
    single boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
    entry_no bigint NOT NULL,
    hash text NOT NULL
  );
  INSERT INTO audit_head (entry_no, hash) VALUES (0, repeat('0', 64));
`;
