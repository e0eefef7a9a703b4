// Compares the counter of arrival numbers with the highest number in the tables. A sequence of PostgreSQL is not
// replicated with the tables, so a server that was upgraded by logical replication would give old numbers again, and
// readers of the feed would miss changes.

import { type Statements, scalar } from "../statement/statements.ts";
import { type StoreParts, storeParts } from "../store-parts.ts";
import { findLatestArrival } from "./record.ts";

/** Each number is found by an index, or in a table that stays small. */
const findHighest = ({ list }: StoreParts) => `
  SELECT max(latest) AS highest FROM (
    --sqlite SELECT max(record_no) AS latest FROM change
    --sqlite UNION ALL SELECT max(change_no) FROM change WHERE change_no > record_no
    --postgres SELECT (
    --postgres   SELECT change_no FROM change WHERE change.organization_id = one.organization_id
    --postgres   ORDER BY change.organization_id DESC, change_no DESC LIMIT 1) AS latest
    --postgres FROM organization AS one
    ${list.flatMap(({ arrivalNumbers = [] }) => arrivalNumbers.map((sql) => `UNION ALL ${sql}`)).join(" ")}
    UNION ALL SELECT max(after_no) FROM arrival_timeline
  ) AS numbers`;

/** Leaves out numbers that were given to changes and notices of which nothing is left, not even a position. */
const spare = 1_000_000;

export interface StaleCounter {
  /** The last number that the counter knows of. */
  readonly given: number;
  /** The highest number in the tables. */
  readonly highest: number;
  /** The number after which the counter can continue. */
  readonly safe: number;
}

/** Undefined if the counter is right. It is read last, because numbers are given before they are stored. */
export function* findStaleCounter(): Statements<StaleCounter | undefined> {
  const sql = findHighest(yield* storeParts());
  const highest = (yield* scalar<number | null>(sql)) ?? 0;
  const given = yield* findLatestArrival();
  return highest > given ? { given, highest, safe: highest + spare } : undefined;
}

/** The findings of `check`. */
export function* checkCounter(): Statements<readonly string[]> {
  const stale = yield* findStaleCounter();
  if (stale === undefined) return [];
  return [
    `The counter of arrival numbers is at ${stale.given}, but ${stale.highest} was given: the next changes would get numbers ` +
      "of earlier ones. `sluice serve` sets it, or says how to.",
  ];
}
