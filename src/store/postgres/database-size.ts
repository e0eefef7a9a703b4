// How much disk space the database uses; on a cluster, on the coordinator.

import type { Transaction } from "./transaction.ts";

const readSize = `SELECT pg_database_size(current_database())::bigint AS bytes`;

export async function readDatabaseSize(transaction: Transaction): Promise<number> {
  const row = await transaction.get<{ bytes: number }>(readSize);
  if (row === undefined) throw new TypeError("the database has no size");
  return row.bytes;
}
