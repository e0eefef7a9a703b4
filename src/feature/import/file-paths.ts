// The files that an import writes on this machine: its state, and the rows that were refused. A file of refused rows
// from an earlier import may be replaced; any other file may not, and an input never.

import { hash } from "node:crypto";
import { existsSync, readSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { OperatorError, UsageError } from "../../actions/operator/operator-error.ts";
import { bulkKeys } from "../../bulk/formats/bulk-keys.ts";
import { plainName } from "../../bulk/formats/compression.ts";
import type { InputFormat } from "../csv/row.ts";
import { openFile } from "../../files/own-file.ts";
import { statOf } from "../../files/present.ts";
import { formatOfName } from "./rows/input-format.ts";

export interface FilePaths {
  readonly file: string;
  readonly refusedPath: string;
  readonly statePath: string;
}

export interface PathOptions {
  readonly folder: string | undefined;
  readonly format: InputFormat | undefined;
}

/** Throws UsageError if two inputs would share a file. */
export function pathsOf(files: readonly string[], options: PathOptions): readonly FilePaths[] {
  const paths = files.map((file) => ({
    file,
    refusedPath: refusedPathOf(file, options),
    statePath: statePathOf(file, options),
  }));
  const all = paths.map(({ refusedPath: path }) => resolve(path));
  const twice = all.find((path, index) => all.indexOf(path) !== index);
  if (twice === undefined) return paths;
  throw new UsageError(
    `The refused rows of two inputs would go to ${twice}; import one input after the other.`,
  );
}

function refusedPathOf(file: string, { folder, format }: PathOptions): string {
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
function statePathOf(file: string, { folder }: PathOptions): string {
  if (folder === undefined) return `${file}.sluice-import.json`;
  const place = hash("sha256", resolve(file)).slice(0, 12);
  return join(folder, `${basename(file)}.${place}.sluice-import.json`);
}

const headBytes = 1_024 * 1_024;

const marks: readonly string[] = [bulkKeys.row, bulkKeys.code, bulkKeys.reason];

/** Throws OperatorError before anything is imported or removed. */
export function requireReplaceable(paths: readonly FilePaths[]): void {
  const inputs = paths.map(({ file }) => file);
  for (const { refusedPath, statePath } of paths) {
    const input = inputs.find((file) => isSameFile(file, refusedPath));
    if (input !== undefined) {
      throw new OperatorError(
        "output",
        `The refused rows would replace the input ${input}. Name another folder with --state.`,
      );
    }
    // If there is a state file, it says how much of this file belongs to the import.
    if (existsSync(statePath) || !existsSync(refusedPath) || holdsRefusedRows(refusedPath))
      continue;
    throw new OperatorError(
      "output",
      `${refusedPath} exists and contains no refused rows, so it is not replaced. Name another folder with --state.`,
    );
  }
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statOf(path, "The file"));
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

function holdsRefusedRows(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  using file = openFile(path, "r");
  const bytes = Buffer.alloc(headBytes);
  const [line = ""] = bytes.toString("utf8", 0, readSync(file.descriptor, bytes)).split("\n");
  return line === "" || marks.every((mark) => line.includes(mark));
}
