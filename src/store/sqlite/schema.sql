-- The schema of a store on SQLite, the baseline of version 1.0. A published schema is never edited: the next change
-- is a migration (migration/migrate.ts). Times are Unix milliseconds, except first_seen and last_seen, which are
-- normalised timestamps (domain/timestamp.ts).

-- numbers about the store itself
CREATE TABLE meta (
  -- schema_version, and on SQLite also credentials_version, which goes up with every change to an organization or a
  -- key
  name TEXT NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL          -- the number
) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES ('credentials_version', 1);

-- numbers that go up
CREATE TABLE counter (
  name TEXT NOT NULL PRIMARY KEY, -- arrival: the number of the latest change
  value INTEGER NOT NULL          -- the number
) STRICT, WITHOUT ROWID;
INSERT INTO counter (name, value) VALUES ('arrival', 0);

-- a customer of the operator, open or closed
CREATE TABLE organization (
  organization_id TEXT NOT NULL PRIMARY KEY,              -- the id by which tokens are requested
  name TEXT NOT NULL,                                     -- as replies show it
  strict_scopes INTEGER NOT NULL,                         -- whether transactions:write grants only what it says
  deletion_grace_seconds INTEGER NOT NULL,                -- how long a deletion waits before it is due
  rate_limit_per_second INTEGER,                          -- null: the limit that applies to every organization
  -- how many days records are kept before they are deleted by themselves; null: without an end
  retain_days INTEGER,
  -- the record types that it has made confidential, as a JSON list
  confidential_types TEXT NOT NULL DEFAULT '[]',
  -- whether transactions are deleted when all of their parties are erased
  erase_orphaned_transactions INTEGER NOT NULL DEFAULT 0,
  -- whether a second person has to approve a deletion that an operator requests
  deletion_approval INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,                            -- when it was created
  closed_at INTEGER,                                      -- when it was closed; null: it is open
  -- the deletion of everything that belongs to it, once it is closed
  deletion_request_id TEXT
) STRICT, WITHOUT ROWID;

-- how long an organization has to keep its records of a type
CREATE TABLE retention_floor (
  organization_id TEXT NOT NULL, -- the organization
  resource_type TEXT NOT NULL,   -- the record type
  keep_days INTEGER NOT NULL,    -- for how many days
  counted_from TEXT NOT NULL,    -- the point in time from which the days count
  PRIMARY KEY (organization_id, resource_type)
) STRICT, WITHOUT ROWID;

-- a credential by which tokens are requested
CREATE TABLE api_key (
  key_id TEXT NOT NULL PRIMARY KEY,                      -- the id that commands show
  organization_id TEXT NOT NULL REFERENCES organization, -- the organization that the key is for
  name TEXT NOT NULL,                                    -- what the operator calls it
  secret_hash BLOB NOT NULL UNIQUE,                      -- the SHA-256 of the key, which is stored nowhere
  scopes TEXT NOT NULL,                                  -- what tokens can be granted, as a JSON list
  created_at INTEGER NOT NULL,                           -- when it was created
  expires_at INTEGER,                                    -- when it and its tokens end; null: never
  revoked_at INTEGER,                                    -- when it was revoked; null: it was not
  last_used_at INTEGER                                   -- when a token was last requested with it, roughly
) STRICT, WITHOUT ROWID;
-- the keys of an organization
CREATE INDEX api_key_by_organization ON api_key (organization_id);

-- a token that has not expired
CREATE TABLE access_token (
  token_hash BLOB NOT NULL PRIMARY KEY,                  -- the SHA-256 of the token, which is stored nowhere
  key_id TEXT NOT NULL REFERENCES api_key,               -- the key that it was requested with
  organization_id TEXT NOT NULL REFERENCES organization, -- the organization that it is for
  scopes TEXT NOT NULL,                                  -- what it grants, as a JSON list
  created_at INTEGER NOT NULL,                           -- when it was issued
  expires_at INTEGER NOT NULL                            -- when it ends
) STRICT, WITHOUT ROWID;
-- tokens that have expired
CREATE INDEX access_token_by_expiry ON access_token (expires_at);

