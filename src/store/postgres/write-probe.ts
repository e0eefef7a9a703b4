// Checks whether writes can succeed: whether the server's disk accepts more bytes, and whether a transaction can be
// committed. Leaves no data and changes no record. Also reads how much disk space the database uses. On a cluster both
// are about the coordinator.

import { inSequence } from "./commit/settle-all.ts";
import type { Transaction } from "./transaction.ts";

/** The temporary file is on the disk of the tables, and the memory limit is so low that rows are written to it. */
const spillToDisk = `
  SELECT set_config('temp_tablespaces', '', true), set_config('work_mem', '64kB', true)`;

/** Writes about a megabyte to a temporary file, which is removed at the end of the statement. */
const writeTemporaryFile = `SELECT count(*) FROM generate_series(1, 40000)`;

const writeRow = `UPDATE counter SET value = value + 1 WHERE name = 'write_probe'`;

/** Sends everything in one round trip, with the commit. */
export async function probeWrite(transaction: Transaction): Promise<void> {
  await inSequence([
    transaction.run(spillToDisk),
    transaction.run(writeTemporaryFile),
    transaction.run(writeRow),
  ] as const);
}

const readSize = `SELECT pg_database_size(current_database())::bigint AS bytes`;

export async function readDatabaseSize(transaction: Transaction): Promise<number> {
  const row = await transaction.get<{ bytes: number }>(readSize);
  if (row === undefined) throw new TypeError("the database has no size");
  return row.bytes;
}
