// Creates folders that only their owner can open. Stops at the first one that can't be created.

import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf, FileError } from "./file-error.ts";
import { syncFolder } from "./own-file.ts";
import { explainCreation } from "./present.ts";

/** Each on stable storage. Throws FileError. The recursive mkdir of Node does not return under /proc. */
export function makePrivateFolder(path: string): void {
  try {
    for (const folder of missingFolders(resolve(path))) makeOne(folder);
  } catch (cause) {
    // The folder that can't be created may be a parent of `path`.
    throw cause instanceof FileError ? new FileError(cause.message, { path, cause }) : cause;
  }
}

function missingFolders(path: string): readonly string[] {
  const missing: string[] = [];
  for (let place = path; !isThere(place); place = dirname(place)) missing.unshift(place);
  return missing;
}

function isThere(path: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (cause) {
    // The root always exists, whatever the system reports.
    if (codeOf(cause) === "ENOENT" && dirname(path) !== path) return false;
    throw explainCreation(cause, "The folder", path);
  }
  throw new FileError(
    `The folder ${path} can't be created: ${path} is not a folder. Name another path.`,
  );
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
    syncFolder(dirname(folder));
  } catch (cause) {
    // Another process may have created it since.
    if (codeOf(cause) !== "EEXIST") throw explainCreation(cause, "The folder", folder);
  }
}
