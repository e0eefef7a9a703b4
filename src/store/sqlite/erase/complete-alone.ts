// The last step of deletions: scrubs what came into the file since it was looked at, looks at the rows again, and completes
// those of which nothing is left, all in one transaction that holds the right to write on an empty WAL.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  completeDeletion,
  type VerificationResult,
  type SealedCompletion,
} from "./verification.ts";
import { type Connection, savepoint, transaction } from "../connection.ts";
import { readDataVersion, releaseCheckpoints, requireAlone } from "../file/checkpoint-freeze.ts";
import { Group } from "../commit/group.ts";
import { truncateWal, requireEmptyWal } from "../file/wal-checkpoint.ts";
import {
  emptyWalPosition,
  findWalStart,
  type WalPosition,
  readWalPages,
} from "../file/wal-pages.ts";
import { scrubResidue } from "./free-space.ts";

export interface Completing {
  readonly completions: readonly SealedCompletion[];
  readonly descriptor: number;
}

/** What one came to; `failed` keeps none of the others back. */
export type Completed =
  Deletion | VerificationResult | { readonly result: "failed"; readonly cause: unknown };

export interface CompletedAll {
  /** In the order in which they were sent. */
  readonly results: readonly Completed[];
  /** Where the WAL begins that holds all that was written since; undefined if somebody else has written too. */
  readonly position: WalPosition | undefined;
}

/** The WAL is kept, and names every page that may not be clean. Throws StoreError if somebody else reads or writes. */
export function completeDeletions(
  connection: Connection,
  { completions, descriptor }: Completing,
): CompletedAll {
  const version = readDataVersion(connection);
  const written = readWalPages(connection.path, emptyWalPosition);
  if (written === undefined) throw new TypeError("the WAL has begun anew though it was kept");
  releaseCheckpoints(connection);
  truncateWal(connection);
  const results = transaction(connection, () => {
    requireEmptyWal(connection);
    // From here on nobody else can write; so nobody has since the WAL was read.
    requireAlone(connection, version);
    scrubResidue(descriptor, written.pages);
    // Pages in memory still hold what was just scrubbed, and would bring it back when they are next written.
    connection.exec("PRAGMA shrink_memory");
    const group = new Group(connection);
    const all = completions.map((completion) => completeOne(group, completion));
    group.finish();
    return all;
  });
  const position = findWalStart(connection.path);
  const alone = readDataVersion(connection) === version;
  return { results, position: alone && position.generation !== undefined ? position : undefined };
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
