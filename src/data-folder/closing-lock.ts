// The lock of the command that closes an organization: a second command could delete what the first one still exports,
// or do the same work twice. The lock is on an empty file in the data folder, which stays; its existence means nothing.

import { join } from "node:path";
import { OperatorError } from "../actions/operator/operator-error.ts";
import { isPresent } from "../files/present.ts";
import { tryFileLock } from "../store/open-store.ts";

export const closingLock = "organization-close.lock";

/** Locks nothing if there is no data folder, as on a host that only runs commands. Throws OperatorError. */
export async function withClosingLock<Result>(
  dataDir: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isPresent(dataDir, "The data folder")) return await work();
  const path = join(dataDir, closingLock);
  const lock = tryFileLock(path);
  if (lock === undefined) {
    throw new OperatorError(
      "being_closed",
      `Nothing was changed: another command is closing an organization (the lock is ${path}). Run this one when that one ` +
        "has ended.",
    );
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
