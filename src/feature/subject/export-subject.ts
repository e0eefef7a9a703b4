// Writes the archive of a person or a company: everything that is stored about it, in bounded memory.

import type { App } from "../../actions/app.ts";
import { findOrganization } from "../../actions/access/find-organization.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { sealManifest } from "../../actions/proof/manifest.ts";
import {
  readDeletionsOf,
  readHoldsOf,
  readSubject,
  type SubjectDeletion,
  type SubjectRecord,
  type SubjectRequest,
} from "./read-subject.ts";
import { canonicalJson } from "../../domain/json/canonical-json.ts";
import { restrictedId } from "../../domain/deletion/restricted-set.ts";
import type { BulkProgress } from "../../bulk/progress.ts";
import type { SubjectArchive } from "./archive.ts";
import { subjectPage } from "./archive-page.ts";

const deletionsListedMax = 100;

const deletionsFile = "deletion_requests";
const holdsFile = "holds";

export interface SubjectTools {
  readonly archive: SubjectArchive;
  readonly progress: BulkProgress;
  readonly stopping: AbortSignal;
}

/** The caller has written to the audit trail. Removes what it has written if it fails. Throws OperatorError. */
export async function exportSubject(
  app: App,
  request: SubjectRequest,
  { archive, progress, stopping }: SubjectTools,
): Promise<{ readonly counts: readonly (readonly [name: string, lines: number])[] }> {
  try {
    const startedAt = new Date(app.now()).toISOString();
    const { name } = await findOrganization(app, request.organizationId);
    let subject: SubjectRecord | undefined;
    let rows = 0;
    for await (const records of readSubject(app, request)) {
      if (stopping.aborted) throw new OperatorError("stopped", "The export was stopped.");
      subject ??= records.find((record) => isSubject(record, request));
      for (const record of records) await archive.add(record.resource_type, record);
      if (request.confidential) await addHolds(app, request, { archive, records });
      rows += records.length;
      progress.show({ rows, share: undefined, note: "" });
    }
    if (rows === 0) {
      throw new OperatorError("no_such_record", "All of it was erased in the meantime.");
    }
    const deletions = await addDeletions(app, request, archive);
    const page = subjectPage({
      ...request,
      organizationName: name,
      state: subject?.state,
      counts: archive.counts(),
      deletions,
      startedAt,
      endedAt: new Date(app.now()).toISOString(),
    });
    const { organizationId, resourceType, resourceId, confidential } = request;
    const query = {
      export: "subject",
      resource_type: resourceType,
      resource_id: resourceId,
      include_confidential: confidential,
    };
    await archive.finish(page, async (files) => {
      return canonicalJson(await sealManifest(app, { organizationId, query, files }));
    });
    return { counts: archive.counts() };
  } catch (error) {
    await archive.abandon();
    throw error;
  } finally {
    progress.close();
  }
}

function isSubject(
  { resource_type, resource_id, restricted_by }: SubjectRecord,
  { resourceType, resourceId }: SubjectRequest,
): boolean {
  return (
    resource_type === resourceType && resource_id === resourceId && restricted_by === undefined
  );
}

async function addHolds(
  app: App,
  { organizationId }: SubjectRequest,
  { archive, records }: { archive: SubjectArchive; records: readonly SubjectRecord[] },
): Promise<void> {
  const keys = records.map((record) => {
    const { resource_type: resourceType, resource_id: resourceId, restricted_by: by } = record;
    const place = by === undefined ? organizationId : restrictedId(by);
    return { organizationId: place, resourceType, resourceId };
  });
  for (const hold of await readHoldsOf(app, keys)) {
    await archive.add(holdsFile, {
      hold_id: hold.holdId,
      resource_type: hold.resourceType,
      resource_id: hold.resourceId,
      reason: hold.reason,
      owner: hold.owner ?? null,
      review_on: hold.reviewOn ?? null,
      ends_on: hold.endsOn ?? null,
      placed_at: new Date(hold.placedAt).toISOString(),
      placed_by: hold.placedBy,
    });
  }
}

async function addDeletions(
  app: App,
  request: SubjectRequest,
  archive: SubjectArchive,
): Promise<readonly SubjectDeletion[]> {
  const listed: SubjectDeletion[] = [];
  for await (const deletions of readDeletionsOf(app, request)) {
    for (const deletion of deletions) {
      await archive.add(deletionsFile, deletion);
      if (listed.length < deletionsListedMax) listed.push(deletion);
    }
  }
  return listed;
}
