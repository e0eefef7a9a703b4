// What a deletion may not erase yet: which targets are moved, the references that remain, and of which
// organization the records of a restricted set were.

export const restrictedStore = `
  ALTER TABLE deletion_target ADD COLUMN restricted INTEGER NOT NULL DEFAULT 0;

  ALTER TABLE deletion ADD COLUMN restricted_of TEXT;
  CREATE INDEX deletion_restricted ON deletion (restricted_of, deletion_request_id)
    WHERE restricted_of IS NOT NULL;

  -- from_set: the deletion that moved the report, or nothing; done: redacted, by the deletion of the restricted set
  CREATE TABLE restricted_reference (
    deletion_request_id TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    from_type TEXT NOT NULL,
    from_id TEXT NOT NULL,
    from_set TEXT NOT NULL,
    to_type TEXT NOT NULL,
    to_id TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (deletion_request_id, from_type, from_id, to_type, to_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX restricted_reference_by_report
    ON restricted_reference (organization_id, from_set, from_type, from_id);
`;
