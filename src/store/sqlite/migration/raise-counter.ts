// Sets the counter of arrival numbers above every number in the tables, before anything is written.

import { findStaleCounter } from "../../sql/record/arrival-counter.ts";
import { type Connection, transaction } from "../connection.ts";

const setArrival = `UPDATE counter SET value = ? WHERE name = 'arrival'`;

export function raiseCounter(connection: Connection): void {
  if (connection.perform(findStaleCounter) === undefined) return;
  transaction(connection, () => {
    const stale = connection.perform(findStaleCounter);
    if (stale !== undefined) connection.run(setArrival, stale.safe);
  });
}
