// Who may import records into an organization. The import itself is in src/bulk.

import type { Organization } from "../../domain/access.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { WriteMode } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { auditAccess } from "../trail/audit-access.ts";
import { findOpenOrganization } from "../access/close-organization.ts";
import { findType } from "../record/find-named-record.ts";
import { requireKnowledge, requireRight } from "../operator/viewer.ts";

export interface ImportTarget {
  readonly organizationId: string;
  readonly resourceType: string;
}

/**
 * Throws OperatorError not_permitted, no_such_type, no_such_organization and organization_closed. A confidential type
 * that this person may not know of is not permitted either: the result of an import says which records exist.
 */
export async function requireImportable(
  app: App,
  target: ImportTarget,
): Promise<{ readonly organization: Organization; readonly type: RecordType }> {
  requireRight(app, "records.import");
  const type = findType(target.resourceType);
  const organization = await findOpenOrganization(app, target.organizationId);
  await requireKnowledge(app, target);
  return { organization, type };
}

/** Checks the same, and records the import in the audit trail before the promise resolves. */
export async function beginImport(
  app: App,
  { update, ...target }: ImportTarget & { readonly update: boolean },
): Promise<{ readonly organization: Organization; readonly type: RecordType }> {
  const found = await requireImportable(app, target);
  const { organizationId, resourceType } = target;
  const detail = { resourceType, update };
  await auditAccess(app, "records.import", { organizationId, subject: organizationId, detail });
  return found;
}

/** Follows the API: for a type with a path for lists, a list may contain records that exist. */
export function importMode({ batchPath }: RecordType, update: boolean): WriteMode {
  if (update) return "update";
  return batchPath === undefined ? "add" : "append";
}
