// When an organization was closed, and the deletion of everything that belongs to it.

export const closedOrganizations = `
  ALTER TABLE organization ADD COLUMN closed_at bigint;
  ALTER TABLE organization ADD COLUMN deletion_request_id text COLLATE "C";
`;
