-- an import that runs or has ended a short time ago; without content
-- retained: contains nothing about any record
CREATE TABLE import_run (
  organization_id text COLLATE "C" NOT NULL, -- the organization that the records are for
  import_id text COLLATE "C" NOT NULL,       -- the id of the import
  resource_type text COLLATE "C" NOT NULL,   -- the type of its records
  source text COLLATE "C" NOT NULL,          -- where it was started
  started_at bigint NOT NULL,                -- when it began
  started_by text COLLATE "C" NOT NULL,      -- who began it
  updated_at bigint NOT NULL,                -- when its progress was last noted
  rows_read bigint NOT NULL DEFAULT 0,       -- how many rows were read
  written bigint NOT NULL DEFAULT 0,         -- how many records were written
  unchanged bigint NOT NULL DEFAULT 0,       -- how many rows were stored already
  refused bigint NOT NULL DEFAULT 0,         -- how many rows were refused
  outcome text COLLATE "C",                  -- how it ended; null: it runs
  PRIMARY KEY (organization_id, import_id)
--sqlite ) STRICT;
--postgres );
-- imports that ended long ago
CREATE INDEX import_run_by_start ON import_run (started_at);
