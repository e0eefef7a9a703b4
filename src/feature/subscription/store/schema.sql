-- who follows an organization, and how far it has come: a recipient reads the feed of changes and acknowledges it, an
-- endpoint of webhooks is sent messages
-- retained: contains nothing about any record
CREATE TABLE subscription (
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('recipient', 'webhook')), -- which of the two
  organization_id text COLLATE "C" NOT NULL, -- the organization
  name text COLLATE "C" NOT NULL,            -- what the organization calls a recipient; the id of an endpoint
  -- the record types that it takes, as a JSON list; null for an endpoint: all that are not confidential
  types text,
  created_at bigint NOT NULL,                -- when it was created
  created_by text NOT NULL,                  -- the id of the API key, or the operator
  since_no bigint NOT NULL,                  -- the latest arrival number by then
  -- the number of the last change that a recipient has acknowledged, 0 before the first, or an endpoint was notified of
  change_no bigint NOT NULL,
  acknowledged_offset text COLLATE "C",      -- the same as the offset that the recipient sent
  acknowledged_at bigint,                    -- when the recipient last acknowledged
  entry_no bigint NOT NULL,                  -- the entry of the audit trail up to which an endpoint was told
  url text,                                  -- where an endpoint is sent events; null for a recipient
  events text,                               -- which ones, as a JSON list
  description text,                          -- what the organization calls the endpoint
  secret_version bigint NOT NULL DEFAULT 1,  -- the number that its secret is derived from
  former_secret_until bigint,                -- until when the secret before signs, too
  key_check bigint,                          -- derived from the key of the secret, to recognise another key
  disabled_at bigint,                        -- when the endpoint was disabled; null: it is enabled
  disabled_because text COLLATE "C",         -- why it was disabled
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
  PRIMARY KEY (kind, organization_id, name)
--sqlite ) STRICT;
--postgres );

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
