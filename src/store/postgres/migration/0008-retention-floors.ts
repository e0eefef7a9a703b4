// How long the records of a type have to be kept, and until when a deletion waits for that. Very many may wait, so the worker
// finds the next deletion by an index of when it can be tried.

export const retentionFloors = `
  CREATE TABLE retention_floor (
    organization_id text COLLATE "C" NOT NULL,
    resource_type text COLLATE "C" NOT NULL,
    keep_days bigint NOT NULL,
    counted_from text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, resource_type)
  );

  ALTER TABLE deletion ADD COLUMN floor_until bigint;
  -- by which those are found and counted that wait for a floor
  CREATE INDEX deletion_floored ON deletion (organization_id, deletion_request_id, floor_until)
    WHERE status IN ('pending', 'processing') AND floor_until IS NOT NULL;

  DROP INDEX deletion_due;
  CREATE INDEX deletion_due
    ON deletion (status, (coalesce(next_attempt_at, due_at)), due_at, deletion_request_id)
    WHERE status IN ('pending', 'processing');
`;
