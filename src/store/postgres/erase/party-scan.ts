// The scan for records that name erased parties, on PostgreSQL: one transaction reads a page, another one stores the
// result.

import type { PartyFloorSource } from "../../shared/party-floor-scans.ts";
import { type ScanSource } from "../../shared/party-scan.ts";
import { findDeletionsOfParties, scanStep } from "../../sql/erase/parties.ts";
import { extendPartyScans, storePartyFloors } from "../../sql/plan/party-obstacle.ts";
import { listPartyFloors, readPartyFloorPage } from "../../sql/retention/party-floor.ts";
import { readNamingPage } from "../../sql/retention/naming.ts";
import { organization, type Visibility } from "../../sql/statement/visibility.ts";
import type { Database } from "../database.ts";
import { readLatestArrival } from "../arrival.ts";
import { lockPlansFor } from "./enter.ts";
import type { Leases } from "./lease.ts";

const view: Visibility = { view: "deletions" };

/** Each page and each change is a separate transaction. */
export function makeFloorSource(database: Database): PartyFloorSource {
  return {
    listFloors: (id) =>
      database.transaction(organization(id), (tx) => tx.perform(listPartyFloors, id)),
    latestArrival: () => readLatestArrival(database),
    readPage: (query) =>
      database.transaction(organization(query.organizationId), (tx) =>
        tx.perform(readPartyFloorPage, query),
      ),
    extend: (ids, until) =>
      database.transaction(view, (tx) => tx.perform(extendPartyScans, ids, until)),
    store: (findings) => database.transaction(view, (tx) => tx.perform(storePartyFloors, findings)),
  };
}

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
