-- a registered reader of the feed of changes of an organization, and up to where it has acknowledged the feed
-- retained: contains nothing about any record
CREATE TABLE recipient (
  organization_id text COLLATE "C" NOT NULL, -- the organization
  name text COLLATE "C" NOT NULL,            -- what the organization calls it
  types text NOT NULL,                       -- the record types that it takes, as a JSON list
  created_at bigint NOT NULL,                -- when it was registered
  created_by text NOT NULL,                  -- the id of the API key, or the operator
  since_no bigint NOT NULL,                  -- the latest arrival number by then
  acknowledged_no bigint NOT NULL DEFAULT 0, -- the number of the last change that it has acknowledged; 0 before the first
  acknowledged_offset text COLLATE "C",      -- the same as the offset that it sent
  acknowledged_at bigint,                    -- when it last acknowledged
  PRIMARY KEY (organization_id, name)
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
