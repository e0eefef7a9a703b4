// Files that only their owner can read. Never opens a file that somebody else has put in their place: a link, which
// would be followed, or a file of another user, who could read what is written to it.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchownSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** A name beside `path` that nobody can predict; the file is renamed when it is complete. */
export function temporaryName(path: string, ending: string): string {
  return `${path}.${randomBytes(6).toString("hex")}.${ending}`;
}

/** For a file that must not exist yet; a link counts. Streams call the option `flags`, other functions `flag`. */
export const newFile = { flag: "wx", flags: "wx", mode: 0o600 } as const;

/** Throws the system's error if anything has that name. Returns the descriptor. */
export function createOwnFile(path: string): number {
  return openSync(path, newFile.flags, newFile.mode);
}

/** If root has created the file: the service, which is another user, could not use it. */
export function giveToFolder(descriptor: number, path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  if (uid !== 0) fchownSync(descriptor, uid, gid);
}

/** Writes a new file to stable storage; its name is stable after `syncFolder`. Throws the system's error. */
export function writeOwnFile(path: string, content: string | Uint8Array): void {
  using file = closing(createOwnFile(path));
  giveToFolder(file.descriptor, path);
  writeFileSync(file.descriptor, content, { flush: true });
}

/** A file that is closed at the end of the block, with `using`. Throws the system's error. */
export function openFile(path: string, flags: string): OpenFile {
  return closing(openSync(path, flags));
}

interface OpenFile extends Disposable {
  readonly descriptor: number;
}

function closing(descriptor: number): OpenFile {
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

/** Makes the names of created, renamed or removed files in the folder durable. */
export function syncFolder(path: string): void {
  using folder = openFile(path, "r");
  fsyncSync(folder.descriptor);
}

/** A power cut leaves either content whole. Does not block the thread. Rejects with the system's error. */
export async function replaceOwnFile(path: string, content: string): Promise<void> {
  const next = temporaryName(path, "next");
  try {
    await using file = await open(next, newFile.flags, newFile.mode);
    giveToFolder(file.fd, next);
    await file.writeFile(content);
    await file.sync();
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  await using folder = await open(dirname(path), "r");
  await folder.sync();
}

/** Opens a file of an earlier run of a command. Throws the system's error, or one that says why not. */
export function openOwnFile(path: string, access: "read" | "write"): OpenFile {
  // Without O_NONBLOCK, opening a named pipe would wait. Windows has neither flag: both are undefined, which counts as
  // 0.
  const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  const flags = (access === "read" ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK;
  const descriptor = openSync(path, flags);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error("it is not a file");
    if (process.geteuid !== undefined && stats.uid !== process.geteuid()) {
      throw new Error("it belongs to another user");
    }
    if (access === "write") fchmodSync(descriptor, newFile.mode);
    return closing(descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
