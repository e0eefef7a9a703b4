// The progress of a move from an embedded store: one row during a move, none otherwise.

export const move = `
  -- summary: what there was to move, by table; last_key: of the last row that was copied, which may name a record
  CREATE TABLE move (
    single boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
    store_id text NOT NULL,
    summary text NOT NULL,
    table_name text,
    last_key text,
    rows_copied bigint NOT NULL DEFAULT 0
  );
  ALTER TABLE move ALTER COLUMN last_key SET STATISTICS 0;
`;
