// Counting deletions by status reads an index instead of the whole table. Changes no row.

export const deletionsByStatus = `
  CREATE INDEX deletion_by_status ON deletion (status);
`;
