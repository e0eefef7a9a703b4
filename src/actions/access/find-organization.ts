// Finds the organization that an operator names; the error for an unknown id lists existing ones.

import type { Organization } from "../../domain/access.ts";
import { findNamed } from "../../domain/organization-name.ts";
import type { App } from "../app.ts";
import { listNames, OperatorError, unknownName } from "../operator/operator-error.ts";
import { requireRight, viewerOf } from "../operator/viewer.ts";

/** Throws OperatorError no_such_organization. */
export async function findOrganization(app: App, organizationId: string): Promise<Organization> {
  const found = await app.store.findOrganization(organizationId);
  if (found !== undefined) return found;
  const all = await app.store.listOrganizations();
  throw unknownName(
    "no_such_organization",
    `There is no organization "${organizationId}".`,
    all.map(describe),
  );
}

function describe({ organizationId: id, name }: Organization): string {
  return name === id ? id : `${id} (${name})`;
}

/**
 * The id of the organization that a person means by its id, its name or the beginning of its name; the same text if
 * that is none. Throws OperatorError no_such_organization if it is more than one.
 */
export async function findOrganizationId(app: App, given: string): Promise<string> {
  const text = given.trim();
  if (text === "") return text;
  const matching = findNamed(await listOrganizations(app), text);
  if (matching.length < 2) return matching[0]?.organizationId ?? text;
  throw new OperatorError(
    "no_such_organization",
    `"${text}" can be any of these organizations: ${listNames(matching.map(describe))}. Enter the id, or more of the name.`,
  );
}

export async function listOrganizations(app: App): Promise<readonly Organization[]> {
  requireRight(app, "organization.read");
  return viewerOf(app).organizations();
}

/** Undefined stands for all. Throws OperatorError no_such_organization. */
export async function requireOrganization(
  app: App,
  organizationId: string | undefined,
): Promise<void> {
  if (organizationId !== undefined) await findOrganization(app, organizationId);
}

/** Counts by type, and leaves out types that have none or that this person may not know of. */
export async function countRecords(
  app: App,
  organizationId: string,
): Promise<Readonly<Record<string, number>>> {
  requireRight(app, "organization.read");
  const knows = await viewerOf(app).knowledge(organizationId);
  const counts = Object.entries(await app.store.countRecords(organizationId));
  return Object.fromEntries(
    counts.filter(([resourceType, count]) => count > 0 && knows({ organizationId, resourceType })),
  );
}

/** A page counts at most this many records of a type, because a count reads each of them. */
export const countedRecordsMax = 10_000;

/** Like `countRecords`; a number above `countedRecordsMax` means that there are more. */
export async function countShownRecords(
  app: App,
  organizationId: string,
): Promise<Readonly<Record<string, number>>> {
  requireRight(app, "organization.read");
  const types = await viewerOf(app).knownTypes(organizationId);
  const max = countedRecordsMax + 1;
  const counts = await app.store.countRecordsOfTypes({ organizationId, types, max });
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
