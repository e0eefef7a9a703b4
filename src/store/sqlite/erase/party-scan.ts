// The scan for records that name erased parties, on SQLite: the file thread reads pages beside the writer, and the writer
// stores what was found (party-arrivals.ts).

import { isPartyType } from "../../../domain/deletion/party.ts";
import { limits } from "../../../domain/limits.ts";
import type { NamingPage, NamingQuery } from "../../interface/naming.ts";
import { scanForParties, type ScanResults } from "../../shared/party-scan.ts";
import { findDeletions } from "../../sql/erase/deletion.ts";
import type { Act } from "../../interface/store.ts";
import type { PerformOperation } from "../commit/operation.ts";
import type { Connection } from "../connection.ts";

const readArrival = `SELECT value FROM counter WHERE name = 'arrival'`;

export interface ScanParts {
  readonly reader: Connection;
  readonly perform: PerformOperation;
  readonly pages: { namingPage(query: NamingQuery): Promise<NamingPage> };
}

/** The results of those of these deletions that erase a person or a company. */
export async function scanParties(
  { reader, perform, pages }: ScanParts,
  ids: readonly string[],
  act: Act,
): Promise<ScanResults> {
  const ofParties = reader
    .perform(findDeletions, ids)
    .filter(({ resourceType }) => isPartyType(resourceType))
    .map(({ deletionRequestId }) => deletionRequestId);
  if (ofParties.length === 0) return new Map();
  const leaseUntil = act.now + limits.deletionLeaseMs;
  const claim = { now: act.now, leaseUntil, claimant: undefined };
  return scanForParties(
    {
      latestArrival: async () => reader.get<{ value: number }>(readArrival)?.value ?? 0,
      readPage: (query) => pages.namingPage(query),
      addTargets: async ({ deletionRequestId }, targets) => {
        const step = { deletionRequestId, claim, floors: [], targets };
        const added = await perform("addToPlan", step);
        if (added === "lost") throw new TypeError(`${deletionRequestId} is not being processed`);
        return added;
      },
      note: (deletion, progress) => perform("noteScans", deletion.deletionRequestId, progress, act),
    },
    await perform("beginPartyErasures", ofParties),
  );
}
