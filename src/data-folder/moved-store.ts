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

interface MovedNote {
  /** The URL of the database, without the user and the password. */
  readonly moved_to: string;
  readonly moved_at: string;
}

/** Replaces the note of an earlier move. It is on stable storage when this returns. */
export function noteMoved(storeFile: string, { to, at }: { to: string; at: number }): void {
  const path = `${storeFile}${movedEnding}`;
  const note: MovedNote = { moved_to: withoutUser(to), moved_at: new Date(at).toISOString() };
  rmSync(path, { force: true });
  writeOwnFile(path, `${JSON.stringify(note, null, 2)}\n`);
  syncFolder(dirname(path));
}

function withoutUser(url: string): string {
  const place = describeServers(url);
  return place === undefined ? "a PostgreSQL database" : `${url.split(":", 1)[0]}://${place}`;
}

/** Says where the store was moved, and when; undefined if it was not. Throws FileError. */
export function describeMoved(storeFile: string): string | undefined {
  const path = `${storeFile}${movedEnding}`;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw explainOpening(cause, "The note of a move", path);
  }
  const { moved_to: to = "a PostgreSQL database", moved_at: at = "an unknown time" } = parse(text);
  return `was moved to ${to} at ${at}`;
}

/** A note that a crash has left incomplete counts too. */
function parse(text: string): Partial<MovedNote> {
  try {
    return JSON.parse(text) as MovedNote;
  } catch {
    return {};
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
