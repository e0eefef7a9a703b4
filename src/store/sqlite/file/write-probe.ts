// Whether writes can succeed: whether the file system takes more bytes beside the database, and whether a transaction can
// be committed. Leaves no file behind and touches no record.

import { open, unlink } from "node:fs/promises";
import { AppError } from "../../../domain/error.ts";
import type { Group } from "../commit/group.ts";
import { noRoomRetrySeconds } from "../connection.ts";

/** The file that proves that there is room for a write. */
const writeProbeBytes = 1_024 * 1_024;

/** A commit that changes nothing would write nothing. */
const commitSomething = `
  INSERT INTO meta (name, value) VALUES ('write_probe', 1)
  ON CONFLICT (name) DO UPDATE SET value = value + 1`;

/** To be run by the writer. */
export function probeCommit({ connection }: Group): void {
  connection.run(commitSomething);
}

/**
 * A small commit finds room in the file of the WAL long after there is none for large ones. The bytes need not reach the
 * disk: a file system reserves their place when they are written. Rejects with AppError unavailable.
 */
export async function probeRoom(databasePath: string): Promise<void> {
  const path = `${databasePath}-probe`;
  try {
    const file = await open(path, "w", 0o600);
    try {
      // At once, so that a process that is killed leaves nothing behind.
      await unlink(path);
      await file.writeFile(Buffer.alloc(writeProbeBytes));
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new AppError("unavailable", { retryAfterSeconds: noRoomRetrySeconds, cause });
  }
}
