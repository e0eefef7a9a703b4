// Imports of records into an organization: who may import, and a record of each import in the store, so that every
// process can show the imports of all processes, running or ended. Records no content. The import itself is in
// src/bulk.

import { SerialQueue } from "../../basics/serial-queue.ts";
import type { Organization } from "../../domain/access.ts";
import { confidentialTypes } from "../../domain/confidentiality.ts";
import { AppError } from "../../domain/error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { RecordWrite, WriteMode, WriteOutcome } from "../../domain/record/record-write.ts";
import type { ImportProgress, ImportRun, NewImportRun } from "../../store/interface/imports.ts";
import { findOpenOrganization } from "../../actions/access/close-organization.ts";
import { type App, currentTimeOf } from "../../actions/app.ts";
import { makeId } from "../../actions/credential.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { requireKnowledge, requireRight, viewerOf } from "../../actions/operator/viewer.ts";
import { findType } from "../../actions/record/find-named-record.ts";
import { auditAccess } from "../../actions/trail/audit-access.ts";
import { keySpaceOf } from "../../actions/intake/idempotency.ts";
import { writeDrafts } from "../../actions/intake/write-records.ts";

export interface ImportTarget {
  readonly organizationId: string;
  readonly resourceType: string;
}

/**
 * The result of an import says which records exist, so it needs the knowledge of a confidential type. Throws
 * OperatorError not_permitted, no_such_type, no_such_organization and organization_closed.
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

/** The key makes repetitions safe. Rejects like `writeDrafts`, and with OperatorError organization_closed. */
export async function writeImported(
  app: App,
  { organization, type }: { readonly organization: Organization; readonly type: RecordType },
  { write, key }: { readonly write: RecordWrite; readonly key: string },
): Promise<WriteOutcome> {
  const { organizationId } = organization;
  const confidential = confidentialTypes(organization.confidentialTypes);
  const keySpace = keySpaceOf({ organizationId, confidential }, type);
  try {
    return await writeDrafts(app, { ...write, receivedAt: currentTimeOf(app) }, { keySpace, key });
  } catch (error) {
    // Then the import fails, because its organization was closed.
    const isRevoked = error instanceof AppError && error.errorName === "credential_revoked";
    if (isRevoked) await findOpenOrganization(app, organizationId);
    throw error;
  }
}

/** Uses the same rule as the API: for a type with a path for lists, a list may contain records that exist. */
export function importMode({ batchPath }: RecordType, update: boolean): WriteMode {
  if (update) return "update";
  return batchPath === undefined ? "add" : "append";
}

/** The time between two reports of an import. */
const reportMs = 2_000;
const importsListed = 50;
const nothing: ImportProgress = { rows: 0, written: 0, unchanged: 0, refused: 0 };

export type TrackedImport = Pick<NewImportRun, "organizationId" | "resourceType" | "source">;

/** Rejects like the import. */
export async function trackImport<Report extends ImportProgress>(
  app: App,
  about: TrackedImport,
  run: (onStep: (step: ImportProgress) => void) => Promise<Report>,
): Promise<Report> {
  const { store, now, operator } = app;
  const { organizationId } = about;
  const importId = makeId("imp");
  await store.imports.begin({ ...about, importId, startedAt: now(), startedBy: operator });
  let last = nothing;
  let reportedAt = performance.now();
  const reports = new SerialQueue();
  const report = async (outcome?: ImportRun["outcome"]): Promise<void> => {
    const { rows, written, unchanged, refused } = last;
    const counts = { rows, written, unchanged, refused };
    await reports
      .run(() =>
        store.imports.report({ importId, organizationId, updatedAt: now(), ...counts, outcome }),
      )
      .catch(() => undefined);
  };
  try {
    const result = await run((step) => {
      last = step;
      if (performance.now() - reportedAt < reportMs) return;
      reportedAt = performance.now();
      void report();
    });
    last = result;
    await report("finished");
    return result;
  } catch (error) {
    const isStop = error instanceof OperatorError && error.errorName === "stopped";
    await report(isStop ? "stopped" : "failed");
    throw error;
  }
}

/** Newest first, without confidential types that this person may not know of. */
export async function listImports(app: App): Promise<readonly ImportRun[]> {
  requireRight(app, "intake.read");
  const knows = await viewerOf(app).knowledge();
  return (await app.store.imports.list(importsListed)).filter(knows);
}
