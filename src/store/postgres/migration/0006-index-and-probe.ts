// An index by which deletions are counted without reading the whole table, and a row that can be written to find out
// whether writes succeed.

export const indexAndProbe = `
  CREATE INDEX deletion_by_status ON deletion (status);
  -- goes up with every check of whether the service is ready
  INSERT INTO counter (name, value) VALUES ('write_probe', 0);
`;
