// Resolves symbolic links in paths of which the end need not exist yet. Never opens or creates anything.

import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The number that Linux follows. */
const linksMax = 40;

/** Resolves symbolic links as far as the path exists, also those to a file that is still to be created. */
export function actualPath(path: string, links = 0): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || links > linksMax) return path;
    const place = join(actualPath(parent, links), basename(path));
    const target = linkTarget(place);
    return target === undefined ? place : actualPath(resolve(dirname(place), target), links + 1);
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
