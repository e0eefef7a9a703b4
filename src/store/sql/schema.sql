-- The schema of a store, without the tables of features (../parts.ts): every new store is made from it, and every store
-- of this version has it. Whoever changes it also adds a migration for the stores of earlier versions (migrations.ts).
-- It is in the words of PostgreSQL, and schema-text.ts replaces those that SQLite does not have; a line after --sqlite
-- or --postgres is only for that engine. What follows "erased:" or "retained:" in the comment of a table says how an
-- erasure removes its columns or why they remain, except a column whose comment says so itself (erasure-map.ts).
-- Row-level security applies to each table with an organization_id; the views that may read it, and which columns the
-- planner of PostgreSQL may sample, are in row-security.ts and statistics.ts there. Times are Unix milliseconds, except
-- first_seen and last_seen, which are normalised timestamps (domain/timestamp.ts). Text is compared byte by byte
-- (COLLATE "C", which SQLite does by itself), so that its order is the same on every engine and every machine.
--
-- Citus requires that every unique key of a distributed table contains the column that it is distributed by
-- (citus.ts), and that no table refers to another across shards. So on PostgreSQL a change is stored under its record's
-- key; its number comes from a sequence on the coordinator, taken while the record's row is locked, and so increases in
-- the order of arrival. On SQLite a change is stored under the number of its record.

-- numbers about the store itself
-- retained: contains nothing about any record
CREATE TABLE meta (
  -- schema_version, and on SQLite also credentials_version, which goes up with every change to an organization or a key
  -- clock: when a process last trusted its clock, in Unix milliseconds
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  value bigint NOT NULL                       -- the number
);
--sqlite INSERT INTO meta (name, value) VALUES ('credentials_version', 1);

-- numbers that go up
-- retained: contains nothing about any record
CREATE TABLE counter (
  -- on SQLite arrival: the number of the latest change; on PostgreSQL credentials_version: goes up with every change to
  -- an organization or a key; write_probe: with every check of whether the service is ready; parties_indexed: on both,
  -- the number of the change up to which the index of parties reaches, negative while it is removed to be built again
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  value bigint NOT NULL                       -- the number
);
--sqlite INSERT INTO counter (name, value) VALUES ('arrival', 0), ('parties_indexed', 0);
--postgres INSERT INTO counter (name, value) VALUES ('credentials_version', 1), ('write_probe', 0), ('parties_indexed', 0);

-- a customer of the operator, open or closed
-- retained: contains nothing about any record
CREATE TABLE organization (
  organization_id text COLLATE "C" NOT NULL PRIMARY KEY,      -- the id by which tokens are requested
  name text NOT NULL,                                         -- as replies show it
  strict_scopes boolean NOT NULL,                             -- whether transactions:write grants only what it says
  deletion_grace_seconds bigint NOT NULL,                     -- how long a deletion waits before it is due
  rate_limit_per_second bigint,                               -- null: the limit that applies to every organization
  -- how many days records are kept before they are deleted by themselves; null: without an end
  retain_days bigint,
  -- the record types that it has made confidential, as a JSON list
  confidential_types text NOT NULL DEFAULT '[]',
  -- whether a second person has to approve a deletion that an operator requests
  deletion_approval boolean NOT NULL DEFAULT false,
  created_at bigint NOT NULL,                                 -- when it was created
  closed_at bigint,                                           -- when it was closed; null: it is open
  -- until when its writes are refused, because one of its deletions could not be completed beside them
  writes_paused_until bigint NOT NULL DEFAULT 0,
  -- the deletion of everything that belongs to it, once it is closed
  deletion_request_id text COLLATE "C"
);

-- how long an organization has to keep its records of a type
-- retained: contains nothing about any record
CREATE TABLE retention_floor (
  organization_id text COLLATE "C" NOT NULL, -- the organization
  resource_type text COLLATE "C" NOT NULL,   -- the record type
  keep_days bigint NOT NULL,                 -- for how many days
  counted_from text COLLATE "C" NOT NULL,    -- the point in time from which the days count
  -- whether a deletion may redact a reference in the records that it keeps
  redactable boolean NOT NULL DEFAULT false,
  -- after how many days records of the type are erased without a request; null: no ceiling of the type
  delete_after_days bigint,
  PRIMARY KEY (organization_id, resource_type)
);

