// Explains why the operating system denies access to a path: which folder or file is the obstacle, its owner and its
// mode. Inspects paths; never opens, creates or changes anything.

import { accessSync, constants, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import { codeOf } from "./file-error.ts";

/** `create`: the folder of the path may be missing too. */
export type Access = "read" | "write" | "create";

const needs = {
  read: [constants.R_OK, "read "],
  write: [constants.R_OK | constants.W_OK, "read and write "],
  create: [constants.W_OK, "write to the folder "],
} as const;

/**
 * What prevents this user from accessing the path, and what to do about it, as sentences; the first continues another
 * sentence: "the folder /a/b belongs to …". Undefined if nothing does, or if the path does not exist.
 */
export function findObstacle(path: string, access: Access): string | undefined {
  const wanted = resolve(path);
  let last = access === "create" ? undefined : wanted;
  for (const folder of foldersAbove(wanted)) {
    const stats = statOf(folder);
    if (stats === undefined) break;
    if (!stats.isDirectory()) return `${folder} is not a folder. Name another path.`;
    const obstacle = findRefusal(folder, constants.X_OK, "open the folder ");
    if (obstacle !== undefined) return obstacle;
    if (access === "create") last = folder;
  }
  const [needed, verb] = needs[access];
  return last === undefined ? undefined : findRefusal(last, needed, verb);
}

function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let place = dirname(path); folders[0] !== place; place = dirname(place)) {
    folders.unshift(place);
  }
  return folders;
}

/** Undefined for a path that does not exist, or that is in a folder that this user may not open. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function findRefusal(path: string, needed: number, verb: string): string | undefined {
  const stats = statOf(path);
  if (stats === undefined) return undefined;
  try {
    accessSync(path, needed);
    return undefined;
  } catch (cause) {
    if (codeOf(cause) === "EROFS") {
      return `${path} is on a read-only file system. Mount it for writing, or name another place.`;
    }
  }
  const octal = (stats.mode & 0o7777).toString(8).padStart(4, "0");
  const advice =
    stats.uid === process.getuid?.()
      ? `Change the mode of ${path}.`
      : `Run this as the user that owns it (uid ${stats.uid}).`;
  return (
    `${describeUser()} may not ${verb}${path}, which belongs to uid ${stats.uid} and has mode ${octal}. ` +
    advice
  );
}

function describeUser(): string {
  const uid = process.getuid?.();
  if (uid === undefined) return "this user";
  try {
    return `this user (${userInfo().username}, uid ${uid})`;
  } catch {
    // A user id without an entry in the password file, as in containers.
    return `this user (uid ${uid})`;
  }
}
