// Legal holds as operators see them.

import type { Hold } from "../domain/access.ts";
import type { RecordKey } from "../domain/record/record-write.ts";
import type { HoldFilter } from "../store/holds.ts";
import type { App } from "./app.ts";
import { requireOrganization } from "./find-organization.ts";
import { findType } from "./find-target.ts";

/** In the order of their ids. Throws OperatorError no_such_organization and no_such_type. */
export async function listHolds(app: App, filter: HoldFilter): Promise<readonly Hold[]> {
  await requireOrganization(app, filter.organizationId);
  if (filter.resourceType !== undefined) findType(filter.resourceType);
  return app.store.holds.list(filter);
}

/** Oldest first. */
export function listHoldsOf({ store }: App, record: RecordKey): Promise<readonly Hold[]> {
  return store.holds.ofRecords([record]);
}
