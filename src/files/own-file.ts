// Files that commands write, readable by their owner only. Never opens a file that somebody else has put in their place:
// a link, which would be followed, or a file of another user, who could read what is written to it.

import { randomBytes } from "node:crypto";
import { closeSync, constants, fchmodSync, fstatSync, openSync } from "node:fs";

/** A name beside `path` that nobody can foresee; the file gets its own by renaming. */
export function temporaryName(path: string, ending: string): string {
  return `${path}.${randomBytes(6).toString("hex")}.${ending}`;
}

/**
 * For files that must not be there yet: links count as files, so that none is followed. Streams call it `flags`, other
 * functions `flag`.
 */
export const newFile = { flag: "wx", flags: "wx", mode: 0o600 } as const;

/** Throws the system's error if anything has that name. Gives the descriptor. */
export function createOwnFile(path: string): number {
  return openSync(path, newFile.flags, newFile.mode);
}

/** Opens a file that an earlier run of a command has made. Throws the system's error, or one that says why not. */
export function openOwnFile(path: string, access: "read" | "write"): number {
  // Without O_NONBLOCK a named pipe would be waited for. Windows knows neither, and leaves both undefined, which is 0 here.
  const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  const flags = (access === "read" ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK;
  const descriptor = openSync(path, flags);
  try {
    const { uid } = fstatSync(descriptor);
    if (!fstatSync(descriptor).isFile()) throw new Error("it is not a file");
    if (process.geteuid !== undefined && uid !== process.geteuid()) {
      throw new Error("it belongs to another user");
    }
    if (access === "write") fchmodSync(descriptor, newFile.mode);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