-- that a record exists; its content is in its changes
CREATE TABLE record (
  organization_id TEXT NOT NULL, -- the organization that it belongs to
  resource_type TEXT NOT NULL,   -- the record type, such as transaction
  resource_id TEXT NOT NULL,     -- the id that the client chose
  record_no INTEGER NOT NULL,    -- the arrival number of its first change
  first_seen TEXT NOT NULL,      -- the earliest timestamp among its changes
  last_seen TEXT NOT NULL,       -- the latest timestamp among its changes
  PRIMARY KEY (organization_id, resource_type, resource_id)
) STRICT, WITHOUT ROWID;

-- an accepted submission of a record
CREATE TABLE change (
  record_no INTEGER NOT NULL,   -- the record
  change_no INTEGER NOT NULL,   -- the number of its arrival
  received_at INTEGER NOT NULL, -- when it arrived
  reply_key BLOB,               -- the kept reply that it came with, so that erasing the one erases the other
  payload TEXT NOT NULL,        -- the submission in canonical JSON
  -- of the payload, by which an identical change is found; null for the first changes of a record
  digest INTEGER,
  PRIMARY KEY (record_no, change_no)
) STRICT, WITHOUT ROWID;
-- an identical later change
CREATE INDEX change_by_digest ON change (record_no, digest) WHERE digest IS NOT NULL;
-- later changes by arrival; first changes are found by the key
CREATE INDEX change_later ON change (change_no) WHERE digest IS NOT NULL;

-- that a record names another one
CREATE TABLE relation (
  organization_id TEXT NOT NULL,                              -- the organization of both
  from_type TEXT NOT NULL,                                    -- the type of the record that has the reference
  from_id TEXT NOT NULL,                                      -- the id of the record that has the reference
  to_type TEXT NOT NULL,                                      -- the type of the record that is named
  to_id TEXT NOT NULL,                                        -- the id of the record that is named
  -- belongs: is erased with the other one; mentions: loses the reference
  kind TEXT NOT NULL CHECK (kind IN ('belongs', 'mentions')),
  PRIMARY KEY (organization_id, from_type, from_id, to_type, to_id)
) STRICT, WITHOUT ROWID;
-- who names a record
CREATE INDEX relation_by_target ON relation (organization_id, to_type, to_id, from_type, from_id, kind);

-- the outcome of a request with an Idempotency-Key, without content
CREATE TABLE idempotent_reply (
  organization_id TEXT NOT NULL, -- the organization that sent the request
  key_hash BLOB NOT NULL,        -- the SHA-256 of the key
  fingerprint BLOB NOT NULL,     -- the SHA-256 of the request, to refuse the key for another one
  outcome TEXT NOT NULL,         -- what the reply is made from, as JSON
  created_at INTEGER NOT NULL,   -- when the request was answered
  PRIMARY KEY (organization_id, key_hash)
) STRICT, WITHOUT ROWID;
-- replies that have expired
CREATE INDEX idempotent_reply_by_time ON idempotent_reply (created_at);

-- a legal hold on a record, which can have several
CREATE TABLE hold (
  hold_id TEXT NOT NULL PRIMARY KEY, -- the id that commands show
  organization_id TEXT NOT NULL,     -- the organization of the record
  resource_type TEXT NOT NULL,       -- the type of the record
  resource_id TEXT NOT NULL,         -- the id of the record, which need not exist yet
  reason TEXT NOT NULL,              -- why the record is held
  owner TEXT,                        -- who is responsible for the hold
  review_on TEXT,                    -- the date on which it has to be reviewed
  placed_at INTEGER NOT NULL,        -- when it was placed
  placed_by TEXT NOT NULL            -- who placed it
) STRICT, WITHOUT ROWID;
-- the holds of an organization
CREATE INDEX hold_by_organization ON hold (organization_id, hold_id);
-- the holds of a record
CREATE INDEX hold_by_record ON hold (organization_id, resource_type, resource_id);

