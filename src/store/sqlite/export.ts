// Up to which arrival number an export reads. Its pages are read in ../sql/export.ts.

import type { Connection } from "./connection.ts";

const readArrival = `SELECT value FROM counter WHERE name = 'arrival'`;

/** Numbers are given out by one writer and become visible in their order. */
export function readLatestArrival(connection: Connection): number {
  return connection.get<{ value: number }>(readArrival)?.value ?? 0;
}
