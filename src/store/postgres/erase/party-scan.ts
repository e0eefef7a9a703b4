// The scan for records that name erased parties, on PostgreSQL: a page is read in a transaction of its own, and stored in
// another one.

import { type ScanSource } from "../../shared/party-scan.ts";
import { findDeletionsOfParties, scanStep } from "../../sql/erase/parties.ts";
import { readNamingPage } from "../../sql/retention/naming.ts";
import { organization, type Visibility } from "../../sql/statement/visibility.ts";
import type { Database } from "../database.ts";
import { readLatestArrival } from "../export.ts";
import { lockPlansFor } from "./enter.ts";
import type { Leases } from "./lease.ts";

const view: Visibility = { view: "deletions" };

/** Each page and each step is a separate transaction. */
export function makeScanSource(database: Database, leases: Leases, now: number): ScanSource {
  return {
    findDeletions: (ids) =>
      database.transaction(view, (tx) => tx.perform(findDeletionsOfParties, ids)),
    latestArrival: () => readLatestArrival(database),
    readPage: (query) =>
      database.transaction(organization(query.organizationId), (tx) =>
        tx.perform(readNamingPage, query),
      ),
    takeStep: (ids, page) =>
      database.transaction(view, async (tx) => {
        const deletions = (await leases.lock(tx, ids)).map(({ deletion }) => deletion);
        if (page !== undefined) await lockPlansFor(tx, deletions);
        return tx.perform(scanStep, deletions, page, now);
      }),
  };
}
