// Legal holds as operators see them.

import type { Hold } from "../../domain/access.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { HoldFilter } from "../../store/interface/holds.ts";
import type { App } from "../app.ts";
import { requireOrganization } from "../access/find-organization.ts";
import { confidentialType, findType } from "../record/find-named-record.ts";
import { requireRight, viewerOf } from "../operator/viewer.ts";

/**
 * Those on records that this person may know of, in the order of their ids. Throws OperatorError not_permitted,
 * no_such_organization, no_such_type and confidential_type.
 */
export async function listHolds(app: App, filter: HoldFilter): Promise<readonly Hold[]> {
  requireRight(app, "hold.read");
  await requireOrganization(app, filter.organizationId);
  if (filter.resourceType !== undefined) findType(filter.resourceType);
  const knows = await viewerOf(app).knowledge(filter.organizationId);
  const { organizationId = "", resourceType } = filter;
  if (resourceType !== undefined && !knows({ organizationId, resourceType })) {
    throw confidentialType(resourceType);
  }
  const found: Hold[] = [];
  let { after } = filter;
  for (;;) {
    const limit = filter.limit - found.length;
    const page = await app.store.holds.list({ ...filter, after, limit });
    found.push(...page.filter(knows));
    after = page.at(-1)?.holdId;
    if (page.length < limit || found.length >= filter.limit) return found;
  }
}

/** Oldest first. Throws OperatorError not_permitted. */
export async function listHoldsOf(app: App, record: RecordKey): Promise<readonly Hold[]> {
  requireRight(app, "hold.read");
  return app.store.holds.ofRecords([record]);
}
