// Checks before any work begins whether a command can write the file that it was given, so that nothing is overwritten
// by mistake and no folder is created where a disk is not mounted. Never creates or opens anything.

import { lstatSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { findObstacle } from "../../files/path-obstacle.ts";
import { isPresent } from "../../files/present.ts";

export interface OutputFileOptions {
  readonly replace: boolean;
  readonly advice: string;
}

/** Throws OperatorError, or FileError if this user may not see the path. */
export function requireOutputFile(file: string, { replace, advice }: OutputFileOptions): void {
  if (file === "-") {
    throw new OperatorError("output", "This can't be written to standard output. Name a file.");
  }
  const path = resolve(file);
  const folder = dirname(path);
  if (!isPresent(folder, "The folder")) {
    const why = `the folder ${folder} does not exist. Create it, or mount its disk, first`;
    throw cannotWrite(path, why);
  }
  const entry = findEntry(path);
  if (entry !== undefined && !entry.isFile() && !entry.isSymbolicLink()) {
    const kind = entry.isDirectory() ? "a folder" : "not a regular file";
    throw cannotWrite(path, `it is ${kind}`);
  }
  const obstacle = findObstacle(path, "create");
  if (obstacle !== undefined) throw cannotWrite(path, obstacle);
  if (entry !== undefined && !replace)
    throw new OperatorError("output", `${path} exists already. ${advice}`);
}

/** Does not follow symbolic links. Undefined if nothing is there, or if this user may not open the folder. */
function findEntry(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function cannotWrite(path: string, why: string): OperatorError {
  const end = why.endsWith(".") ? "" : ".";
  return new OperatorError("output", `${path} can't be written: ${why}${end}`);
}
