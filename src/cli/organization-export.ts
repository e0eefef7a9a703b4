// Exports everything of a closed organization into a folder: for each record type a file with every change, which an
// import reads, and a manifest. The files get their names only if nothing can have been erased
// since they were begun. Never replaces a file of anything else than an interrupted export of the same closing.

import { lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { auditAccess } from "../actions/trail/audit-access.ts";
import type { App } from "../actions/app.ts";
import { findClosable } from "../actions/access/close-organization.ts";
import { makeId } from "../actions/credential.ts";
import { OperatorError, reasonOf } from "../actions/operator/operator-error.ts";
import { digestOfManifest, makeManifestBody, sealManifest } from "../actions/receipt/manifest.ts";
import { publishReceiptKeys } from "../actions/receipt/receipt-keys.ts";
import { exportHistory } from "../actions/record/export-records.ts";
import { fileSink } from "../bulk/export/sink.ts";
import { lineOfEvent, textForm, writeExport } from "../bulk/export/write-export.ts";
import { readConfig } from "../settings/config.ts";
import type { Organization } from "../domain/access.ts";
import type { CompleteExport } from "../domain/deletion/organization-deletion.ts";
import type { Manifest, ManifestFile } from "../domain/export-manifest.ts";
import type { RecordType } from "../domain/record-type.ts";
import { recordTypes } from "../domain/record-types.ts";
import { syncFolder } from "../files/own-file.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { noteUnfinished } from "../data-folder/unfinished-files.ts";
import type { Context } from "./command.ts";
import {
  findChangedFiles,
  manifestName,
  readManifestFile,
  writeManifest,
} from "./input/manifest-file.ts";
import { requireOutputFile } from "./input/output-file.ts";
import { makeBulkProgress } from "./output/bulk-progress.ts";

const advice = "Name an empty folder, or one that does not exist.";

export interface OrganizationExport extends CompleteExport {
  readonly files: readonly ManifestFile[];
}

/** Creates the folder if necessary. Throws OperatorError unless the export can be written there, or continued. */
export async function requireExportFolder(
  app: App,
  folder: string,
  organization: Organization,
): Promise<void> {
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) makePrivateFolder(folder);
  } catch (cause) {
    const why = reasonOf(cause);
    throw new OperatorError("output", `${resolve(folder)} can't be created: ${why}`, { cause });
  }
  const replace = (await readManifest(app, folder, organization)) !== undefined;
  for (const name of [manifestName, ...recordTypes.map(fileNameOf)]) {
    requireOutputFile(join(folder, name), { replace, advice });
  }
}

/**
 * Undefined if there is none. Throws OperatorError if it is of another closing: a later one, such as after a restore of
 * the store, needs another export.
 */
async function readManifest(
  app: App,
  folder: string,
  { organizationId, closedAt }: Organization,
): Promise<Manifest | undefined> {
  const path = resolve(folder, manifestName);
  const manifest = readManifestFile(path);
  if (manifest === undefined) return undefined;
  const { store_id: storeId, organization_id: exportedId, query } = manifest;
  if (query["export"] !== "organization") {
    throw new OperatorError("output", `${path} is of another export. Name another folder.`);
  }
  const { store_id: ownId } = await publishReceiptKeys(app);
  const isSameTime = closedAt !== undefined && query["closed_at"] === timeOf(closedAt);
  if (storeId === ownId && exportedId === organizationId && isSameTime) return manifest;
  throw new OperatorError(
    "output",
    `${resolve(folder)} contains the export of the organization "${exportedId}" that was closed at ` +
      `${String(query["closed_at"])} in the store ${storeId}. ${advice}`,
  );
}

function timeOf(closedAt = 0): string {
  return new Date(closedAt).toISOString();
}

interface Exporting {
  readonly organization: Organization;
  readonly folder: string;
  readonly stopping: AbortSignal;
}

/**
 * Everything is on stable storage when the promise resolves. Uses a complete export of an interrupted command again.
 * Throws OperatorError, also if the deletion was requested meanwhile, because then the export may lack what was erased.
 */
export async function exportOrganization(
  context: Context,
  app: App,
  { organization, stopping, ...options }: Exporting,
): Promise<OrganizationExport> {
  const folder = resolve(options.folder);
  const complete = await findExport(app, folder, organization);
  if (complete !== undefined) return complete;
  const { dataDir } = readConfig(context.environment);
  await using unfinished = await noteUnfinished(dataDir, join(folder, "export"));
  const { path: staging } = unfinished;
  const { organizationId, closedAt } = organization;
  const query = { export: "organization", closed_at: timeOf(closedAt) };
  const exported = { exportId: makeId("exp"), organizationId, query };
  try {
    mkdirSync(staging, { mode: 0o700 });
    // A manifest without files identifies the closing of an incomplete export in the folder.
    writeManifest(
      join(folder, manifestName),
      await makeManifestBody(app, { ...exported, files: [] }),
    );
    const files: ManifestFile[] = [];
    for (const type of recordTypes) {
      files.push(await exportType(context, app, { organizationId, type, staging, stopping }));
    }
    await findClosable(app, organizationId);
    for (const type of recordTypes) {
      const name = fileNameOf(type);
      renameSync(join(staging, name), join(folder, name));
    }
    syncFolder(folder);
    const manifest = await sealManifest(app, { ...exported, files });
    writeManifest(join(folder, manifestName), manifest);
    return { exportId: exported.exportId, manifest: digestOfManifest(manifest), files };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * Returns the complete export of this closing in the folder; undefined if there is none. Throws OperatorError if it is
 * another one, or was changed.
 */
export async function findExport(
  app: App,
  folder: string,
  organization: Organization,
): Promise<OrganizationExport | undefined> {
  const manifest = await readManifest(app, folder, organization);
  if (manifest === undefined || manifest.files.length === 0) return undefined;
  const [fault] = await findChangedFiles(resolve(folder), manifest);
  if (fault !== undefined) {
    throw new OperatorError(
      "output",
      `${resolve(folder, manifestName)} names what was exported, and it is no longer there: ${fault} Name another folder, ` +
        "to which everything is exported again.",
    );
  }
  const { export_id: exportId, files } = manifest;
  return { exportId, manifest: digestOfManifest(manifest), files };
}

interface TypeExport {
  readonly organizationId: string;
  readonly type: RecordType;
  readonly staging: string;
  readonly stopping: AbortSignal;
}

async function exportType(
  context: Context,
  app: App,
  { organizationId, type, staging, stopping }: TypeExport,
): Promise<ManifestFile> {
  const { resourceType } = type;
  const detail = { resourceType, history: true, format: "ndjson" };
  await auditAccess(app, "records.export", { organizationId, subject: organizationId, detail });
  const name = fileNameOf(type);
  const path = join(staging, name);
  const what = `export ${resourceType}`;
  const file = await writeExport(
    exportHistory(app, { organizationId, type }),
    (sink) => textForm(lineOfEvent, sink),
    {
      sink: fileSink(path, `${path}.part`),
      progress: makeBulkProgress(context.err, { json: context.json, name: what }),
      stopping,
    },
  );
  return { name, resource_type: resourceType, ...file };
}

function fileNameOf({ resourceType }: RecordType): string {
  return `${resourceType}.ndjson`;
}