-- a request to delete a record, or everything of an organization, and its life cycle
CREATE TABLE deletion (
  deletion_request_id TEXT NOT NULL PRIMARY KEY, -- the id that the client gets
  organization_id TEXT NOT NULL,                 -- the organization that requested it
  resource_type TEXT NOT NULL,                   -- the type of the record
  resource_id TEXT NOT NULL,                     -- the id of the record
  reason TEXT NOT NULL,                          -- why, as the client said
  -- the state of its life cycle
  status TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'cancelled')),
  requested_by TEXT NOT NULL,                    -- the id of the API key, or the operator
  requested_at INTEGER NOT NULL,                 -- when it was requested
  due_at INTEGER NOT NULL,                       -- when its grace period ends
  started_at INTEGER,                            -- when a worker first claimed it
  completed_at INTEGER,                          -- when nothing was left of the record
  erased TEXT NOT NULL DEFAULT '{}',             -- how many records were erased, by type, as JSON
  -- how many records were moved to the restricted store, by type, as JSON
  kept TEXT NOT NULL DEFAULT '{}',
  redacted INTEGER NOT NULL DEFAULT 0,           -- how many references were removed from records that stay
  redacted_by_type TEXT NOT NULL DEFAULT '{}',   -- the same as redacted, by type, as JSON
  attempts INTEGER NOT NULL DEFAULT 0,           -- how often a worker has claimed it
  -- the hold or the floor that it waits for, or the last failure; null: neither
  waiting_for TEXT,
  held INTEGER NOT NULL DEFAULT 0,               -- whether it waits for the release of a hold, which waiting_for names
  floor_until INTEGER,                           -- the end of the retention floor that it waits for
  next_attempt_at INTEGER,                       -- when it is tried again; null: when it is due
  lease_until INTEGER,                           -- until when no other worker claims it
  claimant TEXT,                                 -- the worker that has claimed it
  -- what the ledger knows of a deletion that a restore had undone, as JSON
  carried_out_before TEXT,
  -- the organization of which the records of a restricted set were; null for any other deletion
  restricted_of TEXT,
  -- who requested a deletion that somebody else has to approve; null: it needs no approval
  approval_requester TEXT,
  approved_by TEXT,                              -- who approved it
  approved_at INTEGER,                           -- when it was approved
  plan_end INTEGER NOT NULL DEFAULT 0,           -- the position of the last target of its plan
  -- where a step continues that has no targets to go by, as JSON; null: at the beginning
  cursor TEXT
) STRICT, WITHOUT ROWID;
-- deletions that wait for an approval
CREATE INDEX deletion_awaiting
  ON deletion (requested_at)
  WHERE approval_requester IS NOT NULL AND approved_at IS NULL AND status = 'pending';
-- the same of an organization
CREATE INDEX deletion_awaiting_of_organization
  ON deletion (organization_id, requested_at)
  WHERE approval_requester IS NOT NULL AND approved_at IS NULL AND status = 'pending';
-- lists of an organization
CREATE INDEX deletion_by_organization ON deletion (organization_id, requested_at);
-- lists of an organization by status
CREATE INDEX deletion_by_organization_status ON deletion (organization_id, status, requested_at);
-- lists and counts by status; the primary key is the end of each index
CREATE INDEX deletion_by_status ON deletion (status, requested_at);
-- lists in the order of requests
CREATE INDEX deletion_by_time ON deletion (requested_at);
-- the next deletion for a worker
CREATE INDEX deletion_due
  ON deletion (status, coalesce(next_attempt_at, due_at))
  WHERE status IN ('pending', 'processing');
-- deletions that wait for a floor
CREATE INDEX deletion_floored
  ON deletion (organization_id, deletion_request_id, floor_until)
  WHERE status IN ('pending', 'processing') AND floor_until IS NOT NULL;
-- one open deletion of a record
CREATE UNIQUE INDEX deletion_open
  ON deletion (organization_id, resource_type, resource_id)
  WHERE status IN ('pending', 'processing');
-- the restricted sets of an organization
CREATE INDEX deletion_restricted
  ON deletion (restricted_of, deletion_request_id)
  WHERE restricted_of IS NOT NULL;

