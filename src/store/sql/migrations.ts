// The migrations after the baseline (schema.sql), the same list for both engines: each raises the version of the schema
// by one.

import { baselineVersion } from "../shared/schema-version.ts";
import { schemaText } from "./schema-text.ts";
import type { EngineName } from "./statement/statements.ts";

/** Due deletions, by the organizations that take turns. */
const addTurns = `
  CREATE INDEX deletion_in_turn
    ON deletion (coalesce(restricted_of, organization_id), coalesce(next_attempt_at, due_at), deletion_request_id)
    WHERE status = 'pending'`;

/**
 * Deletions of types that only operators and the retention ceiling can request; the metrics leave out confidential
 * ones.
 */
const addOthers = `
  CREATE INDEX deletion_of_others
    ON deletion (organization_id, resource_type, status, floor_until)
    WHERE resource_type NOT IN ('transaction', 'person', 'company')`;

/** Hashes can't be compressed; the server would try to compress each receipt, and then store it unchanged. */
const storeReceiptsAsTheyAre = `
  --postgres ALTER TABLE receipt ALTER COLUMN document SET STORAGE EXTERNAL
  `;

/**
 * Together with row-level security, PostgreSQL uses no index on COALESCE, because it considers that expression leaky,
 * but it does on CASE. Without the index, each claim reads all pending deletions.
 */
const findWithoutCoalesce = `
  DROP INDEX deletion_in_turn;
  CREATE INDEX deletion_in_turn
    ON deletion ((CASE WHEN restricted_of IS NULL THEN organization_id ELSE restricted_of END),
      (CASE WHEN next_attempt_at IS NULL THEN due_at ELSE next_attempt_at END), deletion_request_id)
    WHERE status = 'pending';
  DROP INDEX deletion_due;
  CREATE INDEX deletion_due
    ON deletion (status, (CASE WHEN next_attempt_at IS NULL THEN due_at ELSE next_attempt_at END)
    --postgres , due_at, deletion_request_id
    ) WHERE status IN ('pending', 'processing')`;

/** A receipt fits in a page, so it need not be split into rows of a second table. */
const storeReceiptsInRows = `
  --postgres ALTER TABLE receipt SET (toast_tuple_target = 8160)
  `;

/** Leaves room for the next version of a row, so that updates of columns without an index don't change the indexes. */
const leaveRoomForProgress = `
  --postgres ALTER TABLE deletion SET (fillfactor = 50)
  `;

/** Rules from before this column protect every part of their records too. */
const letReferencesBeRedacted = `
  -- whether a deletion may redact a reference in the records that it keeps
  --sqlite ALTER TABLE retention_floor ADD COLUMN redactable INTEGER NOT NULL DEFAULT 0
  --postgres ALTER TABLE retention_floor ADD COLUMN redactable boolean NOT NULL DEFAULT false
  `;

const addCeilings = `
  -- after how many days records of the type are erased without a request; null: no ceiling of the type
  --sqlite ALTER TABLE retention_floor ADD COLUMN delete_after_days INTEGER
  --postgres ALTER TABLE retention_floor ADD COLUMN delete_after_days bigint
  `;

const endHolds = `
  -- the last date of a hold that ends by itself; null: only a release ends it
  ALTER TABLE hold ADD COLUMN ends_on text
    --postgres COLLATE "C"
    ;
  CREATE INDEX hold_by_end ON hold (ends_on) WHERE ends_on IS NOT NULL`;

/**
 * The changes of an organization in the order of arrival, for the feed. On SQLite the first change of a record has the
 * number of the record, so only later changes need an index of their own; on PostgreSQL the new index also replaces the
 * old one.
 */
const findByArrival = `
  --sqlite CREATE INDEX record_by_arrival ON record (organization_id, record_no);
  --sqlite DROP INDEX change_later;
  --sqlite CREATE INDEX change_later ON change (change_no) WHERE change_no > record_no;
  --postgres DROP INDEX change_by_arrival;
  --postgres CREATE INDEX change_by_arrival ON change (organization_id, change_no);
  `;