-- a credential by which tokens are requested
-- retained: contains nothing about any record
CREATE TABLE api_key (
  key_id text COLLATE "C" NOT NULL PRIMARY KEY,                      -- the id that commands show
  organization_id text COLLATE "C" NOT NULL REFERENCES organization, -- the organization that the key is for
  name text NOT NULL,                                                -- what the operator calls it
  secret_hash bytea NOT NULL UNIQUE,                                 -- the SHA-256 of the key, which is stored nowhere
  scopes text NOT NULL,                                              -- what tokens can be granted, as a JSON list
  created_at bigint NOT NULL,                                        -- when it was created
  expires_at bigint,                                                 -- when it and its tokens end; null: never
  revoked_at bigint,                                                 -- when it was revoked; null: it was not
  rotated_at bigint,                                                 -- when a successor was made, which set its end
  last_used_at bigint,                                               -- when a token was last requested with it, roughly
  -- what a feature issues tokens for in place of a secret, as its JSON; null: an API key
  rule text,
  -- who created it, and so could request with it; null: before this was stored
  created_by text
);
-- the keys of an organization
CREATE INDEX api_key_by_organization ON api_key (organization_id);

-- a token that has not expired
-- retained: contains nothing about any record
CREATE TABLE access_token (
  -- the SHA-256 of the token, which is stored nowhere
  token_hash bytea NOT NULL PRIMARY KEY,
  key_id text COLLATE "C" NOT NULL REFERENCES api_key,               -- the key that it was requested with
  organization_id text COLLATE "C" NOT NULL REFERENCES organization, -- the organization that it is for
  scopes text NOT NULL,                                              -- what it grants, as a JSON list
  created_at bigint NOT NULL,                                        -- when it was issued
  expires_at bigint NOT NULL,                                        -- when it ends
  -- who it was issued to, where its key is a rule; null: the holder of an API key
  subject text
);
-- tokens that have expired
CREATE INDEX access_token_by_expiry ON access_token (expires_at);

-- that a record exists; its content is in its changes
-- on PostgreSQL, room in the page keeps updates of first_seen and last_seen out of the index
-- erased: the row is deleted when the record is erased
CREATE TABLE record (
  organization_id text COLLATE "C" NOT NULL, -- the organization that it belongs to
  resource_type text COLLATE "C" NOT NULL,   -- the record type, such as transaction
  resource_id text COLLATE "C" NOT NULL,     -- the id that the client chose
  -- the arrival number of its first change
  --sqlite record_no bigint NOT NULL,
  first_seen text COLLATE "C" NOT NULL,      -- the earliest timestamp among its changes
  last_seen text COLLATE "C" NOT NULL,       -- the latest timestamp among its changes
  PRIMARY KEY (organization_id, resource_type, resource_id)
--sqlite );
--postgres ) WITH (fillfactor = 90);
-- the records of an organization in the order of their first changes, for the feed
--sqlite CREATE INDEX record_by_arrival ON record (organization_id, record_no);

-- an accepted submission of a record
-- erased: the row is deleted when the record is erased
CREATE TABLE change (
  --sqlite record_no bigint NOT NULL,                   -- the record
  --postgres organization_id text COLLATE "C" NOT NULL, -- the organization of the record
  --postgres resource_type text COLLATE "C" NOT NULL,   -- the record type
  --postgres resource_id text COLLATE "C" NOT NULL,     -- the id of the record
  change_no bigint NOT NULL,         -- the number of its arrival
  received_at bigint NOT NULL,       -- when it arrived
  -- the kept reply that it came with, so that erasing the one erases the other
  reply_key bytea,
  -- erased: the row is deleted with its record; references to erased records are redacted, and pseudonyms replace the
  -- ids of erased persons and companies
  payload text COLLATE "C" NOT NULL, -- the submission in canonical JSON
  -- of the payload, by which an identical change is found; null for the first changes of a record
  -- erased: the row is deleted with its record; recomputed when the payload is rewritten
  digest bigint,
  --sqlite PRIMARY KEY (record_no, change_no)
  --postgres PRIMARY KEY (organization_id, resource_type, resource_id, change_no)
);
-- the numbers of changes
--postgres CREATE SEQUENCE arrival;
-- changes by arrival, for the feed; on SQLite only later ones, because the first has the number of its record; on
-- PostgreSQL all fulfil the condition, and statements that do not name it can't read an organization by this index
--sqlite CREATE INDEX change_later ON change (change_no) WHERE change_no > record_no;
--postgres CREATE INDEX change_by_arrival ON change (organization_id, change_no) WHERE change_no > 0;
-- an identical later change
CREATE INDEX change_by_digest
  --sqlite ON change (record_no, digest)
  --postgres ON change (organization_id, resource_type, resource_id, digest)
  WHERE digest IS NOT NULL;

