// The note beside an embedded store that was moved to a database: where to, and when. Without it, a process without the
// new DATABASE_URL would open the old file, and serve what has been erased since. The store itself is not changed.

import { readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../files/file-error.ts";
import { syncFolder, writeOwnFile } from "../files/own-file.ts";
import { describeServers } from "../files/postgres-urls.ts";
import { explainOpening } from "../files/present.ts";
import { sqlitePath } from "../files/sqlite-path.ts";
import type { Config } from "../settings/config.ts";
import { StoreError } from "../store/interface/store-error.ts";

export const movedEnding = ".moved";

/** Replaces the note of an earlier move. It is on stable storage when this returns. */
export function noteMoved(storeFile: string, { to, at }: { to: string; at: number }): void {
  const path = `${storeFile}${movedEnding}`;
  const place = describeServers(to);
  const url = place === undefined ? "a PostgreSQL database" : `${to.split(":", 1)[0]}://${place}`;
  rmSync(path, { force: true });
  writeOwnFile(path, `was moved to ${url} at ${new Date(at).toISOString()}\n`);
  syncFolder(dirname(path));
}

/** Says where the store was moved, and when; undefined if it was not. Throws FileError. */
export function describeMoved(storeFile: string): string | undefined {
  const path = `${storeFile}${movedEnding}`;
  try {
    // A note that a crash has left empty counts, too.
    return readFileSync(path, "utf8").trim() || "was moved to a PostgreSQL database";
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw explainOpening(cause, "The note of a move", path);
  }
}

/** Throws StoreError if the settings name an embedded store that was moved. */
export function refuseMoved({ databaseUrl }: Config): void {
  const storeFile = sqlitePath(databaseUrl);
  const moved = storeFile === undefined ? undefined : describeMoved(storeFile);
  if (moved === undefined) return;
  throw new StoreError(
    `The store ${storeFile} ${moved}. It lacks what was written since, and contains what was erased since, so nothing opens ` +
      `it. Set DATABASE_URL to that database. To use this file again all the same, remove ${storeFile}${movedEnding}.`,
  );
}
