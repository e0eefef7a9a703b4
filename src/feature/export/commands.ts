// `sluice export` and `sluice export verify`.

import { statSync } from "node:fs";
import { join } from "node:path";
import { fileReasonOf, OperatorError } from "../../actions/operator/operator-error.ts";
import {
  completenessOf,
  type FileVerdict,
  verifyFile,
  verifyManifest,
} from "../proof/verify-file.ts";
import type { PublishedKeys } from "../../actions/receipt/receipt-keys.ts";
import { defineCommand, flag, optional, required } from "../../cli/command.ts";
import { choice, recordType, text } from "../../cli/input/kinds.ts";
import {
  findChangedFiles,
  manifestName,
  manifestPath,
  readManifestFile,
} from "../../cli/input/manifest-file.ts";
import { readParts } from "../../cli/input/read-file.ts";
import { findKeys, keysOption } from "../proof/inputs.ts";
import { reportFile } from "../proof/file-verdict.ts";
import type { Manifest } from "../../domain/export-manifest.ts";
import { exportFormats } from "./export-format.ts";

const exportRecords = defineCommand({
  name: "export",
  summary: "Export all records of a type: their latest states, or every change.",
  details:
    "Exports a snapshot as of its start, while writes continue; records that are erased in the meantime may be missing. " +
    "Writes to standard output, or with `--output` to a file that gets its name only when it is complete. The endings .gz, " +
    ".br and .zst compress NDJSON and CSV; Parquet is compressed internally. An import turns the output into the " +
    "same states again. The audit trail records who exported what, and when.",
  examples: [
    "sluice export transaction --organization acme > transactions.ndjson",
    "sluice export person --organization acme --history --output persons.csv.gz",
    "sluice export transaction --organization acme --output transactions.parquet",
  ],
  rights: ["records.export"],
  arguments: { type: required(recordType, "Record type, such as transaction.") },
  options: {
    organization: required(text("ID"), "Organization that the records belong to."),
    output: optional(text("FILE"), "File to write. Default: standard output."),
    format: optional(
      choice("FORMAT", exportFormats),
      `${exportFormats.join(", ")}. Default: by the ending of the output file, or ndjson on standard output.`,
    ),
    force: flag("Replace the output file if it exists."),
    spreadsheet: flag(
      "Put an apostrophe before cells of CSV that a spreadsheet would execute as formulas. Not for a later import.",
    ),
    history: flag("Every change in order of arrival, instead of the latest states."),
  },
  run: async (context, given) => {
    const { exportToFile } = await import("./export-to-file.ts");
    return exportToFile(context, given);
  },
});

const exportVerify = defineCommand({
  name: "export verify",
  summary: "Verify an export by its signed manifest: that nothing was cut off, changed or added.",
  details:
    "FILE is what an export wrote: a file, or a folder with everything on a person, or of a closed organization. NDJSON has its " +
    "manifest in the last line, CSV and Parquet in FILE.manifest.json, a folder in manifest.json. The manifest says what was " +
    "exported, when, and how many rows, and its SHA-256 is in the audit trail (`export.manifest`). With --keys, a copy of what a " +
    "server publishes at /.well-known/sluice-receipts.json, the command needs neither a store nor a network. Exits with 3 if " +
    "anything is wrong.",
  examples: [
    "sluice export verify transactions.ndjson",
    "sluice export verify transactions.csv.gz --keys keys.json",
  ],
  rights: [],
  arguments: { file: required(text("FILE"), "The file or the folder.") },
  options: keysOption,
  run: async (context, { file, keys }) => {
    const published = await findKeys(context, keys);
    const folder = isFolder(file);
    const path = folder ? join(file, manifestName) : manifestPath(file);
    const manifest = readManifestFile(path);
    const verdict = folder
      ? await verifyFolder(file, published, { path, manifest })
      : await verifyFile(readParts(file), { published, manifest, kind: "export" });
    return reportFile(file, verdict);
  },
});

export const heading = "Records";

export const commands = [exportRecords, exportVerify];

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (cause) {
    throw new OperatorError("file", `${path} can't be read: ${fileReasonOf(cause)}.`, { cause });
  }
}

async function verifyFolder(
  folder: string,
  published: PublishedKeys,
  { path, manifest }: { readonly path: string; readonly manifest: Manifest | undefined },
): Promise<FileVerdict> {
  const faults =
    manifest === undefined
      ? [`There is no ${path}: the export was not completed.`]
      : [...verifyManifest(manifest, published), ...(await findChangedFiles(folder, manifest))];
  const completeness = completenessOf("export", { heads: undefined, manifest });
  return {
    kind: "export",
    rows: undefined,
    head: undefined,
    completeness,
    manifest,
    faults,
    explained: [],
  };
}