-- that a record names another one
-- erased: the row is deleted when either record is erased; the other's changes are rewritten without it
CREATE TABLE relation (
  organization_id text COLLATE "C" NOT NULL, -- the organization of both
  from_type text COLLATE "C" NOT NULL,       -- the type of the record that has the reference
  from_id text COLLATE "C" NOT NULL,         -- the id of the record that has the reference
  to_type text COLLATE "C" NOT NULL,         -- the type of the record that is named
  to_id text COLLATE "C" NOT NULL,           -- the id of the record that is named
  -- belongs: is erased with the other one; mentions: loses the reference
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('belongs', 'mentions')),
  --sqlite PRIMARY KEY (organization_id, from_type, from_id, to_type, to_id)
  --postgres PRIMARY KEY (organization_id, to_type, to_id, from_type, from_id)
);
-- the other direction: who names a record, or whom a record names; the condition is as that of change_by_arrival
--sqlite CREATE INDEX relation_by_target ON relation (organization_id, to_type, to_id, from_type, from_id, kind);
--postgres CREATE INDEX relation_by_source ON relation (organization_id, from_type, from_id) WHERE kind > '';

-- which changes name a person or a company: entries of a hash and a change, of a block of arrival numbers
-- erased: an entry is removed when its change is erased, or when a pseudonym replaces the id
CREATE TABLE party_block (
  organization_id text COLLATE "C" NOT NULL, -- the organization of the changes
  bucket bigint NOT NULL,                    -- the first bits of the hashes; -1: the row has all entries of the block
  block_no bigint NOT NULL,                  -- the block
  entries bytea NOT NULL,                    -- of each, the next bits of the hash, and the place in the block
  PRIMARY KEY (organization_id, bucket, block_no)
);

-- the outcome of a request with an Idempotency-Key, without content
-- erased: the row is deleted when any record that the request wrote is erased, or after 24 hours
CREATE TABLE idempotent_reply (
  organization_id text COLLATE "C" NOT NULL, -- the organization that sent the request
  key_hash bytea NOT NULL,                   -- the SHA-256 of the key
  fingerprint bytea NOT NULL,                -- the SHA-256 of the request, to refuse the key for another one
  outcome text NOT NULL,                     -- what the reply is made from, as JSON
  created_at bigint NOT NULL,                -- when the request was answered
  PRIMARY KEY (organization_id, key_hash)
);
-- replies that have expired
CREATE INDEX idempotent_reply_by_time ON idempotent_reply (created_at);

-- a legal hold on a record, which can have several
-- retained: a record under a hold is not erased; the row is deleted when the hold is released
CREATE TABLE hold (
  hold_id text COLLATE "C" NOT NULL PRIMARY KEY, -- the id that commands show
  organization_id text COLLATE "C" NOT NULL,     -- the organization of the record
  resource_type text COLLATE "C" NOT NULL,       -- the type of the record
  resource_id text COLLATE "C" NOT NULL,         -- the id of the record, which need not exist yet
  reason text NOT NULL,                          -- why the record is held
  owner text,                                    -- who is responsible for the hold
  review_on text COLLATE "C",                    -- the date on which it has to be reviewed
  placed_at bigint NOT NULL,                     -- when it was placed
  placed_by text NOT NULL,                       -- who placed it
  -- the last date of a hold that ends by itself; null: only a release ends it
  ends_on text COLLATE "C"
);
-- the holds of an organization
CREATE INDEX hold_by_organization ON hold (organization_id, hold_id);
-- the holds of a record
CREATE INDEX hold_by_record ON hold (organization_id, resource_type, resource_id);
-- the holds in restricted sets
CREATE INDEX hold_restricted ON hold (hold_id)
  WHERE organization_id > 'restricted/' AND organization_id < 'restricted0';
-- holds that end by themselves
CREATE INDEX hold_by_end ON hold (ends_on) WHERE ends_on IS NOT NULL;

