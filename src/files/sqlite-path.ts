// The file that a `sqlite:` URL names.

import { resolve } from "node:path";

/** An absolute path; undefined for the URL of another engine. */
export function sqlitePath(url: string): string | undefined {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  return path === undefined ? undefined : resolve(path);
}
