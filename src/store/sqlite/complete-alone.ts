// The last step of deletions: wipes what came into the file since it was looked at, looks at the rows again, and completes
// those of which nothing is left, all in one transaction that holds the right to write on an empty log.

import type { Deletion } from "../../domain/deletion.ts";
import { completeDeletion, type Look, type SealedCompletion } from "./completion.ts";
import { type Connection, savepoint, transaction } from "./connection.ts";
import { readDataVersion, releaseFile, requireAlone } from "./frozen-file.ts";
import { Group } from "./group.ts";
import { emptyLog, requireEmptyLog } from "./log-file.ts";
import { emptyLogPlace, findLogStart, type LogPlace, readLogPages } from "./log-pages.ts";
import { wipeResidue } from "./unallocated.ts";

export interface Completing {
  readonly completions: readonly SealedCompletion[];
  readonly descriptor: number;
}

/** What one came to; `failed` keeps none of the others back. */
export type Completed = Deletion | Look | { readonly result: "failed"; readonly cause: unknown };

export interface CompletedAll {
  /** In the order in which they were sent. */
  readonly results: readonly Completed[];
  /** Where the log begins that holds all that was written since; undefined if somebody else has written too. */
  readonly place: LogPlace | undefined;
}

/** The log is kept, and names every page that may not be clean. Throws StoreError if somebody else reads or writes. */
export function completeDeletions(
  connection: Connection,
  { completions, descriptor }: Completing,
): CompletedAll {
  const version = readDataVersion(connection);
  const written = readLogPages(connection.path, emptyLogPlace);
  if (written === undefined) throw new TypeError("the log has begun anew though it was kept");
  releaseFile(connection);
  emptyLog(connection);
  const results = transaction(connection, () => {
    requireEmptyLog(connection);
    // From here on nobody else can write; so nobody has since the log was read.
    requireAlone(connection, version);
    wipeResidue(descriptor, written.pages);
    // Pages in memory still hold what was just wiped, and would bring it back when they are next written.
    connection.exec("PRAGMA shrink_memory");
    const group = new Group(connection);
    const all = completions.map((completion) => completeOne(group, completion));
    group.finish();
    return all;
  });
  const place = findLogStart(connection.path);
  const alone = readDataVersion(connection) === version;
  return { results, place: alone && place.generation !== undefined ? place : undefined };
}

/** The receipts of those after one that fails or is not clean do not fit the chain any more, so they are `moved`. */
function completeOne(group: Group, completion: SealedCompletion): Completed {
  try {
    return savepoint(group.connection, () => completeDeletion(group, completion));
  } catch (cause) {
    if (!group.connection.inTransaction) throw cause;
    return { result: "failed", cause };
  }
}