-- a request to delete a record, or everything of an organization, and its life cycle
-- on PostgreSQL, room in the page keeps updates of columns without an index out of the indexes
-- retained: the proof of a deletion: that it was requested, and its result
CREATE TABLE deletion (
  deletion_request_id text COLLATE "C" NOT NULL PRIMARY KEY, -- the id that the client gets
  organization_id text COLLATE "C" NOT NULL,                 -- the organization that requested it
  resource_type text COLLATE "C" NOT NULL,                   -- the type of the record
  resource_id text COLLATE "C" NOT NULL,                     -- the id of the record
  reason text NOT NULL,                                      -- why, as the client said
  basis text COLLATE "C",                                    -- on which basis it rests, as the client said; null: not stated
  -- the state of its life cycle
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'cancelled')),
  requested_by text NOT NULL,                                -- the id of the API key, or the operator
  requested_at bigint NOT NULL,                              -- when it was requested
  due_at bigint NOT NULL,                                    -- when its grace period ends
  started_at bigint,                                         -- when a worker first claimed it
  completed_at bigint,                                       -- when nothing was left of the record
  erased text NOT NULL DEFAULT '{}',                         -- how many records were erased, by type, as JSON
  -- how many records were moved to the restricted store, by type, as JSON
  kept text NOT NULL DEFAULT '{}',
  redacted bigint NOT NULL DEFAULT 0,                        -- how many references were removed from records that stay
  redacted_by_type text NOT NULL DEFAULT '{}',               -- the same as redacted, by type, as JSON
  attempts bigint NOT NULL DEFAULT 0,                        -- how often a worker has claimed it
  -- the hold or the floor that it waits for, or the last failure; null: neither
  -- erased: emptied on completion; it may name a record under a hold or a floor
  waiting_for text,
  -- whether it waits for the release of a hold, which waiting_for names
  held boolean NOT NULL DEFAULT false,
  floor_until bigint,                                        -- the end of the retention floor that it waits for
  next_attempt_at bigint,                                    -- when it is tried again; null: when it is due
  lease_until bigint,                                        -- until when no other worker claims it
  claimant text,                                             -- the worker that has claimed it
  -- what the ledger knows of a deletion that a restore had undone, as JSON
  carried_out_before text,
  -- the organization of which the records of a restricted set were; null for any other deletion
  restricted_of text COLLATE "C",
  -- who requested a deletion that somebody else has to approve; null: it needs no approval
  approval_requester text COLLATE "C",
  approved_by text COLLATE "C",                              -- who approved it
  approved_at bigint,                                        -- when it was approved
  plan_end bigint NOT NULL DEFAULT 0,                        -- the position of the last target of its plan
  -- where a step continues that has no targets to go by, as JSON; null: at the beginning
  -- erased: emptied when the step has ended; it may name a record that a step has reached
  cursor text COLLATE "C",
  -- the operator who requested it, whom the organization does not see in requested_by; null: no operator did
  requester text COLLATE "C"
--sqlite );
--postgres ) WITH (fillfactor = 50);
-- deletions that wait for an approval; on SQLite the primary key is the end of each index by itself
CREATE INDEX deletion_awaiting
  --sqlite ON deletion (requested_at)
  --postgres ON deletion (requested_at, deletion_request_id)
  WHERE approval_requester IS NOT NULL AND approved_at IS NULL AND status = 'pending';
-- the same of an organization
CREATE INDEX deletion_awaiting_of_organization
  --sqlite ON deletion (organization_id, requested_at)
  --postgres ON deletion (organization_id, requested_at, deletion_request_id)
  WHERE approval_requester IS NOT NULL AND approved_at IS NULL AND status = 'pending';
-- lists of an organization
CREATE INDEX deletion_by_organization
  --sqlite ON deletion (organization_id, requested_at);
  --postgres ON deletion (organization_id, requested_at, deletion_request_id) WHERE requested_at >= 0;
-- lists of an organization by status
CREATE INDEX deletion_by_organization_status
  --sqlite ON deletion (organization_id, status, requested_at);
  --postgres ON deletion (organization_id, status, requested_at, deletion_request_id) WHERE requested_at >= 0;
-- lists of a record
CREATE INDEX deletion_by_record
  --sqlite ON deletion (organization_id, resource_type, resource_id, requested_at);
  --postgres ON deletion (organization_id, resource_type, resource_id, requested_at, deletion_request_id)
  --postgres WHERE requested_at >= 0;
-- lists and counts by status
CREATE INDEX deletion_by_status
  --sqlite ON deletion (status, requested_at);
  --postgres ON deletion (status, requested_at, deletion_request_id) WHERE requested_at >= 0;
-- lists in the order of requests
CREATE INDEX deletion_by_time
  --sqlite ON deletion (requested_at);
  --postgres ON deletion (requested_at, deletion_request_id) WHERE requested_at >= 0;
