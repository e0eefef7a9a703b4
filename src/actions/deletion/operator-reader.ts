// Defines which parts of deletions operators see. Many people read logs, metrics and the output of commands, so
// confidential types are left out unless a person asks for them.

import { confidentialTypes, type Reader } from "../../domain/confidentiality.ts";
import { allScopes } from "../../domain/scope.ts";
import type { App } from "../app.ts";
import { hasRight } from "../operator/require-right.ts";

/** May count records of types that are not confidential, and read none. */
export async function publicReader({ store }: App, organizationId: string): Promise<Reader> {
  const organization = await store.findOrganization(organizationId);
  const confidential = confidentialTypes(organization?.confidentialTypes);
  return { confidential, covered: new Set() };
}

/** May also read all types. */
export async function officialReader(app: App, organizationId: string): Promise<Reader> {
  const { confidential } = await publicReader(app, organizationId);
  return { confidential, covered: new Set(allScopes) };
}

/** What this person may know. */
export function readerOf(app: App, organizationId: string): Promise<Reader> {
  const isOfficer = hasRight(app, "confidential.read");
  return (isOfficer ? officialReader : publicReader)(app, organizationId);
}

/** Maps the id of each organization to its reader. */
export async function readersOf(
  app: App,
  organizationIds: Iterable<string>,
): Promise<ReadonlyMap<string, Reader>> {
  const readers = new Map<string, Reader>();
  for (const id of new Set(organizationIds)) readers.set(id, await readerOf(app, id));
  return readers;
}
