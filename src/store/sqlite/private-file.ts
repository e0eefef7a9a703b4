// Makes files and folders that only their owner can read. Never opens a file that exists already, nor follows a link that
// somebody has put in its place.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Makes the file, empty, and its folder, unless they are there. */
export function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    // To open an existing file and close it again would drop every lock that this process holds on it (POSIX).
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** What follows a name in those of `makeFileBeside`. */
const besideEnding = /^\.[0-9a-f]{12}\.part$/;

/** Removes files that runs which were killed have left beside `path`. None may be under way. */
export function removeFilesBeside(path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  for (const other of existsSync(folder) ? readdirSync(folder) : []) {
    if (!other.startsWith(name) || !besideEnding.test(other.slice(name.length))) continue;
    rmSync(join(folder, other), { force: true });
  }
}

/** Makes a new file, empty, beside `path`, under a name that nobody can foresee. Gives its path. */
export function makeFileBeside(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${randomBytes(6).toString("hex")}.part`;
  closeSync(openSync(beside, "wx", 0o600));
  return beside;
}

/** Copies the content alone: a copy by the system would take over who may read the file. The target has to be new. */
export function copyContent(from: string, to: string): void {
  const [source, target] = [openSync(from, "r"), openSync(to, "r+")];
  try {
    const part = Buffer.allocUnsafe(1_024 * 1_024);
    for (let length = readSync(source, part); length > 0; length = readSync(source, part)) {
      for (let written = 0; written < length;) {
        written += writeSync(target, part, written, length - written);
      }
    }
    fsyncSync(target);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/** So that a file that was made, renamed or removed there stays so. */
export function syncFolderOf(path: string): void {
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
