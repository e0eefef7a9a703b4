// Finds closed organizations, whose writes are refused. A transaction checks this after it has written. If it does not see the
// closing, `awaitWriters` waits for it, and verification sees what it has written.

import type { Transaction } from "../transaction.ts";

const findClosed = `
  SELECT organization_id FROM organization
  WHERE organization_id = ANY ($1::text[]) AND closed_at IS NOT NULL`;

interface OfOrganization {
  readonly organizationId: string;
}

export async function findClosedOrganizations(
  transaction: Transaction,
  asking: readonly OfOrganization[],
): Promise<ReadonlySet<string>> {
  const rows = await transaction.all<{ organization_id: string }>(
    findClosed,
    organizationsOf(asking),
  );
  return new Set(rows.map(({ organization_id }) => organization_id));
}

/** The distinct organizations. */
export function organizationsOf(asking: readonly OfOrganization[]): readonly string[] {
  return [...new Set(asking.map(({ organizationId }) => organizationId))];
}