-- the plan of a deletion in progress: what it erases, and which references it removes
CREATE TABLE deletion_target (
  deletion_request_id TEXT NOT NULL REFERENCES deletion,      -- the deletion
  position INTEGER NOT NULL,                                  -- the order of the plan
  organization_id TEXT NOT NULL,                              -- the organization of the record
  action TEXT NOT NULL CHECK (action IN ('erase', 'redact')), -- erase the record, or redact a reference in it
  resource_type TEXT NOT NULL,                                -- the type of the record
  resource_id TEXT NOT NULL,                                  -- the id of the record
  record_no INTEGER,                                          -- the number of a record that exists and will be erased
  -- the type of the record that the redacted reference names
  to_type TEXT,
  to_id TEXT,                                                 -- the id of the record that the redacted reference names
  done INTEGER NOT NULL DEFAULT 0,                            -- whether this has happened
  -- whether the record is moved to the restricted store instead of being erased
  restricted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (deletion_request_id, position)
) STRICT, WITHOUT ROWID;
-- whether a record is in a plan
CREATE INDEX deletion_target_by_record
  ON deletion_target (organization_id, resource_type, resource_id, action);
-- the rest of a plan
CREATE INDEX deletion_target_to_do ON deletion_target (deletion_request_id, position) WHERE done = 0;

-- what replaces the id of a person or a company that is being erased, until that is completed
CREATE TABLE pseudonym (
  deletion_request_id TEXT NOT NULL PRIMARY KEY REFERENCES deletion, -- the deletion
  organization_id TEXT NOT NULL,                                     -- the organization of the record
  pseudonym TEXT NOT NULL,                                           -- the text that replaces the id
  -- the arrival number at which the current scan of transactions ends; null: none runs
  pass_up_to INTEGER,
  pass_after TEXT,                                                   -- the last record that the current scan has read
  -- whether the current scan has found any transaction that names the record
  pass_found INTEGER NOT NULL DEFAULT 0,
  -- the arrival number up to which a scan has found nothing
  verified_to INTEGER
) STRICT, WITHOUT ROWID;

-- a reference that stays in a report that has to be kept, to a record that was erased or moved
CREATE TABLE restricted_reference (
  deletion_request_id TEXT NOT NULL, -- the deletion that erased or moved the record
  organization_id TEXT NOT NULL,     -- the organization of the report
  from_type TEXT NOT NULL,           -- the type of the report
  from_id TEXT NOT NULL,             -- the id of the report
  from_set TEXT NOT NULL,            -- the deletion that moved the report; empty: none did
  to_type TEXT NOT NULL,             -- the type of the record
  to_id TEXT NOT NULL,               -- the id of the record
  done INTEGER NOT NULL DEFAULT 0,   -- whether the reference was redacted, by the deletion of the restricted set
  PRIMARY KEY (deletion_request_id, from_type, from_id, to_type, to_id)
) STRICT, WITHOUT ROWID;
-- the references of a report
CREATE INDEX restricted_reference_by_report
  ON restricted_reference (organization_id, from_set, from_type, from_id);

-- the signed receipt of a completed deletion; the receipts are a chain of hashes
CREATE TABLE receipt (
  receipt_no INTEGER NOT NULL PRIMARY KEY,  -- the position in the chain
  deletion_request_id TEXT NOT NULL UNIQUE, -- the deletion
  organization_id TEXT NOT NULL,            -- the organization of the record
  document TEXT NOT NULL,                   -- the receipt with its signature, as JSON
  hash TEXT NOT NULL                        -- of the document
) STRICT;

-- a public key that receipts are signed with; the private keys are in no table
CREATE TABLE receipt_key (
  key_id TEXT NOT NULL PRIMARY KEY, -- the id that receipts name
  public_key TEXT NOT NULL,         -- in PEM format
  created_at INTEGER NOT NULL,      -- when receipts were first signed with it
  retired_at INTEGER                -- when another key replaced it
) STRICT, WITHOUT ROWID;