-- the next deletion for a worker. Together with row-level security, PostgreSQL uses no index on COALESCE, because it
-- considers that expression leaky, but it does on CASE
CREATE INDEX deletion_due
  ON deletion (status, (CASE WHEN next_attempt_at IS NULL THEN due_at ELSE next_attempt_at END)
  --postgres , due_at, deletion_request_id
  ) WHERE status IN ('pending', 'processing')
  --postgres AND due_at >= 0
  ;
-- due deletions, by the organizations that take turns
CREATE INDEX deletion_in_turn
  ON deletion ((CASE WHEN restricted_of IS NULL THEN organization_id ELSE restricted_of END),
    (CASE WHEN next_attempt_at IS NULL THEN due_at ELSE next_attempt_at END), deletion_request_id)
  WHERE status = 'pending';
-- deletions that wait for a hold
CREATE INDEX deletion_held
  --sqlite ON deletion (organization_id)
  --postgres ON deletion (organization_id, deletion_request_id)
  WHERE held AND status IN ('pending', 'processing');
-- deletions that wait for a floor
CREATE INDEX deletion_floored
  ON deletion (organization_id, deletion_request_id, floor_until)
  WHERE status IN ('pending', 'processing') AND floor_until IS NOT NULL;
-- one open deletion of a record
CREATE UNIQUE INDEX deletion_open
  ON deletion (organization_id, resource_type, resource_id)
  WHERE status IN ('pending', 'processing')
  --postgres AND resource_id > ''
  ;
-- deletions of types that only operators and the retention ceiling can request; the metrics leave out confidential ones
CREATE INDEX deletion_of_others
  ON deletion (organization_id, resource_type, status, floor_until)
  WHERE resource_type NOT IN ('transaction', 'person', 'company');
-- the restricted sets of an organization
CREATE INDEX deletion_restricted
  ON deletion (restricted_of, deletion_request_id)
  WHERE restricted_of IS NOT NULL;

-- the plan of a deletion in progress: what it erases, and which references it removes
-- erased: the plan is deleted when the deletion is verified
CREATE TABLE deletion_target (
  -- the deletion
  --sqlite deletion_request_id text NOT NULL REFERENCES deletion,
  --postgres deletion_request_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,                  -- the order of the plan
  organization_id text COLLATE "C" NOT NULL, -- the organization of the record
  -- erase the record, or redact a reference in it
  action text COLLATE "C" NOT NULL CHECK (action IN ('erase', 'redact')),
  resource_type text COLLATE "C" NOT NULL,   -- the type of the record
  resource_id text COLLATE "C" NOT NULL,     -- the id of the record
  -- the number of a record that exists and will be erased
  --sqlite record_no bigint,
  to_type text COLLATE "C",                  -- the type of the record that the redacted reference names
  to_id text COLLATE "C",                    -- the id of the record that the redacted reference names
  done boolean NOT NULL DEFAULT false,       -- whether this has happened
  -- whether the record is moved to the restricted store instead of being erased
  restricted boolean NOT NULL DEFAULT false,
  --sqlite PRIMARY KEY (deletion_request_id, position)
  --postgres PRIMARY KEY (deletion_request_id, position, resource_id)
);
-- whether a record is in a plan
CREATE INDEX deletion_target_by_record
  ON deletion_target (organization_id, resource_type, resource_id, action);
-- the rest of a plan
CREATE INDEX deletion_target_to_do ON deletion_target (deletion_request_id, position)
  --sqlite WHERE done = 0;
  --postgres WHERE NOT done;

-- what replaces the id of a person or a company that is being erased, until that is completed
-- erased: the row is deleted when the deletion is completed, so that nothing connects the id with it
CREATE TABLE pseudonym (
  -- the deletion
  --sqlite deletion_request_id text NOT NULL PRIMARY KEY REFERENCES deletion,
  --postgres deletion_request_id text COLLATE "C" NOT NULL PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL, -- the organization of the record
  pseudonym text COLLATE "C" NOT NULL        -- the text that replaces the id
);

