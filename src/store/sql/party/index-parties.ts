// Builds the index of parties in the order of arrival, a quarter of a block at a time, and only when every change of it
// is settled. A step is one transaction, which moves the mark: a whole block would hold the writer of SQLite four times
// as long.

import { byDueTime, byRecord } from "../statement/index-conditions.ts";
import { organizationType } from "../../../domain/deletion/organization-deletion.ts";
import { namingTypes } from "../../../domain/deletion/party.ts";
import { blockNumbers, hashParty } from "../../shared/party-entries.ts";
import { all, run, type Statements, column } from "../statement/statements.ts";
import {
  addEntries,
  lockStateToAdvance,
  partyCounter,
  readPartyState,
  type PlacedEntry,
} from "./entries.ts";
import { type NamingRow, partiesIn, textsOf } from "./named-parties.ts";

/** The restricted sets that deletions are filling are among them; nothing that is being erased is. */
const findOwners = `
  SELECT organization_id FROM organization
  WHERE NOT EXISTS (
    SELECT 1 FROM deletion
    WHERE deletion.organization_id = organization.organization_id AND status = 'processing'
      AND resource_type = '${organizationType}' ${byRecord})
  UNION ALL SELECT organization_id FROM deletion
    --sqlite INDEXED BY deletion_open
  WHERE organization_id > 'restricted/' AND organization_id < 'restricted0'
    AND status IN ('pending', 'processing') AND status = 'pending' ${byRecord}
  UNION ALL SELECT 'restricted/' || deletion_request_id FROM deletion
  WHERE status = 'processing' ${byDueTime}`;

const setMark = `UPDATE counter SET value = $1 WHERE name = '${partyCounter}'`;

const removeSome = `
  DELETE FROM party_block WHERE (organization_id, bucket, block_no) IN (
    SELECT organization_id, bucket, block_no FROM party_block LIMIT $1)`;

/** Arrival numbers of a step, which never go beyond the end of a block. */
const stepNumbers = blockNumbers / 4;
/** While the index is removed to be built again. */
const beingRemoved = -1;
const rowsRemovedMax = 2_000;

/** True if there may be more. The lock of the mark excludes erasing, so that no entry outlives its change. */
export function* indexParties(settled: number): Statements<boolean> {
  const { key, indexedNo } = yield* readPartyState(lockStateToAdvance);
  if (indexedNo < 0) {
    const removed = yield* run(removeSome, rowsRemovedMax);
    if (removed < rowsRemovedMax) yield* run(setMark, 0);
    return true;
  }
  const to = indexedNo + stepNumbers;
  if (to > settled) return false;
  const owners = yield* listOwners();
  yield* addEntries(yield* readDue({ key, owners, from: indexedNo, to }), to);
  yield* run(setMark, to);
  return to + stepNumbers <= settled;
}

export function* listOwners() {
  return yield* column<string>(findOwners);
}

interface DueQuery {
  readonly key: string;
  readonly owners: readonly string[];
  /** The numbers after the one, up to the other. */
  readonly from: number;
  readonly to: number;
}

/** The entries that these changes have to have. */
export function* readDue({ key, owners, from, to }: DueQuery): Statements<readonly PlacedEntry[]> {
  const entries: PlacedEntry[] = [];
  for (const type of namingTypes) {
    const range = [owners, type.resourceType, from, to] as const;
    for (const row of yield* all<NamingRow>(textsOf(type).due, ...range)) {
      const { organization_id: organizationId, change_no: changeNo } = row;
      for (const party of partiesIn(row)) {
        entries.push({ organizationId, changeNo, ...hashParty(key, organizationId, party) });
      }
    }
  }
  return entries;
}

/** From now on everything is indexed again. */
export function* rebuildParties(): Statements<void> {
  yield* run(setMark, beingRemoved);
}
