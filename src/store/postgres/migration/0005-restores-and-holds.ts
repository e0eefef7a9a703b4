// Several holds on one record; what a restore still has to replay; and how far each ledger outside the store is known
// to reach.

export const restoresAndHolds = `
  ALTER TABLE hold DROP CONSTRAINT hold_pkey;
  ALTER TABLE hold ADD COLUMN hold_id text COLLATE "C";
  UPDATE hold SET hold_id = 'hold_earlier_' || left(replace(gen_random_uuid()::text, '-', ''), 16);
  ALTER TABLE hold ALTER COLUMN hold_id SET NOT NULL;
  ALTER TABLE hold ADD PRIMARY KEY (hold_id);
  ALTER TABLE hold ADD COLUMN owner text;
  ALTER TABLE hold ADD COLUMN review_on text COLLATE "C";
  CREATE INDEX hold_by_record ON hold (organization_id, resource_type, resource_id);

  -- one row from the beginning of a restore until its deletions are replayed, with where the chains were cut, as JSON
  CREATE TABLE restore (
    single boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
    state text COLLATE "C" NOT NULL CHECK (state IN ('loading', 'replaying')),
    began_at bigint NOT NULL,
    began_by text NOT NULL,
    sources text NOT NULL,
    cut text,
    reopened bigint NOT NULL DEFAULT 0
  );

  -- deletions of the ledger that are not in the store yet (receipt_no is null for one that was in progress)
  CREATE TABLE replay_entry (
    deletion_request_id text COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    resource_type text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    requested_by text NOT NULL,
    requested_at bigint NOT NULL,
    completed_at bigint,
    receipt_no bigint,
    receipt_hash text
  );
  CREATE INDEX replay_entry_in_order
    ON replay_entry (coalesce(receipt_no, ${Number.MAX_SAFE_INTEGER}), deletion_request_id);
  ALTER TABLE replay_entry ALTER COLUMN resource_id SET STATISTICS 0;
  ALTER TABLE hold ALTER COLUMN resource_id SET STATISTICS 0;

  -- where a frame of a ledger ends that was on stable storage, and its digest
  CREATE TABLE ledger (
    ledger_id text COLLATE "C" NOT NULL PRIMARY KEY,
    frame_end bigint NOT NULL,
    digest text NOT NULL,
    noted_at bigint NOT NULL
  );
`;