-- a reference that stays in a report that has to be kept, to a record that was erased or moved
-- erased: the row is deleted when the restricted set is erased, after the reference was redacted, or when the
-- report is erased
CREATE TABLE restricted_reference (
  deletion_request_id text COLLATE "C" NOT NULL, -- the deletion that erased or moved the record
  organization_id text COLLATE "C" NOT NULL,     -- the organization of the report
  from_type text COLLATE "C" NOT NULL,           -- the type of the report
  from_id text COLLATE "C" NOT NULL,             -- the id of the report
  from_set text COLLATE "C" NOT NULL,            -- the deletion that moved the report; empty: none did
  to_type text COLLATE "C" NOT NULL,             -- the type of the record
  to_id text COLLATE "C" NOT NULL,               -- the id of the record
  -- whether the reference was redacted, by the deletion of the restricted set
  done boolean NOT NULL DEFAULT false,
  PRIMARY KEY (deletion_request_id, from_type, from_id, to_type, to_id)
);
-- the references of a report
CREATE INDEX restricted_reference_by_report
  ON restricted_reference (organization_id, from_set, from_type, from_id);

-- the signed receipt of a completed deletion; the receipts are a chain of hashes
-- on PostgreSQL, a receipt fits in a page, so it need not be split into rows of a second table; its hashes can't be
-- compressed, so the server does not try
-- retained: the proof of a deletion: that it was requested, and its result
CREATE TABLE receipt (
  receipt_no bigint NOT NULL PRIMARY KEY,               -- the position in the chain
  deletion_request_id text COLLATE "C" NOT NULL UNIQUE, -- the deletion
  organization_id text COLLATE "C" NOT NULL,            -- the organization of the record
  -- retained: the proof itself: the request, with id and reason, and its result
  document text NOT NULL,                               -- the receipt with its signature, as JSON
  hash text NOT NULL                                    -- of the document
--sqlite ) STRICT;
--postgres ) WITH (toast_tuple_target = 8160);
--postgres ALTER TABLE receipt ALTER COLUMN document SET STORAGE EXTERNAL;

-- a public key that receipts are signed with; the private keys are in no table
-- retained: contains nothing about any record
CREATE TABLE receipt_key (
  key_id text COLLATE "C" NOT NULL PRIMARY KEY, -- the id that receipts name
  public_key text NOT NULL,                     -- in PEM format
  created_at bigint NOT NULL,                   -- when receipts were first signed with it
  retired_at bigint                             -- when another key replaced it
);

