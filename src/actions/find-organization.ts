// Organizations as operators name them; the error for an unknown id lists those that exist.

import type { Organization } from "../domain/access.ts";
import type { App } from "./app.ts";
import { listNames, OperatorError } from "./operator-error.ts";

/** Throws OperatorError no_such_organization. */
export async function findOrganization(app: App, organizationId: string): Promise<Organization> {
  const found = await app.store.findOrganization(organizationId);
  if (found !== undefined) return found;
  const all = await listOrganizations(app);
  const known =
    all.length === 0
      ? "There is none yet; create one with: sluice organization create --name NAME"
      : `There are: ${listNames(all.map((organization) => organization.organizationId))}.`;
  throw new OperatorError(
    "no_such_organization",
    `There is no organization "${organizationId}". ${known}`,
  );
}

export function listOrganizations({ store }: App): Promise<readonly Organization[]> {
  return store.listOrganizations();
}

/** Throws OperatorError no_such_organization unless `organizationId` is undefined, which stands for all. */
export async function requireOrganization(
  app: App,
  organizationId: string | undefined,
): Promise<void> {
  if (organizationId !== undefined) await findOrganization(app, organizationId);
}

/** By record type. */
export function countRecords(
  { store }: App,
  organizationId: string,
): Promise<Readonly<Record<string, number>>> {
  return store.countRecords(organizationId);
}
