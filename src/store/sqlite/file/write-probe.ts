// Checks whether writes can succeed: whether the file system accepts more bytes beside the database, and whether a
// transaction can be committed. Leaves no file and touches no record.

import { open, unlink } from "node:fs/promises";
import { unavailable, type UnavailableReason } from "../../../domain/error.ts";
import { codeOf } from "../../../files/file-error.ts";
import type { Group } from "../commit/group.ts";
import { type Connection } from "../connection.ts";
import { noRoomRetrySeconds } from "../failure.ts";

/** The size of the file that proves that there is room for a write. */
const writeProbeBytes = 1_024 * 1_024;

const reasons: Readonly<Record<string, UnavailableReason>> = {
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
  EMFILE: "no_files",
  ENFILE: "no_files",
};

/** A commit without changes would write nothing. */
const commitSomething = `
  INSERT INTO meta (name, value) VALUES ('write_probe', 1)
  ON CONFLICT (name) DO UPDATE SET value = value + 1`;

/** Run by the writer. */
export function probeCommit({ connection }: Group): void {
  writeSomething(connection);
}

export function writeSomething(connection: Connection): void {
  connection.run(commitSomething);
}

/** A small commit fits into the WAL when a large one does not. Rejects with AppError unavailable. */
export async function probeRoom(databasePath: string): Promise<void> {
  const path = `${databasePath}-probe`;
  try {
    await using file = await open(path, "w", 0o600);
    // The file is unlinked at once, so that a killed process leaves none.
    await unlink(path);
    await file.writeFile(Buffer.alloc(writeProbeBytes));
  } catch (cause) {
    const reason = reasons[codeOf(cause) ?? ""] ?? "disk_failed";
    throw unavailable(reason, { retryAfterSeconds: noRoomRetrySeconds, cause });
  }
}
