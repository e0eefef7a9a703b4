// Reads and writes the manifest in a separate file, and checks whether the files beside it are the ones that it names.

import { createHash } from "node:crypto";
import { readFileSync, renameSync } from "node:fs";
import { join, dirname } from "node:path";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import { compareFile } from "../../actions/receipt/manifest.ts";
import { readUnambiguous } from "../../domain/json/repeated-name.ts";
import { type Manifest, manifestOf, type ManifestBody } from "../../domain/export-manifest.ts";
import { codeOf } from "../../files/file-error.ts";
import { explainOpening } from "../../files/present.ts";
import { readParts } from "./read-file.ts";
import { canonicalJson } from "../../domain/json/canonical-json.ts";
import { syncFolder, temporaryName, writeOwnFile } from "../../files/own-file.ts";

export const manifestName = "manifest.json";

export function manifestPath(output: string): string {
  return `${output}.${manifestName}`;
}

/** Undefined if there is no such file. Throws OperatorError if it is something else, and FileError. */
export function readManifestFile(path: string): Manifest | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw explainOpening(cause, "The manifest", path);
  }
  const manifest = manifestOf(readUnambiguous(text));
  if (manifest !== undefined) return manifest;
  throw new OperatorError("output", `${path} is not a manifest. Name another folder.`);
}

/** Returns a sentence for each file that differs from the manifest. */
export async function findChangedFiles(
  folder: string,
  { files }: Manifest,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const file of files) {
    const { name = "" } = file;
    const isPlain = /^[a-z_.]+$/.test(name);
    const fault = isPlain ? await findChange(join(folder, name), file) : "It names no file.";
    if (fault !== undefined) faults.push(fault);
  }
  return faults;
}

async function findChange(
  path: string,
  file: Manifest["files"][number],
): Promise<string | undefined> {
  const sum = createHash("sha256");
  let bytes = 0;
  try {
    for await (const part of readParts(path)) {
      sum.update(part);
      bytes += part.length;
    }
  } catch {
    return `${path} can't be read.`;
  }
  return compareFile(
    { ...file, name: path },
    { bytes, sha256: sum.digest("hex"), rows: undefined },
  );
}

/** Replaces a file of this name. It is on stable storage afterwards. Throws OperatorError. */
export function writeManifest(path: string, manifest: ManifestBody): void {
  try {
    const beside = temporaryName(path, "new");
    // The digest of the file is the one in the audit trail.
    writeOwnFile(beside, canonicalJson(manifest));
    renameSync(beside, path);
    syncFolder(dirname(path));
  } catch (cause) {
    throw new OperatorError("output", `${path} can't be written: ${reasonOf(cause)}.`, { cause });
  }
}
