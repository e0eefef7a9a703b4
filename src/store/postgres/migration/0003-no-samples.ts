// Keeps values of records out of the planner's statistics, where copies of them would outlive an erasure. Every routine
// statement finds its rows by a key, so no plan needs them.

export const noSamples = `
  ALTER TABLE record ALTER COLUMN resource_id SET STATISTICS 0;
  ALTER TABLE change
    ALTER COLUMN resource_id SET STATISTICS 0, ALTER COLUMN payload SET STATISTICS 0;
  ALTER TABLE relation
    ALTER COLUMN from_id SET STATISTICS 0, ALTER COLUMN to_id SET STATISTICS 0;
  ALTER TABLE deletion_target
    ALTER COLUMN resource_id SET STATISTICS 0, ALTER COLUMN to_id SET STATISTICS 0;
`;
