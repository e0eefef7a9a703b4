// Changes the settings of an organization. They take effect in serving processes within 2 seconds.

import type { Organization } from "../domain/access.ts";
import { limits } from "../domain/limits.ts";
import type { OrganizationChange } from "../store/store.ts";
import { actOf, type App } from "./app.ts";
import { requireName } from "./create-organization.ts";
import { findOrganization } from "./find-organization.ts";
import { OperatorError } from "./operator-error.ts";

export type OrganizationSettings = OrganizationChange;

/** Throws OperatorError invalid, also for an empty change, and no_such_organization. */
export async function changeOrganization(
  app: App,
  organizationId: string,
  change: OrganizationSettings,
): Promise<Organization> {
  if (Object.keys(change).length === 0) {
    throw new OperatorError(
      "invalid",
      "Nothing to change: pass at least one option, such as --name.",
    );
  }
  if (change.retainDays !== undefined && change.retainDays !== null) {
    requireDays(change.retainDays);
  }
  if (change.name !== undefined) requireName("The organization's name", change.name);
  const act = actOf(app);
  const changed = await app.store.changeOrganization(organizationId, change, act);
  return changed ?? findOrganization(app, organizationId);
}

function requireDays(days: number): void {
  if (Number.isInteger(days) && days >= 1 && days <= limits.retainDaysMax) return;
  throw new OperatorError(
    "invalid",
    `The retention period must be a whole number of days from 1 to ${limits.retainDaysMax}.`,
  );
}
