// Imports of records into an organization: who may import, and a record of each import in the store, so that every
// process can show the imports of all processes, running or ended. Records no content.

import { findOpenOrganization } from "../../actions/access/close-organization.ts";
import { actOf, type App } from "../../actions/app.ts";
import { makeId } from "../../actions/credential.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { requireKnowledge, requireRight, viewerOf } from "../../actions/operator/viewer.ts";
import { findType } from "../../actions/record/find-named-record.ts";
import { SerialQueue } from "../../basics/serial-queue.ts";
import type { Organization } from "../../domain/access.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { actions, rights } from "./rows.ts";
import type { ImportProgress, ImportRun, NewImportRun } from "./store/import-run.ts";
import { importRuns } from "./store/part.ts";

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
  requireRight(app, rights["records.import"]);
  const type = findType(target.resourceType);
  const organization = await findOpenOrganization(app, target.organizationId);
  await requireKnowledge(app, target);
  return { organization, type };
}

interface BegunImport extends ImportTarget {
  readonly update: boolean;
  /** How many the file has. Its name stays out of the trail, which is never erased: it may be that of a person. */
  readonly rows?: number | undefined;
}

/** Checks the same, and records the import in the audit trail before the promise resolves. */
export async function beginImport(
  app: App,
  { update, rows, ...target }: BegunImport,
): Promise<void> {
  await requireImportable(app, target);
  const { organizationId, resourceType } = target;
  const action = actions["records.import"].name;
  const detail = { resourceType, update, ...(rows === undefined ? {} : { rows }) };
  const about = { organizationId, subject: organizationId, detail };
  await app.store.trail.note({ ...about, action }, actOf(app));
}

/** The time between two reports of an import. */
const reportMs = 2_000;
const importsListed = 50;
const nothing: ImportProgress = { rows: 0, written: 0, unchanged: 0, refused: 0 };

/** Rejects like the import. */
export async function trackImport<Report extends ImportProgress>(
  app: App,
  about: Pick<NewImportRun, "organizationId" | "resourceType" | "source">,
  run: (onStep: (step: ImportProgress) => void) => Promise<Report>,
): Promise<Report> {
  const { now, operator } = app;
  const store = app.store.of(importRuns);
  const { organizationId } = about;
  const importId = makeId("imp");
  await store.beginImport({ ...about, importId, startedAt: now(), startedBy: operator });
  let last = nothing;
  let reportedAt = performance.now();
  const reports = new SerialQueue();
  const report = async (outcome?: ImportRun["outcome"]): Promise<void> => {
    const { rows, written, unchanged, refused } = last;
    const counts = { rows, written, unchanged, refused };
    await reports
      .run(() =>
        store.reportImport({ importId, organizationId, updatedAt: now(), ...counts, outcome }),
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
  return (await app.store.of(importRuns).listImports(importsListed)).filter(knows);
}

/** Removes a bounded part of the old ones; returns whether there may be more. */
export function purgeImports({ store, now }: App): Promise<boolean> {
  return store.of(importRuns).purgeImports(now());
}
