// Receipts of deletions, the public keys that they are signed with, and the head of their chain; how long an
// organization's records are retained. The private keys are in no table.

export const receipts = `
  CREATE TABLE receipt (
    receipt_no INTEGER NOT NULL PRIMARY KEY,
    deletion_request_id TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL,
    document TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;

  CREATE TABLE receipt_key (
    key_id TEXT NOT NULL PRIMARY KEY,
    public_key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    retired_at INTEGER
  ) STRICT, WITHOUT ROWID;

  -- the end of the chain: one row; store_id names this store for good, also in its backups
  CREATE TABLE receipt_head (
    single INTEGER NOT NULL PRIMARY KEY CHECK (single = 1),
    store_id TEXT NOT NULL,
    receipt_no INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  INSERT INTO receipt_head (single, store_id, receipt_no, hash)
  VALUES (1, 'store_' || lower(hex(randomblob(12))), 0, '${"0".repeat(64)}');

  -- what the ledger knows of a deletion that a restore had undone
  ALTER TABLE deletion ADD COLUMN carried_out_before TEXT;
  ALTER TABLE organization ADD COLUMN retain_days INTEGER;
`;
