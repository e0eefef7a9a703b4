// The number of the latest change, of any organization.

import { get, type Statements } from "../statement/statements.ts";

/**
 * On PostgreSQL it needs the right to use the sequence; reading it as a table would need another right. Null before the first
 * number.
 */
const readArrival = `
  --sqlite SELECT value AS latest FROM counter WHERE name = 'arrival'
  --postgres SELECT pg_sequence_last_value('arrival'::regclass) AS latest
  `;

/** On PostgreSQL, changes with this number or lower ones may become visible later. */
export function* findLatestArrival(): Statements<number> {
  return (yield* get<{ latest: number | null }>(readArrival))?.latest ?? 0;
}
