// What has to be there to open an embedded store; and opens it for a command that reads its tables while nobody serves
// or writes.

import type { BareStore } from "../sql/statement/run.ts";
import type { StoreParts } from "../sql/store-parts.ts";
import { StoreError } from "../interface/store-error.ts";
import { type Connection, openWriter, rollBack } from "./connection.ts";
import { isBusy } from "./failure.ts";
import { migrate } from "./migration/migrate.ts";
import { takeServingRight } from "./file/file-lock.ts";
import { findUnmatchedLog, refuseUnrestored } from "./file/restore.ts";
import { refuseCopiedAlone, sizeOfStore } from "./file/store-file.ts";
import { sluice } from "../../basics/program-name.ts";

export function noStore(path: string): StoreError {
  return new StoreError(
    `There is no store at ${path}. Check DATABASE_URL, DATA_DIR and the current folder; \`${sluice} migrate\` ` +
      "creates one.",
  );
}

/** Throws StoreError if the file is not there although it has to be, or although something else of a store is. */
export function requireFile(path: string, { existing }: { readonly existing: boolean }): void {
  if ((sizeOfStore(path) ?? 0) > 0) return refuseCopiedAlone(path);
  refuseUnrestored(path);
  const log = findUnmatchedLog(path);
  // SQLite would remove it without a word when it makes a database beside it.
  if (log !== undefined) {
    throw new StoreError(
      `There is no store at ${path}, but ${log} contains changes of one. Put the file of the store back beside it, or run ` +
        `\`${sluice} restore --replace\` with a backup. To begin with an empty store instead, move that file to another folder.`,
    );
  }
  // An empty file does not contain a store yet.
  if (existing) throw noStore(path);
}

/**
 * Until this is closed, nobody can serve the store or write to it, and all reads see the same snapshot. Nothing that is
 * written remains. Throws StoreError, also if the store is being served, or written to by a command.
 */
export function openSqliteSource(path: string, parts: StoreParts): BareStore {
  requireFile(path, { existing: true });
  using opening = new DisposableStack();
  opening.adopt(takeServingRight(path), (right) => right.release());
  const connection = opening.use(openWriter(path, { parts }));
  migrate(connection);
  keepWritersOut(connection);
  const opened = opening.move();
  return {
    perform: async (work, ...args) => connection.perform(work, ...args),
    [Symbol.asyncDispose]: async () => {
      rollBack(connection);
      opened.dispose();
    },
  };
}

/** Holds the write lock without writing. */
function keepWritersOut(connection: Connection): void {
  try {
    connection.run("BEGIN IMMEDIATE");
  } catch (cause) {
    if (!isBusy(cause)) throw cause;
    const text = `Another command writes to the store ${connection.path}. Run this one when it is done.`;
    throw new StoreError(text, { cause });
  }
}
