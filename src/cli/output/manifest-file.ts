// Writes the manifest of an export to a separate file, beside the exported file or in the exported
// folder.

import { renameSync } from "node:fs";
import { dirname } from "node:path";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import type { ManifestBody } from "../../domain/export-manifest.ts";
import { canonicalJson } from "../../domain/json/canonical-json.ts";
import { syncFolder, temporaryName, writeOwnFile } from "../../files/own-file.ts";

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
