// Whether a file exists, as distinct from a file that this user may not see; and the system's errors in sentences that
// name the obstacle. Never mistakes a refused access for a missing file.

import { readdirSync, type Stats, statSync } from "node:fs";
import { systemReasonOf } from "../basics/system-reason.ts";
import { codeOf, FileError } from "./file-error.ts";
import { type Access, findObstacle } from "./path-obstacle.ts";

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

/** The names in a folder; none if it does not exist. Throws the system's error. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Throw FileError if the file exists and this user may not access it, or may not know whether it exists. */
export const requireReadable = requireAccess("read");
export const requireUsable = requireAccess("write");

function requireAccess(access: "read" | "write") {
  return (path: string, what: string): void => {
    const obstacle = isPresent(path, what) ? findObstacle(path, access) : undefined;
    if (obstacle === undefined) return;
    throw new FileError(`${what} ${path} can't be opened: ${obstacle}`, { path });
  };
}

/** Return the error of opening, creating or writing a file, with the obstacle, its owner and what to do. */
export const explainOpening = explain("opened", "read");
export const explainCreation = explain("created", "create");
export const explainWriting = explain("written");

function explain(done: string, access?: Access) {
  return (cause: unknown, what: string, path: string): FileError => {
    if (cause instanceof FileError) return cause;
    const why = (access && findObstacle(path, access)) ?? messageOf(cause);
    return new FileError(`${what} ${path} can't be ${done}: ${asSentence(why)}`, { path, cause });
  };
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
