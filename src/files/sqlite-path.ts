// The file that a `sqlite:` URL names. All parts of a process get its path from here, without symbolic links: SQLite
// puts the WAL beside the file itself, and the lock of the serving process must be the same one for every name.

import { resolve } from "node:path";
import { actualPath } from "./actual-path.ts";

/** An absolute path without symbolic links; undefined for the URL of another engine. */
export function sqlitePath(url: string): string | undefined {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  return path === undefined ? undefined : actualPath(resolve(path));
}