-- the end of the chain of receipts in one row
CREATE TABLE receipt_head (
  single INTEGER NOT NULL PRIMARY KEY CHECK (single = 1), -- always the same, so that there is one row
  store_id TEXT NOT NULL,                                 -- the name of this store for good, also in its backups
  receipt_no INTEGER NOT NULL,                            -- the number of the last receipt
  hash TEXT NOT NULL,                                     -- the hash of the last receipt
  salt_key TEXT NOT NULL                                  -- from which the salts of the hashes in receipts are derived
) STRICT;
INSERT INTO receipt_head (single, store_id, receipt_no, hash, salt_key)
VALUES (1, 'store_' || lower(hex(randomblob(12))), 0,
  '0000000000000000000000000000000000000000000000000000000000000000', '');

-- an act of an operator or the worker; the entries are a chain of hashes
CREATE TABLE audit_entry (
  entry_no INTEGER NOT NULL PRIMARY KEY, -- the position in the chain
  at INTEGER NOT NULL,                   -- when it happened
  actor TEXT NOT NULL,                   -- who did it
  action TEXT NOT NULL,                  -- what was done
  organization_id TEXT,                  -- the organization that it concerns; null: none, or all
  subject TEXT NOT NULL,                 -- what it was done to
  detail TEXT NOT NULL,                  -- more about it, as JSON, never content of a record
  previous_hash TEXT NOT NULL,           -- the hash of the entry before it
  hash TEXT NOT NULL                     -- of this entry, with the hash before it
) STRICT;
-- the last backup
CREATE INDEX audit_entry_of_backup ON audit_entry (entry_no) WHERE action = 'store.backup';

-- the end of the audit chain in one row, so that missing entries at the end are noticed
CREATE TABLE audit_head (
  single INTEGER NOT NULL PRIMARY KEY CHECK (single = 1), -- always the same, so that there is one row
  entry_no INTEGER NOT NULL,                              -- the number of the last entry
  hash TEXT NOT NULL                                      -- the hash of the last entry
) STRICT;
INSERT INTO audit_head (single, entry_no, hash)
VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');

-- how far a ledger outside the store is known to reach
CREATE TABLE ledger (
  ledger_id TEXT NOT NULL PRIMARY KEY, -- the ledger
  frame_end INTEGER NOT NULL,          -- where a frame ends that was on stable storage, in bytes
  digest TEXT NOT NULL,                -- of the ledger up to there
  noted_at INTEGER NOT NULL            -- when this was noted
) STRICT, WITHOUT ROWID;

-- one row from the beginning of a restore until its deletions are replayed
CREATE TABLE restore (
  single INTEGER NOT NULL PRIMARY KEY CHECK (single = 1),        -- always the same, so that there is one row
  state TEXT NOT NULL CHECK (state IN ('loading', 'replaying')), -- loading the backup, or replaying deletions
  began_at INTEGER NOT NULL,                                     -- when the restore began
  began_by TEXT NOT NULL,                                        -- who restores
  -- the files from which deletions are read besides the own ledger, as a JSON list
  sources TEXT NOT NULL,
  cut TEXT,                                                      -- where the chains were cut, as JSON
  reopened INTEGER NOT NULL DEFAULT 0                            -- how many deletions were opened again
) STRICT;

-- a deletion of the ledger that is not in the restored store yet
CREATE TABLE replay_entry (
  deletion_request_id TEXT NOT NULL PRIMARY KEY, -- the deletion
  organization_id TEXT NOT NULL,                 -- the organization of the record
  resource_type TEXT NOT NULL,                   -- the type of the record
  resource_id TEXT NOT NULL,                     -- the id of the record
  requested_by TEXT NOT NULL,                    -- who requested the deletion
  requested_at INTEGER NOT NULL,                 -- when it was requested
  completed_at INTEGER,                          -- when it was completed; null: it was in progress
  receipt_no INTEGER,                            -- the number of its receipt; null: it was in progress
  receipt_hash TEXT                              -- the hash of its receipt
) STRICT, WITHOUT ROWID;
-- in the order of completion, those in progress last
CREATE INDEX replay_entry_in_order
  ON replay_entry (coalesce(receipt_no, 9007199254740991), deletion_request_id);

