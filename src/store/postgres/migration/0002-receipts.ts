// Receipts of deletions, the public keys that they are signed with, and the head of their chain; how long an
// organization's records are retained. The private keys are in no table.

export const receipts = `
  CREATE TABLE receipt (
    receipt_no bigint NOT NULL PRIMARY KEY,
    deletion_request_id text COLLATE "C" NOT NULL UNIQUE,
    organization_id text COLLATE "C" NOT NULL,
    document text NOT NULL,
    hash text NOT NULL
  );

  CREATE TABLE receipt_key (
    key_id text COLLATE "C" NOT NULL PRIMARY KEY,
    public_key text NOT NULL,
    created_at bigint NOT NULL,
    retired_at bigint
  );

  -- the end of the chain: one row, whose lock puts the processes that complete deletions in a row; store_id names this
  -- store for good, also in its backups
  CREATE TABLE receipt_head (
    single boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
    store_id text NOT NULL,
    receipt_no bigint NOT NULL,
    hash text NOT NULL
  );
  INSERT INTO receipt_head (store_id, receipt_no, hash)
  VALUES ('store_' || left(replace(gen_random_uuid()::text, '-', ''), 24), 0, repeat('0', 64));

  -- what the ledger knows of a deletion that a restore had undone
  ALTER TABLE deletion ADD COLUMN carried_out_before text;
  ALTER TABLE organization ADD COLUMN retain_days bigint;
`;
