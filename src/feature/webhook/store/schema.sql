-- an endpoint of webhooks of an organization, and up to where it was notified
-- retained: contains nothing about any record
CREATE TABLE webhook_endpoint (
  organization_id text COLLATE "C" NOT NULL, -- the organization
  endpoint_id text COLLATE "C" NOT NULL,     -- its id
  -- the record types that it may be notified of, as a JSON list; null: all that are not confidential
  types text,
  created_at bigint NOT NULL,                -- when it was created
  created_by text NOT NULL,                  -- the id of the API key, or the operator
  change_no bigint NOT NULL,                 -- the arrival number of the last change that it was notified of
  entry_no bigint NOT NULL,                  -- the entry of the audit trail up to which it was notified
  url text NOT NULL,                         -- where it is sent events
  events text NOT NULL,                      -- which ones, as a JSON list
  description text NOT NULL,                 -- what the organization calls it
  key_check bigint NOT NULL,                 -- derived from the key of the secret, to recognise another key
  disabled_at bigint,                        -- when it was disabled; null: it is enabled
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
  PRIMARY KEY (organization_id, endpoint_id)
--sqlite ) STRICT;
--postgres );