-- an import that runs or has ended a short time ago; without content
CREATE TABLE import_run (
  organization_id TEXT NOT NULL,        -- the organization that the records are for
  import_id TEXT NOT NULL,              -- the id of the import
  resource_type TEXT NOT NULL,          -- the type of its records
  source TEXT NOT NULL,                 -- the name of the file
  started_at INTEGER NOT NULL,          -- when it began
  started_by TEXT NOT NULL,             -- who began it
  updated_at INTEGER NOT NULL,          -- when its progress was last noted
  rows_read INTEGER NOT NULL DEFAULT 0, -- how many rows were read
  written INTEGER NOT NULL DEFAULT 0,   -- how many records were written
  unchanged INTEGER NOT NULL DEFAULT 0, -- how many rows were stored already
  refused INTEGER NOT NULL DEFAULT 0,   -- how many rows were refused
  outcome TEXT,                         -- how it ended; null: it runs
  PRIMARY KEY (organization_id, import_id)
) STRICT, WITHOUT ROWID;
-- imports that ended long ago
CREATE INDEX import_run_by_start ON import_run (started_at);

-- a person who operates the service
CREATE TABLE operator (
  operator_id TEXT NOT NULL PRIMARY KEY, -- the id of the person
  name TEXT NOT NULL UNIQUE,             -- the unique name by which the person is recorded, which never changes
  roles TEXT NOT NULL,                   -- what the person may do, as a JSON list
  created_at INTEGER NOT NULL,           -- when the operator was created
  disabled_at INTEGER,                   -- when the operator was disabled; null: enabled
  issuer TEXT,                           -- the issuer of OpenID Connect that knows the person
  subject TEXT                           -- the id of the person at the issuer
) STRICT, WITHOUT ROWID;
-- one operator for each person of an issuer
CREATE UNIQUE INDEX operator_by_identity ON operator (issuer, subject);

-- a public key by which an operator signs in
CREATE TABLE operator_passkey (
  credential_id TEXT NOT NULL PRIMARY KEY, -- the id that the browser gives it
  operator_id TEXT NOT NULL,               -- the operator
  public_key BLOB NOT NULL,                -- in the format of COSE
  sign_count INTEGER NOT NULL,             -- how often it was used, as the authenticator counts
  transports TEXT NOT NULL,                -- how the browser reaches the authenticator, as a JSON list
  created_at INTEGER NOT NULL,             -- when it was registered
  last_used_at INTEGER                     -- when the operator last signed in with it
) STRICT, WITHOUT ROWID;
-- the passkeys of an operator
CREATE INDEX operator_passkey_by_operator ON operator_passkey (operator_id);

-- a session of an operator in the console
CREATE TABLE operator_session (
  session_id TEXT NOT NULL PRIMARY KEY, -- the id that the audit trail shows
  token_hash BLOB NOT NULL UNIQUE,      -- the SHA-256 of the secret in the cookie
  operator_id TEXT NOT NULL,            -- the operator
  method TEXT NOT NULL,                 -- how the operator signed in
  created_at INTEGER NOT NULL,          -- when the session began
  expires_at INTEGER NOT NULL           -- when it ends
) STRICT, WITHOUT ROWID;
-- the sessions of an operator
CREATE INDEX operator_session_by_operator ON operator_session (operator_id);

-- the secret of a sign-in link, or a challenge that a passkey has used, until it expires
CREATE TABLE one_time_token (
  token_hash BLOB NOT NULL PRIMARY KEY, -- the SHA-256 of the secret
  purpose TEXT NOT NULL,                -- link, or what the challenge was for
  operator_id TEXT,                     -- the operator that it is for; null: nobody in particular
  expires_at INTEGER NOT NULL           -- when it ends
) STRICT, WITHOUT ROWID;
-- secrets that have expired
CREATE INDEX one_time_token_expiry ON one_time_token (expires_at);
