// The fields of a legal hold that the ledger and the command line have in common.

import type { Hold } from "../access.ts";

export function holdFields({ owner, ...hold }: Hold) {
  return {
    hold_id: hold.holdId,
    organization_id: hold.organizationId,
    resource_type: hold.resourceType,
    resource_id: hold.resourceId,
    reason: hold.reason,
    owner: owner ?? null,
  };
}
