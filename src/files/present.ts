// Whether a file exists, as distinct from a file that this user may not see; and the system's errors in sentences that
// name the obstacle. Never mistakes a refused access for a missing file.

import { type Stats, statSync } from "node:fs";
import { systemReasonOf } from "../basics/system-reason.ts";
import { codeOf, FileError } from "./file-error.ts";
import { type Access, findCreationObstacle, findObstacle } from "./path-obstacle.ts";

/** `what` begins the sentence of the error, such as "The store". Throws FileError if this user may not know. */
export function isPresent(path: string, what: string): boolean {
  return statOf(path, what) !== undefined;
}

/** Undefined if there is nothing; follows symbolic links. Throws FileError if this user may not know. */
export function statOf(path: string, what: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw explainOpening(cause, what, path);
  }
}

/** Throws FileError if the file exists and this user may not read and write it, or may not know whether it exists. */
export function requireUsable(path: string, what: string): void {
  requireAccess(path, what, "write");
}

/** Does the same for a file that is only read. */
export function requireReadable(path: string, what: string): void {
  requireAccess(path, what, "read");
}

function requireAccess(path: string, what: string, access: Access): void {
  if (!isPresent(path, what)) return;
  const obstacle = findObstacle(path, access);
  if (obstacle === undefined) return;
  throw new FileError(`${what} ${path} can't be opened: ${obstacle}`, { path });
}

/** The error of opening a file that exists, with the folder or file that is the obstacle, its owner and what to do. */
export function explainOpening(cause: unknown, what: string, path: string): FileError {
  if (cause instanceof FileError) return cause;
  const why = findObstacle(path, "read") ?? messageOf(cause);
  return new FileError(`${what} ${path} can't be opened: ${asSentence(why)}`, { path, cause });
}

/** The error of creating a file or folder, in the same way. */
export function explainCreation(cause: unknown, what: string, path: string): FileError {
  if (cause instanceof FileError) return cause;
  const why = findCreationObstacle(path) ?? messageOf(cause);
  return new FileError(`${what} ${path} can't be created: ${asSentence(why)}`, { path, cause });
}

/** The error of writing to a file or syncing it, in the same way. */
export function explainWriting(cause: unknown, what: string, path: string): FileError {
  if (cause instanceof FileError) return cause;
  return new FileError(`${what} ${path} can't be written: ${asSentence(messageOf(cause))}`, {
    path,
    cause,
  });
}

const advice: Readonly<Record<string, string>> = {
  ENOSPC: "Free space on its file system, or enlarge it.",
  EDQUOT: "Free space, or raise the quota of its owner.",
  EROFS: "Mount its file system for writing.",
  EIO: "Check the disk and its file system; the log of the system has details.",
};

function messageOf(cause: unknown): string {
  const message = systemReasonOf(cause) ?? (cause instanceof Error ? cause.message : String(cause));
  const what = advice[codeOf(cause) ?? ""];
  return what === undefined ? message : `${asSentence(message)} ${what}`;
}

function asSentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}
