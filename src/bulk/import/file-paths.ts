// Where an import keeps what it writes on this machine: how far it has come, and the rows that were refused.

import { hash } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../actions/operator-error.ts";
import { plainName } from "../formats/compression.ts";
import type { InputFormat } from "../formats/row.ts";
import { formatOfName } from "../formats/open-rows.ts";

export interface FilePaths {
  readonly file: string;
  readonly refusedPath: string;
  readonly statePath: string;
}

export interface PathOptions {
  /** Instead of the folder of each file. */
  readonly folder: string | undefined;
  /** For one file only. */
  readonly refused: string | undefined;
  readonly format: InputFormat | undefined;
}

/** Throws UsageError where two files would write to one. */
export function pathsOf(files: readonly string[], options: PathOptions): readonly FilePaths[] {
  if (options.refused !== undefined && files.length > 1) {
    throw new UsageError(
      "--refused names one file, and is for one input; use --state for several.",
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
    `The refused rows of two of the files would go to ${twice}; import one after the other.`,
  );
}

/** `tx.csv.gz` has its refused rows in `tx.refused.csv`. */
function refusedPath(file: string, { folder, format }: PathOptions): string {
  const plain = basename(plainName(file));
  const dot = plain.lastIndexOf(".");
  const stem = dot === -1 ? plain : plain.slice(0, dot);
  const isCsv = (format ?? formatOfName(file)) === "csv";
  const ending = isCsv ? (plain.toLowerCase().endsWith(".tsv") ? "tsv" : "csv") : "ndjson";
  return join(folder ?? dirname(file), `${stem}.refused.${ending}`);
}

/** In a folder for many, files of the same name are told apart by where they are. */
function statePath(file: string, { folder }: PathOptions): string {
  if (folder === undefined) return `${file}.sluice-import.json`;
  const place = hash("sha256", resolve(file)).slice(0, 12);
  return join(folder, `${basename(file)}.${place}.sluice-import.json`);
}