/** A store from before this migration has persons and companies that are not in the index yet. */
const indexPersons = `
-- a hash of a value by which a person or a company is found
-- erased: the row is deleted when its record is erased
CREATE TABLE search_token (
  organization_id text COLLATE "C" NOT NULL, -- the organization of the record
  hash bytea NOT NULL,                       -- of the normalised value, under a key that is in no table
  resource_type text COLLATE "C" NOT NULL,   -- the record type
  resource_id text COLLATE "C" NOT NULL,     -- the id of the record
  field text COLLATE "C" NOT NULL,           -- the field that has the value
  former boolean NOT NULL,                   -- whether only changes before the latest state have the value
  PRIMARY KEY (organization_id, hash, resource_type, resource_id)
);
-- the hashes of a record
CREATE INDEX search_token_by_record ON search_token (organization_id, resource_type, resource_id);

-- a person or a company with changes that the index does not know yet
-- erased: the row is deleted when the record is erased
CREATE TABLE search_due (
  organization_id text COLLATE "C" NOT NULL, -- the organization of the record
  --sqlite record_no bigint NOT NULL,                 -- the record; a number costs a write less than a key does
  --postgres resource_type text COLLATE "C" NOT NULL, -- the record type
  --postgres resource_id text COLLATE "C" NOT NULL,   -- the id of the record
  --sqlite PRIMARY KEY (organization_id, record_no)
  --postgres PRIMARY KEY (organization_id, resource_type, resource_id)
);

-- the state of the index of persons and companies in one row
-- retained: contains nothing about any record
CREATE TABLE search_index (
  -- always the same, so that there is one row
  --sqlite single bigint NOT NULL PRIMARY KEY CHECK (single = 1),
  --postgres single boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
  key_check bigint NOT NULL,  -- derived from the key of the hashes, to recognise another key; 0: none is in use yet
  collecting boolean NOT NULL -- whether records from before are still to be added to search_due
--sqlite ) STRICT;
--postgres );
--sqlite INSERT INTO search_index (single, key_check, collecting) VALUES (1, 0, 1);
--postgres INSERT INTO search_index (key_check, collecting) VALUES (0, true);
`;

/** The arrival number finds what is to be indexed, so a write of a person only adds an entry to this index. */
const findPersonsByArrival = `
  --sqlite CREATE INDEX record_searched ON record (record_no) WHERE resource_type IN ('company', 'person');
  --postgres CREATE INDEX change_searched ON change (change_no) WHERE resource_type IN ('company', 'person');
  DROP TABLE search_due;
  ALTER TABLE search_index DROP COLUMN collecting;
  -- the number of arrival up to which all changes of persons and companies are in the index, or a lower one
  ALTER TABLE search_index ADD COLUMN indexed_no bigint NOT NULL DEFAULT 0`;

/** No message is stored: the numbers say what is next. */
const addWebhooks = `
-- where an organization is sent events, and how far it was told
-- retained: contains nothing about any record
CREATE TABLE webhook_endpoint (
  organization_id text COLLATE "C" NOT NULL, -- the organization
  endpoint_id text COLLATE "C" NOT NULL,     -- the id of the endpoint
  url text NOT NULL,                         -- where events are sent
  events text NOT NULL,                      -- which ones, as a JSON list
  description text NOT NULL,                 -- what the organization calls it
  -- the record types that it may be notified of, as a JSON list; null: all that are not confidential
  types text,
  created_at bigint NOT NULL,                -- when it was created
  created_by text NOT NULL,                  -- the id of the API key, or the operator
  secret_version bigint NOT NULL DEFAULT 1,  -- the number that its secret is derived from
  former_secret_until bigint,                -- until when the secret before signs, too
  key_check bigint NOT NULL,                 -- derived from the key of the secret, to recognise another key
  disabled_at bigint,                        -- when it was disabled; null: it is enabled
  disabled_because text COLLATE "C",         -- why it was disabled
  entry_no bigint NOT NULL,                  -- the entry of the audit trail up to which it was told
  change_no bigint NOT NULL,                 -- the number of the last change that it was notified of
  signalled_at bigint,                       -- when it was last notified of changes
  test_requested_at bigint,                  -- when a test event was asked for that is not sent yet
  failures bigint NOT NULL DEFAULT 0,        -- attempts since the last one that succeeded
  failing_since bigint,                      -- when the first of these was
  next_attempt_at bigint,                    -- when it is tried again; null: at once
  last_attempt_at bigint,                    -- when it was last tried
  last_result text,                          -- the status of the reply, or why there was none
  last_delivered_at bigint,                  -- when it was last tried with success
  lease_until bigint,                        -- until when no other process sends to it
  claimant text,                             -- the process that sends to it
  PRIMARY KEY (organization_id, endpoint_id)
);
`;

