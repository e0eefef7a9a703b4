// Previews the deletion of a record that a person may request. Requests nothing.

import type { Organization } from "../../domain/access.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { requireRight } from "../operator/viewer.ts";
import { findOrganization } from "../access/find-organization.ts";
import { findRecord } from "../record/find-records.ts";
import { briefPreview, type DeletionPreview, previewDeletion } from "./preview-deletion.ts";

type RequestTerms = Required<Pick<Organization, "deletionGraceSeconds" | "deletionApproval">>;

/** Throws OperatorError not_permitted, and what findRecord throws. */
export async function previewRequest(
  app: App,
  key: RecordKey,
  bounds = briefPreview,
): Promise<DeletionPreview & RequestTerms & { readonly open: string | undefined }> {
  requireRight(app, "deletion.request");
  const [{ deletionGraceSeconds, deletionApproval = false }] = await Promise.all([
    findOrganization(app, key.organizationId),
    findRecord(app, key),
  ]);
  const dueAt = app.now() + deletionGraceSeconds * 1_000;
  const preview = await previewDeletion(app, { ...key, dueAt }, { bounds });
  const open = await app.store.overview.findOpenDeletion(key);
  return { ...preview, deletionGraceSeconds, deletionApproval, open };
}
