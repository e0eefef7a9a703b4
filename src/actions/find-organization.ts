// The organization that an operator named; an id that is wrong is answered with those that exist.

import type { Organization } from "../domain/access.ts";
import type { App } from "./app.ts";
import { listNames, OperatorError } from "./operator-error.ts";

/** Throws OperatorError no_such_organization. */
export async function findOrganization(app: App, organizationId: string): Promise<Organization> {
  const found = await app.store.findOrganization(organizationId);
  if (found !== undefined) return found;
  const all = await app.store.listOrganizations();
  const known =
    all.length === 0
      ? "There is none yet; create one with: sluice organization create --name NAME"
      : `There are: ${listNames(all.map((organization) => organization.organizationId))}.`;
  throw new OperatorError(
    "no_such_organization",
    `There is no organization "${organizationId}". ${known}`,
  );
}