/** Registered readers of the feed of changes. */
const addRecipients = `
-- a registered reader of the feed of changes
-- retained: contains nothing about any record
CREATE TABLE recipient (
  organization_id text COLLATE "C" NOT NULL, -- the organization whose changes it reads
  name text COLLATE "C" NOT NULL,            -- what its organization calls it
  types text NOT NULL,                       -- the record types that it takes, as a JSON list
  created_at bigint NOT NULL,                -- when it was registered
  since_no bigint NOT NULL,                  -- the latest arrival number by then
  -- the arrival number of the last event that it has acknowledged; 0 before the first
  acknowledged_no bigint NOT NULL DEFAULT 0,
  acknowledged_offset text COLLATE "C",      -- the same as the offset that it sent
  acknowledged_at bigint,                    -- when it last acknowledged
  PRIMARY KEY (organization_id, name)
--sqlite ) STRICT;
--postgres );
`;

/** The notices of erasures for recipients, and who has received them. */
const addNotices = `
-- for the recipients of an organization, that a record was erased, or that a deletion was completed
-- erased: the row is deleted when the recipients have acknowledged it, or after a while
CREATE TABLE erasure_notice (
  organization_id text COLLATE "C" NOT NULL, -- the organization of the record
  notice_no bigint NOT NULL,                 -- its place in the feed of changes, one of the arrival numbers
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('erased', 'completed')), -- what has happened
  resource_type text COLLATE "C" NOT NULL,   -- the type of the record, or that of the deletion's record
  resource_id text COLLATE "C" NOT NULL,     -- the id of the record, or of the deletion that was completed
  deletion_request_id text COLLATE "C" NOT NULL, -- the deletion
  created_at bigint NOT NULL,                -- when it was written
  PRIMARY KEY (organization_id, notice_no)
--sqlite ) STRICT;
--postgres );
-- what the recipients of a type have acknowledged
CREATE INDEX erasure_notice_by_type ON erasure_notice (organization_id, resource_type, notice_no);
-- old ones
CREATE INDEX erasure_notice_by_time ON erasure_notice (created_at);

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
  PRIMARY KEY (deletion_request_id, name, resource_type)
--sqlite ) STRICT;
--postgres );
-- what a recipient has not acknowledged
CREATE INDEX deletion_recipient_waiting ON deletion_recipient (organization_id, name, last_no)
  WHERE acknowledged_at IS NULL;
`;

/** A rule is a credential without a secret: the same tables serve keys and rules, and their tokens. */
const trustPrograms = `
  -- the tokens of a platform for which tokens are issued, as JSON; null: an API key
  ALTER TABLE api_key ADD COLUMN identity_rule text;
  -- the program that it was issued to by a rule, as its issuer names it; null: by an API key
  ALTER TABLE access_token ADD COLUMN subject text`;

/** What one person has proposed and another has to approve. */
const addProposals = `
-- an act that one person has proposed, and that another has to approve
-- retained: contains nothing about any record
CREATE TABLE proposal (
  proposal_id text COLLATE "C" PRIMARY KEY, -- the id of the proposal
  organization_id text COLLATE "C" NOT NULL, -- the organization that requires a second person
  act text COLLATE "C" NOT NULL,             -- the act, such as retention.set
  parameters text NOT NULL,                  -- what the act is given, as canonical JSON
  state text NOT NULL,                       -- what it changes, as it was by then, as canonical JSON
  proposed_by text NOT NULL,                 -- the operator
  proposed_at bigint NOT NULL,               -- when
  expires_at bigint NOT NULL,                -- from when on nobody can approve it
  status text COLLATE "C" NOT NULL CHECK (status IN ('open', 'approved', 'declined', 'expired')), -- what became of it
  decided_by text,                           -- who approved or declined it
  decided_at bigint                          -- when
--sqlite ) STRICT;
--postgres );
-- what can still be approved
CREATE INDEX proposal_open ON proposal (organization_id, expires_at) WHERE status = 'open';
-- the list, newest first
CREATE INDEX proposal_by_time ON proposal (proposed_at, proposal_id);
`;

/** Officers from before need no confirmation. */
const confirmOfficers = `
  -- since when an officer waits for the confirmation by another one; null: needs none
  ALTER TABLE operator ADD COLUMN unconfirmed_since bigint;
  -- the administrator who created the officer, or a link for the officer
  ALTER TABLE operator ADD COLUMN unconfirmed_by text`;

/** Whoever creates a key is shown its secret. */
const nameCreators = `
  -- who created it, and so could request with it; null: before this was stored
  ALTER TABLE api_key ADD COLUMN created_by text`;

