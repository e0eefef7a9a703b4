// Records imports in the store, so that every process can show the imports of all processes, running or ended. Records
// no content. An import continues if it can't be recorded.

import { SerialQueue } from "../../basics/serial-queue.ts";
import type { ImportProgress, ImportRun, NewImportRun } from "../../store/interface/imports.ts";
import type { App } from "../app.ts";
import { makeId } from "../credential.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireRight, viewerOf } from "../operator/viewer.ts";

/** The time between two reports of an import. */
const reportMs = 2_000;
const importsListed = 50;
const nothing: ImportProgress = { rows: 0, written: 0, unchanged: 0, refused: 0 };

export type TrackedImport = Pick<NewImportRun, "organizationId" | "resourceType" | "source">;

/** Runs the import, which reports its steps. Rejects as the import does. */
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

/**
 * Lists imports, newest first, without confidential types that this person may not know of. Throws OperatorError
 * not_permitted.
 */
export async function listImports(app: App): Promise<readonly ImportRun[]> {
  requireRight(app, "intake.read");
  const knows = await viewerOf(app).knowledge();
  return (await app.store.imports.list(importsListed)).filter(knows);
}
