// Pseudonyms of persons and companies that are being erased, how far the scan for records that name them has come, and an
// index of later changes by arrival: first changes are found by the key of the table.

export const pseudonyms = `
  CREATE TABLE pseudonym (
    deletion_request_id TEXT NOT NULL PRIMARY KEY REFERENCES deletion,
    organization_id TEXT NOT NULL,
    pseudonym TEXT NOT NULL,
    pass_up_to INTEGER,
    pass_after TEXT,
    pass_found INTEGER NOT NULL DEFAULT 0,
    verified_to INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX change_later ON change (change_no) WHERE digest IS NOT NULL;

  ALTER TABLE organization ADD COLUMN erase_orphaned_transactions INTEGER NOT NULL DEFAULT 0;
`;
