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

-- the state of the index of persons and companies in one row
-- retained: contains nothing about any record
CREATE TABLE search_index (
  -- always the same, so that there is one row
  --sqlite single bigint NOT NULL PRIMARY KEY CHECK (single = 1),
  --postgres single boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
  -- derived from the key of the hashes, to recognise another key; 0: none is in use yet
  key_check bigint NOT NULL,
  -- the number of arrival up to which all changes of persons and companies are in the index, or a lower one
  indexed_no bigint NOT NULL DEFAULT 0
--sqlite ) STRICT;
--postgres );
--sqlite INSERT INTO search_index (single, key_check) VALUES (1, 0);
--postgres INSERT INTO search_index (key_check) VALUES (0);

-- what the index of persons and companies does not know yet
--sqlite CREATE INDEX record_searched ON record (record_no) WHERE resource_type IN ('company', 'person');
-- what the index of persons and companies does not know yet
--postgres CREATE INDEX change_searched ON change (change_no) WHERE resource_type IN ('company', 'person');
