// Pseudonyms of persons and companies that are being erased, how far the scan for records that name them has come, and an
// index of changes by arrival: of blocks of pages, so that it costs an added record next to nothing.

export const pseudonyms = `
  CREATE TABLE pseudonym (
    deletion_request_id text COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    pseudonym text COLLATE "C" NOT NULL,
    pass_up_to bigint,
    pass_after text COLLATE "C",
    pass_found boolean NOT NULL DEFAULT false,
    verified_to bigint
  );

  CREATE INDEX change_by_arrival ON change USING brin (change_no)
    WITH (pages_per_range = 32, autosummarize = on);

  ALTER TABLE organization ADD COLUMN erase_orphaned_transactions boolean NOT NULL DEFAULT false;
`;
