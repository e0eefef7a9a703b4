// Makes folders that only their owner can open. Gives up at the first one that can't be made.

import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { FileError } from "./file-error.ts";
import { explainCreation } from "./present.ts";

/**
 * Makes the folder and those above it that are missing, each on stable storage. Throws FileError. Node's own recursive
 * mkdir never returns where the system answers "no such file" to it, as in /proc.
 */
export function makePrivateFolder(path: string): void {
  for (const folder of missingFolders(resolve(path))) makeOne(folder);
}

/** The outermost first. */
function missingFolders(path: string): readonly string[] {
  const missing: string[] = [];
  for (let place = path; !isThere(place); place = dirname(place)) missing.unshift(place);
  return missing;
}

function isThere(path: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    // The root is always there, whatever the system says of it.
    if (code === "ENOENT" && dirname(path) !== path) return false;
    throw explainCreation(cause, "The folder", path);
  }
  throw new FileError(`The folder ${path} can't be created: ${path} is not a folder.`);
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
    syncFolder(dirname(folder));
  } catch (cause) {
    const isThereNow = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    if (!isThereNow) throw explainCreation(cause, "The folder", folder);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
