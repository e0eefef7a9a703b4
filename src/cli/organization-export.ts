// Exports everything of a closed organization into a folder: for each record type a file with every change, as
// `sluice export --history` writes it, and a manifest. The files get their names only if nothing can have been erased since they
// were begun. Never replaces a file of anything else than an interrupted export of the same closing.

import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { auditAccess } from "../actions/trail/audit-access.ts";
import type { App } from "../actions/app.ts";
import { findClosable } from "../actions/access/close-organization.ts";
import { makeId } from "../actions/credential.ts";
import { OperatorError, reasonOf } from "../actions/operator/operator-error.ts";
import { publishReceiptKeys } from "../actions/receipt/receipt-keys.ts";
import { runExport } from "../bulk/export/run-export.ts";
import { openSink, type Sink } from "../bulk/export/sink.ts";
import { readConfig } from "../settings/config.ts";
import type { Organization } from "../domain/access.ts";
import type { CompleteExport } from "../domain/deletion/organization-deletion.ts";
import type { RecordType } from "../domain/record-type.ts";
import { recordTypes } from "../domain/record-types.ts";
import { syncFolder } from "../files/own-file.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { noteUnfinished, unfinishedPath } from "../data-folder/unfinished-files.ts";
import type { Context } from "./command.ts";
import {
  digestOfManifest,
  type ExportedFile,
  type ExportManifest,
  type ExportOwner,
  manifestName,
  readManifest,
  requireUnchanged,
  writeManifest,
} from "./export-manifest.ts";
import { requireOutputFile } from "./input/output-file.ts";
import { makeBulkProgress } from "./output/bulk-progress.ts";

const advice = "Name an empty folder, or one that does not exist.";

export interface OrganizationExport extends CompleteExport {
  readonly files: readonly ExportedFile[];
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
  const known = readManifest(folder);
  if (known !== undefined) requireSame(folder, known, await ownerOf(app, organization));
  const replace = known !== undefined;
  for (const name of [manifestName, ...recordTypes.map(fileNameOf)]) {
    requireOutputFile(join(folder, name), { replace, advice });
  }
}

async function ownerOf(app: App, organization: Organization): Promise<ExportOwner> {
  const { store_id } = await publishReceiptKeys(app);
  const { organizationId, closedAt } = organization;
  return {
    store_id,
    organization_id: organizationId,
    closed_at: closedAt === undefined ? "" : new Date(closedAt).toISOString(),
  };
}

function requireSame(folder: string, known: ExportManifest, owner: ExportOwner): void {
  const { store_id: storeId, organization_id: organizationId, closed_at: closedAt } = known;
  const isSame =
    storeId === owner.store_id &&
    organizationId === owner.organization_id &&
    closedAt === owner.closed_at;
  if (isSame) return;
  throw new OperatorError(
    "output",
    `${resolve(folder)} contains the export of the organization "${organizationId}" that was closed at ${closedAt} in the ` +
      `store ${storeId}. ${advice}`,
  );
}

export interface Exporting {
  readonly organization: Organization;
  readonly folder: string;
  readonly stopping: AbortSignal;
}

/**
 * Everything is on stable storage when the promise resolves. Continues with a complete export of an interrupted command. Throws
 * OperatorError, also if the deletion was requested meanwhile: then what was read may lack what is erased.
 */
export async function exportOrganization(
  context: Context,
  app: App,
  { organization, stopping, ...given }: Exporting,
): Promise<OrganizationExport> {
  const folder = resolve(given.folder);
  const owner = await ownerOf(app, organization);
  const complete = await readComplete(folder, owner);
  if (complete !== undefined) return complete;
  const staging = unfinishedPath(join(folder, "export"));
  const { done } = await noteUnfinished(readConfig(context.environment).dataDir, staging);
  const exportId = makeId("exp");
  const begun = { export_id: exportId, ...owner, state: "incomplete", files: [] } as const;
  try {
    mkdirSync(staging, { mode: 0o700 });
    writeManifest(folder, { staging, manifest: begun });
    const files: ExportedFile[] = [];
    for (const type of recordTypes) {
      const one = { organizationId: organization.organizationId, type, staging, stopping };
      files.push(await exportType(context, app, one));
    }
    await findClosable(app, organization.organizationId);
    for (const { name } of files) renameSync(join(staging, name), join(folder, name));
    syncFolder(folder);
    const manifest = { ...begun, state: "complete", files } as const;
    return { exportId, manifest: writeManifest(folder, { staging, manifest }), files };
  } finally {
    rmSync(staging, { recursive: true, force: true });
    await done();
  }
}

/**
 * Returns the export in this folder if it is complete. Throws OperatorError if it is another one, or was changed.
 */
async function readComplete(
  folder: string,
  owner: ExportOwner,
): Promise<OrganizationExport | undefined> {
  const known = readManifest(folder);
  if (known !== undefined) requireSame(folder, known, owner);
  if (known?.state !== "complete") return undefined;
  await requireUnchanged(folder, known);
  const { export_id: exportId, files } = known;
  return { exportId, manifest: digestOfManifest(folder), files };
}

/** Returns the complete export of this closing in the folder; undefined if there is none. Throws OperatorError. */
export async function findExport(
  app: App,
  folder: string,
  organization: Organization,
): Promise<OrganizationExport | undefined> {
  return await readComplete(resolve(folder), await ownerOf(app, organization));
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
): Promise<ExportedFile> {
  const { resourceType } = type;
  const detail = { resourceType, history: true, format: "ndjson" };
  await auditAccess(app, "records.export", { organizationId, subject: organizationId, detail });
  const name = fileNameOf(type);
  const progress = makeBulkProgress(context.err, {
    json: context.json,
    name: `export ${resourceType}`,
  });
  const plan = { organizationId, type, history: true, format: "ndjson", test: "include" } as const;
  const path = join(staging, name);
  const sum = createHash("sha256");
  const sink = hashed(openSink(context.out, { path, unfinished: `${path}.part` }), sum);
  const { rows } = await runExport(app, plan, { sink, progress, stopping });
  return { name, resource_type: resourceType, rows, sha256: sum.digest("hex") };
}

function hashed(sink: Sink, sum: ReturnType<typeof createHash>): Sink {
  return {
    ...sink,
    write: (part) => {
      sum.update(part);
      return sink.write(part);
    },
  };
}

function fileNameOf({ resourceType }: RecordType): string {
  return `${resourceType}.ndjson`;
}
