// Exports everything of a closed organization into a folder: for each record type a file with every change, as
// `sluice export --history` writes it, and a manifest. The files get their names only if nothing can have been erased
// since they were begun. Never replaces a file of anything else than an interrupted export of the same closing.

import { createHash, hash } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmSync, createReadStream, readFileSync } from "node:fs";
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
import { syncFolder, writeOwnFile } from "../files/own-file.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { noteUnfinished } from "../data-folder/unfinished-files.ts";
import type { Context } from "./command.ts";
import { requireOutputFile } from "./input/output-file.ts";
import { makeBulkProgress } from "./output/bulk-progress.ts";
import { codeOf } from "../files/file-error.ts";
import { explainOpening } from "../files/present.ts";

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

interface Exporting {
  readonly organization: Organization;
  readonly folder: string;
  readonly stopping: AbortSignal;
}

/**
 * Everything is on stable storage when the promise resolves. Continues with a complete export of an interrupted
 * command. Throws OperatorError, also if the deletion was requested meanwhile: then what was read may lack what is
 * erased.
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
  const { dataDir } = readConfig(context.environment);
  await using unfinished = await noteUnfinished(dataDir, join(folder, "export"));
  const { path: staging } = unfinished;
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

// The manifest of an organization's export: the organization, and the rows and SHA-256 of each file. It is first
// written as incomplete, and again when all files have their names, so a folder with a complete manifest contains the
// whole export.

interface ExportedFile {
  readonly name: string;
  readonly resource_type: string;
  readonly rows: number;
  readonly sha256: string;
}

/** Identifies the closing: another closing, as after a restore of the store, needs another export. */
interface ExportOwner {
  readonly store_id: string;
  readonly organization_id: string;
  readonly closed_at: string;
}

interface ExportManifest extends ExportOwner {
  readonly export_id: string;
  readonly state: "incomplete" | "complete";
  readonly files: readonly ExportedFile[];
}

const manifestName = "manifest.json";

/** Undefined if there is none. Throws OperatorError and FileError. */
function readManifest(folder: string): ExportManifest | undefined {
  const path = resolve(folder, manifestName);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw explainOpening(cause, "The manifest", path);
  }
  try {
    const manifest = JSON.parse(text) as ExportManifest;
    if (typeof manifest.organization_id === "string" && Array.isArray(manifest.files)) {
      return manifest;
    }
  } catch {
    // An unreadable manifest is a file of something else, too.
  }
  throw new OperatorError("output", `${path} is not a manifest. Name another folder.`);
}

/** Writes the manifest to stable storage, then returns its SHA-256. `staging` is a folder beside it. */
function writeManifest(
  folder: string,
  { staging, manifest }: { readonly staging: string; readonly manifest: ExportManifest },
): string {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  const written = join(staging, `${manifestName}.${manifest.state}`);
  writeOwnFile(written, text);
  renameSync(written, join(folder, manifestName));
  syncFolder(folder);
  return hash("sha256", text);
}

function digestOfManifest(folder: string): string {
  return hash("sha256", readFileSync(join(folder, manifestName)));
}

/** Throws OperatorError unless each file is as the manifest says. */
async function requireUnchanged(folder: string, { files }: ExportManifest): Promise<void> {
  for (const { name, sha256 } of files) {
    const path = join(folder, name);
    if ((await digestOf(path)) === sha256) continue;
    throw new OperatorError(
      "output",
      `${path} is not what was exported: its SHA-256 differs from the one in ${manifestName}. Name another folder, to which ` +
        "everything is exported again.",
    );
  }
}

/** Undefined for a file that can't be read. */
async function digestOf(path: string): Promise<string | undefined> {
  const sum = createHash("sha256");
  try {
    for await (const part of createReadStream(path)) sum.update(part as Buffer);
  } catch {
    return undefined;
  }
  return sum.digest("hex");
}
