// The last step of deletions: scrubs the pages that were written since the file was scrubbed, runs a last verification
// pass, and completes the deletions of which nothing is left. All of this is one transaction that holds the write lock
// on an empty WAL.

import type { Act } from "../../interface/act.ts";
import type { Verified } from "../../shared/completion.ts";
import { completeVerified, type SealedCompletion } from "./steps.ts";
import { type Connection, savepoint, transaction } from "../connection.ts";
import {
  readDataVersion,
  releaseCheckpoints,
  requireAlone,
  truncateWal,
  requireEmptyWal,
} from "../file/checkpoint-freeze.ts";
import { Group } from "../commit/group.ts";
import {
  emptyWalPosition,
  findWalStart,
  type WalPosition,
  readWalPages,
} from "../file/wal-pages.ts";
import { scrubResidue } from "./free-space.ts";

export interface Completing {
  readonly completions: readonly SealedCompletion[];
  readonly act: Act;
  readonly descriptor: number;
}

export interface CompletedAll {
  /** In the order of the completions. The others are completed even if one has `failed`. */
  readonly results: readonly Verified[];
  /** The start of the WAL that contains every later write; undefined if another process has written too. */
  readonly position: WalPosition | undefined;
}

/** The pinned WAL names every page to scrub. Throws StoreError if another process reads or writes. */
export function completeDeletions(
  connection: Connection,
  { completions, act, descriptor }: Completing,
): CompletedAll {
  const version = readDataVersion(connection);
  const written = readWalPages(connection.path, emptyWalPosition);
  if (written === undefined) throw new TypeError("the WAL was restarted although it was pinned");
  releaseCheckpoints(connection);
  truncateWal(connection);
  const results = transaction(connection, () => {
    requireEmptyWal(connection);
    // Nobody else can write any more. Checks that nobody has written since the WAL was read.
    requireAlone(connection, version);
    scrubResidue(descriptor, written.pages);
    // Cached pages still contain the scrubbed bytes, and would restore them when they are next written.
    connection.exec("PRAGMA shrink_memory");
    const group = new Group(connection);
    const all = completeAll(group, completions, act);
    group.storeArrival();
    return all;
  });
  const position = findWalStart(connection.path);
  const alone = readDataVersion(connection) === version;
  return { results, position: alone && position.generation !== undefined ? position : undefined };
}

/** All together, or else one by one: after one that is not completed, later receipts no longer fit the chain. */
function completeAll(
  group: Group,
  completions: readonly SealedCompletion[],
  act: Act,
): readonly Verified[] {
  try {
    return savepoint(group.connection, () => completeVerified(group, completions, act));
  } catch (cause) {
    if (!group.connection.inTransaction) throw cause;
    if (completions.length === 1) return [{ result: "failed", cause }];
    return completions.flatMap((one) => completeAll(group, [one], act));
  }
}
