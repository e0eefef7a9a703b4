// The number of the latest change, of any organization.

import { get, type Statements } from "../statement/statements.ts";

/**
 * On PostgreSQL this reads the sequence with a function that needs only the right to use the sequence. The result is
 * null before the first number.
 */
const readArrival = `
  --sqlite SELECT value AS latest FROM counter WHERE name = 'arrival'
  --postgres SELECT pg_sequence_last_value('arrival'::regclass) AS latest
  `;

/** On PostgreSQL, changes with this number or lower ones may become visible later. */
export function* findLatestArrival(): Statements<number> {
  return (yield* get<{ latest: number | null }>(readArrival))?.latest ?? 0;
}