/** The position of each receiver of events. */
const addEventCursors = `
-- how far a receiver of events has the audit trail
-- retained: contains nothing about any record
CREATE TABLE event_cursor (
  destination text COLLATE "C" NOT NULL PRIMARY KEY, -- the kind of the receiver: otlp or syslog
  entry_no bigint NOT NULL,    -- the last entry of the trail that it has
  -- until when no other process sends to it; the process that sends knows itself by this number
  lease_until bigint NOT NULL
--sqlite ) STRICT;
--postgres );
`;

/** A person with several devices has to know which passkey to remove. */
const namePasskeys = `
  -- what its owner calls it; empty for no name
  ALTER TABLE operator_passkey ADD COLUMN name text NOT NULL DEFAULT ''`;

/** Where the arrival numbers of a restored store begin to differ from those that it had given before. */
const addTimelines = `
-- the arrival numbers that were given since a restore, as far as the next row
-- retained: contains nothing about any record
CREATE TABLE arrival_timeline (
  after_no bigint NOT NULL PRIMARY KEY, -- the last number of the restored store
  timeline_id bigint NOT NULL           -- tells these numbers from those given before the restore
--sqlite ) STRICT;
--postgres );
`;

/** Without the rows of removed recipients, which are never acknowledged. */
const forgetRemovedRecipients = `
  DROP INDEX deletion_recipient_waiting;
  -- what a recipient has not acknowledged
  CREATE INDEX deletion_recipient_waiting ON deletion_recipient (organization_id, name, last_no)
    WHERE acknowledged_at IS NULL AND removed_at IS NULL`;

/** The end of a hold wakes deletions that wait for one; there may be a million others. */
const findHeld = `
  -- deletions that wait for a hold
  CREATE INDEX deletion_held
    --sqlite ON deletion (organization_id)
    --postgres ON deletion (organization_id, deletion_request_id)
    WHERE held AND status IN ('pending', 'processing')`;

/** A recipient that was away for longer than its notices were kept was not informed. */
const expireTold = `
  -- when a notice was erased because of its age that the recipient had not acknowledged
  --sqlite ALTER TABLE deletion_recipient ADD COLUMN expired_at INTEGER
  --postgres ALTER TABLE deletion_recipient ADD COLUMN expired_at bigint
  ;
  DROP INDEX deletion_recipient_waiting;
  -- what a recipient can still acknowledge
  CREATE INDEX deletion_recipient_waiting ON deletion_recipient (organization_id, name, last_no)
    WHERE acknowledged_at IS NULL AND removed_at IS NULL AND expired_at IS NULL`;

/**
 * Whether a record under a hold or a floor names a person is found while writers wait, however many changes it has.
 * Nearly no record has later changes, so that this costs an added one nothing.
 */
const findLaterParties = `
  --sqlite CREATE INDEX change_sender_id ON change (record_no, payload ->> 'sender_id')
  --sqlite   WHERE digest IS NOT NULL AND payload ->> 'sender_id' IS NOT NULL;
  --sqlite CREATE INDEX change_receiver_id ON change (record_no, payload ->> 'receiver_id')
  --sqlite   WHERE digest IS NOT NULL AND payload ->> 'receiver_id' IS NOT NULL;
  `;

/** The migrations in their order. A published migration is never edited; a further change is a new migration. */
export const published: readonly string[] = [
  addTurns,
  addOthers,
  storeReceiptsAsTheyAre,
  findWithoutCoalesce,
  storeReceiptsInRows,
  leaveRoomForProgress,
  letReferencesBeRedacted,
  endHolds,
  findByArrival,
  indexPersons,
  addCeilings,
  addWebhooks,
  addRecipients,
  addNotices,
  trustPrograms,
  addProposals,
  findPersonsByArrival,
  confirmOfficers,
  nameCreators,
  addEventCursors,
  namePasskeys,
  addTimelines,
  forgetRemovedRecipients,
  findHeld,
  expireTold,
  findLaterParties,
];

export const schemaVersion = baselineVersion + published.length;

export interface Upgrade {
  /** The version of the store; 0 for an empty database. */
  readonly from: number;
  readonly migrations: readonly string[];
}

/** The statements of the migrations that a store lacks; a new one, made from the baseline, lacks all of them. */
export function missingIn({ from, migrations }: Upgrade, engine: EngineName): readonly string[] {
  const done = Math.max(from - baselineVersion, 0);
  return migrations.slice(done).map((migration) => schemaText(engine, migration));
}
