// Several holds on one record; the head of the audit chain; what a restore still has to replay; and how far each ledger
// outside the store is known to reach.

const recordKey = `
    organization_id TEXT NOT NULL,
    resource_type TEXT NOT NULL,
    resource_id TEXT NOT NULL`;

export const restoresAndHolds = `
  CREATE TABLE several_holds (
    hold_id TEXT NOT NULL PRIMARY KEY,${recordKey},
    reason TEXT NOT NULL,
    owner TEXT,
    review_on TEXT,
    placed_at INTEGER NOT NULL,
    placed_by TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO several_holds
    (hold_id, organization_id, resource_type, resource_id, reason, placed_at, placed_by)
  SELECT 'hold_earlier_' || lower(hex(randomblob(8))), organization_id, resource_type, resource_id,
    reason, placed_at, placed_by
  FROM hold;
  DROP TABLE hold;
  ALTER TABLE several_holds RENAME TO hold;
  CREATE INDEX hold_by_record ON hold (organization_id, resource_type, resource_id);

  -- the end of the audit chain: one row, written with each entry, so that entries that are missing at the end show
  CREATE TABLE audit_head (
    single INTEGER NOT NULL PRIMARY KEY CHECK (single = 1),
    entry_no INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  INSERT INTO audit_head (single, entry_no, hash)
  SELECT 1, coalesce(max(entry_no), 0),
    coalesce((SELECT hash FROM audit_entry ORDER BY entry_no DESC LIMIT 1), '${"0".repeat(64)}')
  FROM audit_entry;

  -- one row from the beginning of a restore until its deletions are replayed; cut: where the chains were cut, as JSON
  CREATE TABLE restore (
    single INTEGER NOT NULL PRIMARY KEY CHECK (single = 1),
    state TEXT NOT NULL CHECK (state IN ('loading', 'replaying')),
    began_at INTEGER NOT NULL,
    began_by TEXT NOT NULL,
    sources TEXT NOT NULL,
    cut TEXT,
    reopened INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- deletions of the ledger that are not in the store yet; receipt_no is null for one that was in progress
  CREATE TABLE replay_entry (
    deletion_request_id TEXT NOT NULL PRIMARY KEY,${recordKey},
    requested_by TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    completed_at INTEGER,
    receipt_no INTEGER,
    receipt_hash TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX replay_entry_in_order
    ON replay_entry (coalesce(receipt_no, ${Number.MAX_SAFE_INTEGER}), deletion_request_id);

  -- where a frame of a ledger ends that was on stable storage, and its digest
  CREATE TABLE ledger (
    ledger_id TEXT NOT NULL PRIMARY KEY,
    frame_end INTEGER NOT NULL,
    digest TEXT NOT NULL,
    noted_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
