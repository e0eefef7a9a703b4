// Refuses writes of closed organizations. A transaction checks this after it has written. If it does not see the
// closing, `awaitWriters` waits for it, and verification sees what it has written.

import { organizationClosed } from "../../../domain/deletion/organization-deletion.ts";
import type { RecordWrite } from "../../../domain/record/record-write.ts";
import type { Evaluation } from "../../group/evaluate-group.ts";
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

/** Adds the refusals to the evaluations of the other writes, in the order of the writes. */
export function refuseClosed(
  writes: readonly RecordWrite[],
  closed: ReadonlySet<string>,
  evaluations: readonly Evaluation[],
): readonly Evaluation[] {
  const others = evaluations.values();
  return writes.map(({ organizationId }) => {
    if (closed.has(organizationId)) return { ok: false, error: organizationClosed() };
    const { value } = others.next();
    if (value === undefined) throw new TypeError("a write was not evaluated");
    return value;
  });
}