-- the end of the chain of receipts in one row
-- retained: contains nothing about any record
CREATE TABLE receipt_head (
  -- always the same, so that there is one row
  --sqlite single bigint NOT NULL PRIMARY KEY CHECK (single = 1),
  --postgres single boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
  -- the name of this store for good, also in its backups
  store_id text NOT NULL,
  receipt_no bigint NOT NULL, -- the number of the last receipt
  hash text NOT NULL,         -- the hash of the last receipt
  -- from which the salts of the hashes in receipts are derived
  -- retained: the key of the salts of receipts
  salt_key text NOT NULL
--sqlite ) STRICT;
--postgres );
-- on SQLite migrate.ts makes the key of the salts; on PostgreSQL gen_random_uuid has 122 random bits of the server's
-- cryptographic generator, so three have more than the key
--sqlite INSERT INTO receipt_head (single, store_id, receipt_no, hash, salt_key)
--sqlite VALUES (1, 'store_' || lower(hex(randomblob(12))), 0,
--sqlite   '0000000000000000000000000000000000000000000000000000000000000000', '');
--postgres INSERT INTO receipt_head (store_id, receipt_no, hash, salt_key)
--postgres VALUES ('store_' || left(replace(gen_random_uuid()::text, '-', ''), 24), 0, repeat('0', 64),
--postgres   encode(sha256(convert_to(
--postgres     gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'));

-- an act of an operator or the worker; the entries are a chain of hashes
-- retained: the audit trail is a chain; it never contains record content
CREATE TABLE audit_entry (
  entry_no bigint NOT NULL PRIMARY KEY, -- the position in the chain
  at bigint NOT NULL,                   -- when it happened
  actor text NOT NULL,                  -- who did it
  action text NOT NULL,                 -- what was done
  organization_id text COLLATE "C",     -- the organization that it concerns; null: none, or all
  subject text NOT NULL,                -- what it was done to
  detail text NOT NULL,                 -- more about it, as JSON, never content of a record
  previous_hash text NOT NULL,          -- the hash of the entry before it
  hash text NOT NULL                    -- of this entry, with the hash before it
--sqlite ) STRICT;
--postgres );
-- the last backup
CREATE INDEX audit_entry_of_backup ON audit_entry (entry_no) WHERE action = 'store.backup';
-- the restores, which explain gaps in the chains
CREATE INDEX audit_entry_of_restore ON audit_entry (entry_no) WHERE action = 'store.restore';

-- the end of the audit chain in one row, so that missing entries at the end are noticed
-- retained: the audit trail is a chain; it never contains record content
CREATE TABLE audit_head (
  -- always the same, so that there is one row
  --sqlite single bigint NOT NULL PRIMARY KEY CHECK (single = 1),
  --postgres single boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
  entry_no bigint NOT NULL, -- the number of the last entry
  hash text NOT NULL        -- the hash of the last entry
--sqlite ) STRICT;
--postgres );
--sqlite INSERT INTO audit_head (single, entry_no, hash)
--sqlite VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');
--postgres INSERT INTO audit_head (entry_no, hash) VALUES (0, repeat('0', 64));

-- how far a ledger outside the store is known to reach
-- retained: contains nothing about any record
CREATE TABLE ledger (
  ledger_id text COLLATE "C" NOT NULL PRIMARY KEY, -- the ledger
  frame_end bigint NOT NULL,                       -- where a frame ends that was on stable storage, in bytes
  digest text NOT NULL,                            -- of the ledger up to there
  noted_at bigint NOT NULL                         -- when this was noted
);

-- one row from the beginning of a restore until its deletions are replayed
-- retained: contains nothing about any record
CREATE TABLE restore (
  -- always the same, so that there is one row
  --sqlite single bigint NOT NULL PRIMARY KEY CHECK (single = 1),
  --postgres single boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
  -- loading the backup, or replaying deletions
  state text COLLATE "C" NOT NULL CHECK (state IN ('loading', 'replaying')),
  began_at bigint NOT NULL,          -- when the restore began
  began_by text NOT NULL,            -- who restores
  -- the files from which deletions are read besides the own ledger, as a JSON list
  sources text NOT NULL,
  cut text,                          -- where the chains were cut, as JSON
  reopened bigint NOT NULL DEFAULT 0 -- how many deletions were opened again
--sqlite ) STRICT;
--postgres );

-- a deletion of the ledger that is not in the restored store yet
-- erased: the row is deleted when the deletion is reopened, which then contains the same
CREATE TABLE replay_entry (
  deletion_request_id text COLLATE "C" NOT NULL PRIMARY KEY, -- the deletion
  organization_id text COLLATE "C" NOT NULL,                 -- the organization of the record
  resource_type text COLLATE "C" NOT NULL,                   -- the type of the record
  resource_id text COLLATE "C" NOT NULL,                     -- the id of the record
  requested_by text NOT NULL,                                -- who requested the deletion
  requested_at bigint NOT NULL,                              -- when it was requested
  completed_at bigint,                                       -- when it was completed; null: it was in progress
  receipt_no bigint,                                         -- the number of its receipt; null: it was in progress
  receipt_hash text                                          -- the hash of its receipt
);
-- in the order of completion, those in progress last
CREATE INDEX replay_entry_in_order
  ON replay_entry (coalesce(receipt_no, 9007199254740991), deletion_request_id);

-- a person who operates the service
-- retained: contains nothing about any record
CREATE TABLE operator (
  operator_id text COLLATE "C" NOT NULL PRIMARY KEY, -- the id of the person
  -- the unique name by which the person is recorded, which never changes
  name text COLLATE "C" NOT NULL UNIQUE,
  roles text NOT NULL,                               -- what the person may do, as a JSON list
  created_at bigint NOT NULL,                        -- when the operator was created
  disabled_at bigint,                                -- when the operator was disabled; null: enabled
  issuer text COLLATE "C",                           -- the issuer of OpenID Connect that knows the person
  subject text COLLATE "C",                          -- the id of the person at the issuer
  -- since when an officer waits for the confirmation by another one; null: needs none
  unconfirmed_since bigint,
  -- the administrator who created the officer, or a link for the officer
  unconfirmed_by text
);
-- one operator for each person of an issuer
CREATE UNIQUE INDEX operator_by_identity ON operator (issuer, subject);

-- a public key by which an operator signs in
-- retained: contains nothing about any record
CREATE TABLE operator_passkey (
  credential_id text COLLATE "C" NOT NULL PRIMARY KEY, -- the id that the browser gives it
  operator_id text COLLATE "C" NOT NULL,               -- the operator
  public_key bytea NOT NULL,                           -- in the format of COSE
  sign_count bigint NOT NULL,                          -- how often it was used, as the authenticator counts
  transports text NOT NULL,                            -- how the browser reaches the authenticator, as a JSON list
  created_at bigint NOT NULL,                          -- when it was registered
  last_used_at bigint,                                 -- when the operator last signed in with it
  name text NOT NULL DEFAULT ''                        -- what its owner calls it; empty for no name
);
-- the passkeys of an operator
CREATE INDEX operator_passkey_by_operator ON operator_passkey (operator_id);

-- a session of an operator in the console
-- retained: contains nothing about any record
CREATE TABLE operator_session (
  session_id text COLLATE "C" NOT NULL PRIMARY KEY, -- the id that the audit trail shows
  token_hash bytea NOT NULL UNIQUE,                 -- the SHA-256 of the secret in the cookie
  operator_id text COLLATE "C" NOT NULL,            -- the operator
  method text COLLATE "C" NOT NULL,                 -- how the operator signed in
  created_at bigint NOT NULL,                       -- when the session began
  expires_at bigint NOT NULL                        -- when it ends
);
-- the sessions of an operator
CREATE INDEX operator_session_by_operator ON operator_session (operator_id);

-- the secret of a sign-in link, or a challenge or what else was used and can't be again, until it expires
-- retained: contains nothing about any record
CREATE TABLE one_time_token (
  token_hash bytea NOT NULL PRIMARY KEY, -- the SHA-256 of the secret
  purpose text COLLATE "C" NOT NULL,     -- link, or what the challenge was for
  operator_id text COLLATE "C",          -- the operator that it is for; null: nobody in particular
  expires_at bigint NOT NULL             -- when it ends
);
-- secrets that have expired
CREATE INDEX one_time_token_expiry ON one_time_token (expires_at);

-- that a recipient was informed about the records of a type that a deletion has erased
-- retained: the proof of a deletion: who was informed, and has acknowledged it
CREATE TABLE deletion_recipient (
  deletion_request_id text COLLATE "C" NOT NULL, -- the deletion
  name text COLLATE "C" NOT NULL,                -- the recipient
  resource_type text COLLATE "C" NOT NULL,       -- the record type
  organization_id text COLLATE "C" NOT NULL,     -- the organization of both
  last_no bigint NOT NULL,                       -- the number of the last notice
  told_at bigint NOT NULL,                       -- when that was written
  acknowledged_at bigint,                        -- when the recipient has acknowledged all of them
  removed_at bigint,                             -- when the recipient was removed, unless it had acknowledged them
  -- when a notice was erased because of its age that the recipient had not acknowledged
  expired_at bigint,
  PRIMARY KEY (deletion_request_id, name, resource_type)
--sqlite ) STRICT;
--postgres );
-- what a recipient can still acknowledge
CREATE INDEX deletion_recipient_waiting ON deletion_recipient (organization_id, name, last_no)
  WHERE acknowledged_at IS NULL AND removed_at IS NULL AND expired_at IS NULL;

