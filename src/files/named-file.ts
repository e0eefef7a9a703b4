// Files that settings name. Never waits for somebody to write to a named pipe, and never reads a device, which may have
// no end.

import { readFileSync, statSync } from "node:fs";

/** A pipe that a shell has opened for this process, such as that of `<(…)`. */
const openedPipe = /^\/(?:dev\/fd|proc\/self\/fd)\/\d+$|^\/dev\/stdin$/;

/** Why the path must not be read; undefined also if nothing is there. Throws the system's error. */
export function whyNotRead(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return undefined;
  if (stats.isFIFO() && openedPipe.test(path)) return undefined;
  return "it is a named pipe or a device; name a regular file, or an open pipe such as /dev/fd/3";
}

/** Throws the system's error, or one that says why not. */
export function readNamedFile(path: string): Buffer {
  const why = whyNotRead(path);
  if (why !== undefined) throw new Error(why);
  return readFileSync(path);
}
