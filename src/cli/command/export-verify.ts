// `sluice export verify`

import { statSync } from "node:fs";
import { join } from "node:path";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import { verifyManifest } from "../../actions/proof/manifest.ts";
import { type FileVerdict, verifyFile } from "../../actions/proof/verify-file.ts";
import type { PublishedKeys } from "../../actions/receipt/receipt-keys.ts";
import { defineCommand, optional, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import {
  findChangedFiles,
  manifestName,
  manifestPath,
  readManifestFile,
} from "../input/manifest-file.ts";
import { findKeys, keysOption, readParts } from "../input/proof.ts";
import { describeFile, viewFile } from "../output/file-verdict.ts";

export const exportVerify = defineCommand({
  name: "export verify",
  summary: "Verify an export by its signed manifest: that nothing was cut off, changed or added.",
  details:
    "FILE is what an export wrote: a file, or the folder of `sluice subject export` or of a closed organization. NDJSON has its " +
    "manifest in the last line, CSV and Parquet in FILE.manifest.json, a folder in manifest.json. The manifest says what was " +
    "exported, when, and how many rows, and its SHA-256 is in the audit trail (`export.manifest`). With --keys, a copy of what a " +
    "server publishes at /.well-known/sluice-receipts.json, the command needs neither a store nor a network. Exits with 1 if " +
    "anything is wrong.",
  examples: [
    "sluice export verify transactions.ndjson",
    "sluice export verify transactions.csv.gz --keys keys.json",
  ],
  rights: [],
  arguments: { file: required(text("FILE"), "The file or the folder.") },
  options: {
    ...keysOption,
    manifest: optional(text("FILE"), "The manifest, if it has another name."),
  },
  run: async (context, { file, keys, manifest }) => {
    const published = await findKeys(context, keys);
    const verdict = isFolder(file)
      ? await verifyFolder(file, published, manifest)
      : await verifyOne(file, published, manifest);
    return {
      json: viewFile(verdict),
      text: describeFile(file, verdict, context.paint),
      exitCode: verdict.faults.length === 0 ? 0 : 1,
    };
  },
});

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (cause) {
    throw new OperatorError("file", `${path} can't be read: ${reasonOf(cause)}.`, { cause });
  }
}

async function verifyOne(
  path: string,
  published: PublishedKeys,
  named: string | undefined,
): Promise<FileVerdict> {
  const manifest = readManifestFile(named ?? manifestPath(path));
  return verifyFile(readParts(path), { published, manifest, kind: "export" });
}

async function verifyFolder(
  folder: string,
  published: PublishedKeys,
  named = join(folder, manifestName),
): Promise<FileVerdict> {
  const manifest = readManifestFile(named);
  const base = { kind: "export", rows: undefined, head: undefined } as const;
  if (manifest === undefined) {
    return { ...base, manifest, faults: [`There is no ${named}: the export was not completed.`] };
  }
  const faults = [
    ...verifyManifest(manifest, published),
    ...(await findChangedFiles(folder, manifest)),
  ];
  return { ...base, manifest, faults };
}
