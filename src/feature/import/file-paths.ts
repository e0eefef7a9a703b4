// The files that an import writes on this machine: its state, and the rows that were refused.

import { hash } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { plainName } from "../../bulk/formats/compression.ts";
import type { InputFormat } from "../../bulk/formats/row.ts";
import { formatOfName } from "./rows/input-format.ts";

export interface FilePaths {
  readonly file: string;
  readonly refusedPath: string;
  readonly statePath: string;
}

export interface PathOptions {
  readonly folder: string | undefined;
  readonly refused: string | undefined;
  readonly format: InputFormat | undefined;
}

/** Throws UsageError if two inputs would share a file. */
export function pathsOf(files: readonly string[], options: PathOptions): readonly FilePaths[] {
  if (options.refused !== undefined && files.length > 1) {
    throw new UsageError(
      "--refused names a file for one input; with several inputs, use --state to name a folder.",
    );
  }
  const paths = files.map((file) => ({
    file,
    refusedPath: options.refused ?? refusedPath(file, options),
    statePath: statePath(file, options),
  }));
  const all = paths.map(({ refusedPath: path }) => resolve(path));
  const twice = all.find((path, index) => all.indexOf(path) !== index);
  if (twice === undefined) return paths;
  throw new UsageError(
    `The refused rows of two inputs would go to ${twice}; import one input after the other.`,
  );
}

function refusedPath(file: string, { folder, format }: PathOptions): string {
  return join(folder ?? dirname(file), refusedName(file, format));
}

/** `tx.refused.csv` for `tx.csv.gz`. */
export function refusedName(file: string, format?: InputFormat): string {
  const plain = basename(plainName(file));
  const dot = plain.lastIndexOf(".");
  const stem = dot === -1 ? plain : plain.slice(0, dot);
  const isCsv = (format ?? formatOfName(file)) === "csv";
  const ending = isCsv ? (plain.toLowerCase().endsWith(".tsv") ? "tsv" : "csv") : "ndjson";
  return `${stem}.refused.${ending}`;
}

/** In a common folder, a hash of the path distinguishes inputs of the same name. */
function statePath(file: string, { folder }: PathOptions): string {
  if (folder === undefined) return `${file}.sluice-import.json`;
  const place = hash("sha256", resolve(file)).slice(0, 12);
  return join(folder, `${basename(file)}.${place}.sluice-import.json`);
}
