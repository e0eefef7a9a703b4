// Whether a command may write a file under the name that it was given: checked before any work begins, so that nothing is
// overwritten by mistake and no folder appears where a disk is not mounted. Never creates or opens anything.

import { lstatSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { findCreationObstacle } from "../../files/path-obstacle.ts";
import { statOf } from "../../files/present.ts";
import { OperatorError } from "../../actions/operator-error.ts";

export interface OutputFileOptions {
  /** True if a file of that name may be replaced. */
  readonly replace: boolean;
  /** What to do instead of replacing it, as a sentence. */
  readonly advice: string;
}

/** Throws OperatorError, or FileError if this user may not see the path. */
export function requireOutputFile(file: string, { replace, advice }: OutputFileOptions): void {
  const path = resolve(file);
  requireFolder(path);
  const there = findEntry(path);
  if (there !== undefined && !there.isFile() && !there.isSymbolicLink()) {
    const kind = there.isDirectory() ? "a folder" : "not a regular file";
    throw cannotWrite(path, `it is ${kind}`);
  }
  const obstacle = findCreationObstacle(path);
  if (obstacle !== undefined) throw cannotWrite(path, obstacle);
  if (there !== undefined && !replace)
    throw new OperatorError("output", `${path} exists already. ${advice}`);
}

/** A link itself rather than what it leads to. Undefined behind what is no folder that this user may open. */
function findEntry(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function requireFolder(path: string): void {
  const folder = dirname(path);
  const stats = statOf(folder, "The folder");
  if (stats === undefined) {
    throw cannotWrite(
      path,
      `the folder ${folder} does not exist. Create it, or mount its disk, first`,
    );
  }
}

function cannotWrite(path: string, why: string): OperatorError {
  return new OperatorError(
    "output",
    `${path} can't be written: ${why}${why.endsWith(".") ? "" : "."}`,
  );
}
