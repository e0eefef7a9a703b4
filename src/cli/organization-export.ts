// Exports everything of an organization into a folder: for each record type a file with every change, as
// `sluice export --history` writes it. Never replaces a file of an organization that is still open.

import { lstatSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { auditAccess } from "../actions/audit-access.ts";
import type { App } from "../actions/app.ts";
import { OperatorError, reasonOf } from "../actions/operator-error.ts";
import { runExport } from "../bulk/export/run-export.ts";
import { openSink } from "../bulk/export/sink.ts";
import { readConfig } from "../config.ts";
import type { Organization } from "../domain/access.ts";
import { recordTypes } from "../domain/record-types.ts";
import { syncFolder } from "../files/own-file.ts";
import { noteUnfinished, unfinishedPath } from "../unfinished-files.ts";
import type { Context } from "./command.ts";
import { requireOutputFile } from "./input/output-file.ts";
import { makeBulkProgress } from "./output/bulk-progress.ts";

const advice = "Name an empty folder, or one that does not exist.";

/** Creates the folder if necessary. Throws OperatorError unless every file can be written. */
export function requireExportFolder(folder: string, { closedAt }: Organization): void {
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) {
      mkdirSync(folder, { mode: 0o700 });
    }
  } catch (cause) {
    const why = reasonOf(cause);
    throw new OperatorError("output", `${resolve(folder)} can't be created: ${why}.`, { cause });
  }
  // An earlier attempt, interrupted after the closing, may have written some of them.
  const replace = closedAt !== undefined;
  for (const { resourceType } of recordTypes) {
    requireOutputFile(fileOf(folder, resourceType), { replace, advice });
  }
}

/** All files are on stable storage when the promise resolves. Returns the number of changes by type. */
export async function exportOrganization(
  context: Context,
  app: App,
  args: {
    readonly organizationId: string;
    readonly folder: string;
    readonly stopping: AbortSignal;
  },
): Promise<Readonly<Record<string, number>>> {
  const { organizationId, folder, stopping } = args;
  const exported: Record<string, number> = {};
  for (const type of recordTypes) {
    const { resourceType } = type;
    const detail = { resourceType, history: true, format: "ndjson" };
    await auditAccess(app, "records.export", { organizationId, subject: organizationId, detail });
    const path = fileOf(folder, resourceType);
    const unfinished = unfinishedPath(path);
    const { done } = await noteUnfinished(readConfig(context.environment).dataDir, unfinished);
    const name = `export ${resourceType}`;
    const progress = makeBulkProgress(context.err, { json: context.json, name });
    const plan = {
      organizationId,
      type,
      history: true,
      format: "ndjson",
      test: "include",
    } as const;
    try {
      const sink = openSink(context.out, { path, unfinished });
      exported[resourceType] = (await runExport(app, plan, { sink, progress, stopping })).rows;
    } finally {
      await done();
    }
  }
  syncFolder(resolve(folder));
  return exported;
}

function fileOf(folder: string, resourceType: string): string {
  return resolve(join(folder, `${resourceType}.ndjson`));
}
