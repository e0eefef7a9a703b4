// How long the records of a type have to be kept, and until when a deletion waits for that.

export const retentionFloors = `
  CREATE TABLE retention_floor (
    organization_id TEXT NOT NULL,
    resource_type TEXT NOT NULL,
    keep_days INTEGER NOT NULL,
    counted_from TEXT NOT NULL,
    PRIMARY KEY (organization_id, resource_type)
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE deletion ADD COLUMN floor_until INTEGER;
  -- by which those are found and counted that wait for a floor
  CREATE INDEX deletion_floored ON deletion (organization_id, deletion_request_id, floor_until)
    WHERE status IN ('pending', 'processing') AND floor_until IS NOT NULL;
`;
