// The manifest of an organization's export: the organization, and the rows and SHA-256 of each file. It is first
// written as incomplete, and again when all files have their names, so a folder with a complete manifest contains the
// whole export.

import { createHash, hash } from "node:crypto";
import { createReadStream, readFileSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { OperatorError } from "../actions/operator/operator-error.ts";
import { codeOf } from "../files/file-error.ts";
import { syncFolder, writeOwnFile } from "../files/own-file.ts";
import { explainOpening } from "../files/present.ts";

export interface ExportedFile {
  readonly name: string;
  readonly resource_type: string;
  readonly rows: number;
  readonly sha256: string;
}

/** Identifies the closing: another closing, as after a restore of the store, needs another export. */
export interface ExportOwner {
  readonly store_id: string;
  readonly organization_id: string;
  readonly closed_at: string;
}

export interface ExportManifest extends ExportOwner {
  readonly export_id: string;
  readonly state: "incomplete" | "complete";
  readonly files: readonly ExportedFile[];
}

export const manifestName = "manifest.json";

/** Undefined if there is none. Throws OperatorError and FileError. */
export function readManifest(folder: string): ExportManifest | undefined {
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
export function writeManifest(
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

export function digestOfManifest(folder: string): string {
  return hash("sha256", readFileSync(join(folder, manifestName)));
}

/** Throws OperatorError unless each file is as the manifest says. */
export async function requireUnchanged(folder: string, { files }: ExportManifest): Promise<void> {
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