-- an act that one person has proposed, and that another has to approve
-- retained: contains nothing about any record
CREATE TABLE proposal (
  proposal_id text COLLATE "C" NOT NULL PRIMARY KEY, -- the id of the proposal
  organization_id text COLLATE "C" NOT NULL, -- the organization that requires a second person
  act text COLLATE "C" NOT NULL,             -- the act, such as retention.set
  parameters text NOT NULL,                  -- what the act is given, as canonical JSON
  state text NOT NULL,                       -- what it changes, as it was by then, as canonical JSON
  proposed_by text NOT NULL,                 -- the operator
  proposed_at bigint NOT NULL,               -- when
  expires_at bigint NOT NULL,                -- from when on nobody can approve it
  -- what became of it
  status text COLLATE "C" NOT NULL CHECK (status IN ('open', 'approved', 'declined', 'expired')),
  decided_by text,                           -- who approved or declined it
  decided_at bigint                          -- when
--sqlite ) STRICT;
--postgres );
-- what can still be approved
CREATE INDEX proposal_open ON proposal (organization_id, expires_at) WHERE status = 'open';
-- the list, newest first
CREATE INDEX proposal_by_time ON proposal (proposed_at, proposal_id);

-- the arrival numbers that were given since a restore, as far as the next row
-- retained: contains nothing about any record
CREATE TABLE arrival_timeline (
  after_no bigint NOT NULL PRIMARY KEY, -- the last number of the restored store
  timeline_id bigint NOT NULL           -- tells these numbers from those given before the restore
--sqlite ) STRICT;
--postgres );
