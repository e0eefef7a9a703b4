// Explains why the operating system denies access to a path: which folder or file is the obstacle, its owner and its
// mode. Inspects paths; never opens, creates or changes anything.

import { accessSync, constants, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import { codeOf } from "./file-error.ts";

export type Access = "read" | "write";

const readOnly = "EROFS";

const modes: Readonly<Record<Access, number>> = {
  read: constants.R_OK,
  write: constants.R_OK | constants.W_OK,
};

/**
 * What prevents this user from accessing the path, and what to do about it, as sentences; the first continues another
 * sentence: "the folder /a/b belongs to …". Undefined if nothing does, or if the path does not exist.
 */
export function findObstacle(path: string, access: Access): string | undefined {
  const wanted = resolve(path);
  for (const folder of foldersAbove(wanted)) {
    const obstacle = findFolderObstacle(folder, constants.X_OK);
    if (obstacle !== undefined) return obstacle;
  }
  const stats = statOf(wanted);
  const refusal = stats === undefined ? undefined : refusalOf(wanted, modes[access]);
  if (stats === undefined || refusal === undefined) return undefined;
  if (refusal === readOnly) return onReadOnly(wanted);
  return denied(
    `may not ${access === "read" ? "read" : "read and write"} ${wanted}`,
    stats,
    wanted,
  );
}

/** What prevents this user from creating a file or folder at the path, whose folder may be missing too. */
export function findCreationObstacle(path: string): string | undefined {
  const folders = foldersAbove(resolve(path));
  for (const folder of folders) {
    const obstacle = findFolderObstacle(folder, constants.X_OK);
    if (obstacle !== undefined) return obstacle;
  }
  const nearest = folders.findLast((folder) => statOf(folder) !== undefined);
  return nearest === undefined ? undefined : findFolderObstacle(nearest, constants.W_OK);
}

function findFolderObstacle(folder: string, needed: number): string | undefined {
  const stats = statOf(folder);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return `${folder} is not a folder. Name another path.`;
  const refusal = refusalOf(folder, needed);
  if (refusal === undefined) return undefined;
  if (refusal === readOnly) return onReadOnly(folder);
  const verb = (needed & constants.W_OK) === 0 ? "open" : "write to";
  return denied(`may not ${verb} the folder ${folder}`, stats, folder);
}

/** The folders from the root to the one that contains the path. */
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

/** The code of the system's error; undefined if it allows the access. */
function refusalOf(path: string, needed: number): string | undefined {
  try {
    accessSync(path, needed);
    return undefined;
  } catch (cause) {
    return codeOf(cause) ?? "unknown";
  }
}

function onReadOnly(path: string): string {
  return `${path} is on a read-only file system. Mount it for writing, or name another place.`;
}

function denied(what: string, { uid, mode }: Stats, path: string): string {
  const octal = (mode & 0o7777).toString(8).padStart(4, "0");
  const advice =
    uid === process.getuid?.()
      ? `Change the mode of ${path}.`
      : `Run this as the user that owns it (uid ${uid}).`;
  return `${describeUser()} ${what}, which belongs to uid ${uid} and has mode ${octal}. ${advice}`;
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
