// The step of a deletion that finds the records which name an erased person or company. One pass over the records of an
// organization serves all of its deletions that are ready for this step; each of them stores how far the pass has come.
// Records that the pass finds are added to the plans. A pass that finds nothing verifies all changes up to the arrival
// number at which it began. Later changes are searched by their arrival, for the last time when the deletion is
// completed. Erases nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { isPartyType } from "../../../domain/deletion/party.ts";
import type { Naming, PartyStep, Pass, ScannedPage, ScanResult } from "../../interface/naming.ts";
import { postponeAll, type Waiting } from "../plan/claim.ts";
import { keyText } from "../../shared/record-key.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { findDeletions } from "../deletion/deletion.ts";
import { findLateNamings } from "../retention/naming.ts";
import { findHoldsOf } from "../retention/hold.ts";
import { latestByParty, listPartyFloors } from "../retention/party-floor.ts";
import { obstacleOfParty } from "../plan/party-obstacle.ts";
import { findHeld, planningOf } from "../plan/plan.ts";
import {
  addPseudonyms,
  findPartyErasures,
  type PartyErasures,
  type ScanProgress,
  storeProgress,
} from "./pseudonym.ts";
import { findLatestArrival } from "../record/record.ts";
import type { Statements } from "../statement/statements.ts";
import { extendPlans, type Planned } from "../plan/write-plan.ts";

/** Greater than every arrival number. */
const anyArrival = Number.MAX_SAFE_INTEGER;

/** Finds those of these deletions that erase a person or a company. */
export function* findDeletionsOfParties(ids: readonly string[]): Statements<readonly Deletion[]> {
  return (yield* findDeletions(ids)).filter(({ resourceType }) => isPartyType(resourceType));
}

/**
 * Adds the records of a page to the plans of these deletions, which belong to one organization and are being processed.
 * Without a page, begins the step, or continues it after an interruption.
 */
export function* scanStep(
  deletions: readonly Deletion[],
  page: ScannedPage | undefined,
  now: number,
): Statements<PartyStep> {
  const ids = deletions.map(({ deletionRequestId }) => deletionRequestId);
  if (page === undefined) yield* addPseudonyms(ids);
  const erasures = yield* findPartyErasures(ids);
  return page === undefined
    ? beginPass(erasures)
    : yield* storePage({ deletions, erasures, page, now });
}

function beginPass(erasures: PartyErasures): PartyStep {
  const results = new Map<string, ScanResult>();
  const passes: (Pass | undefined)[] = [];
  for (const [id, { verifiedTo, pass }] of erasures) {
    results.set(id, verifiedTo === undefined ? "scanning" : "verified");
    if (verifiedTo === undefined) passes.push(pass);
  }
  const [first] = passes;
  // If one deletion is behind the others, all repeat the whole pass: the others lose nothing but time.
  const isSame = first !== undefined && passes.every((pass) => textOf(pass) === textOf(first));
  return { results, pass: isSame ? first : undefined };
}

function textOf(pass: Pass | undefined): string | undefined {
  return JSON.stringify(pass);
}

interface StoringPage {
  readonly deletions: readonly Deletion[];
  readonly erasures: PartyErasures;
  readonly page: ScannedPage;
  readonly now: number;
}

function* storePage({ deletions, erasures, page, now }: StoringPage): Statements<PartyStep> {
  const { upTo, namings, last } = page;
  const { found, held } = yield* addToPlans(deletions, namings, now);
  const results = new Map<string, ScanResult>(held.keys().map((id) => [id, "held"]));
  const progress: ScanProgress[] = [];
  for (const { deletionRequestId: id } of deletions) {
    if (held.has(id)) continue;
    const isFound = erasures.get(id)?.found === true || found.has(id);
    results.set(id, last !== undefined ? "scanning" : isFound ? "found" : "verified");
    if (last !== undefined) progress.push({ id, pass: { upTo, after: last }, found: isFound });
    else progress.push({ id, verifiedTo: isFound ? undefined : upTo });
  }
  yield* storeProgress(progress, now);
  return { results, pass: undefined };
}

interface AddedToPlans {
  /** The deletions of parties that records name. */
  readonly found: ReadonlySet<string>;
  /** Deletions that were postponed because of a hold or a floor on a record that names their party, with the reason. */
  readonly held: ReadonlyMap<string, string>;
}

/** Adds to each plan the records of the organization that name its party. */
function* addToPlans(
  deletions: readonly Deletion[],
  namings: readonly Naming[],
  now: number,
): Statements<AddedToPlans> {
  const [first] = deletions;
  const held = new Map<string, string>();
  const planned: Planned[] = [];
  if (first === undefined || namings.length === 0) return { found: new Set(), held };
  const { organizationId } = first;
  const confidential = yield* readConfidentialTypes(organizationId);
  const found = yield* findHoldsOf(namings.map((one) => ({ ...one, organizationId })));
  const holds = new Set(found.map(keyText));
  const floors = yield* listPartyFloors(organizationId);
  const latest = yield* latestByParty({ organizationId, floors }, namings);
  const waiting: Waiting[] = [];
  for (const deletion of deletions) {
    const reference = nodeKey(deletion.resourceType, deletion.resourceId);
    const records = namings
      .filter(({ parties }) => parties.includes(deletion.resourceId))
      .map(({ resourceType, resourceId }) => nodeKey(resourceType, resourceId));
    if (records.length === 0) continue;
    const planning = planningOf(deletion, now, confidential);
    const floor = planning.isReplay ? undefined : latest.get(deletion.resourceId);
    const obstacle = findHeld(records, planning, { holds }) ?? obstacleOfParty(floor, now);
    if (obstacle === undefined) {
      const targets = records.map((record) => ({ record, reference, restricted: false }));
      planned.push({ deletion, targets });
    } else {
      waiting.push({ deletion, obstacle });
      held.set(deletion.deletionRequestId, obstacle.waitingFor);
    }
  }
  yield* postponeAll(waiting, now);
  yield* extendPlans(planned);
  const ids = planned.map(({ deletion }) => deletion.deletionRequestId);
  return { found: new Set([...ids, ...held.keys()]), held };
}

/** The result of a search for a party. `partly`: more changes have to be searched. */
export type PartyVerification =
  | { readonly result: "clean" | "found" | "partly" }
  | { readonly result: "held"; readonly waitingFor: string };

export interface VerifyingParties {
  readonly now: number;
  /**
   * How many changes one transaction searches before the last verification pass; its progress is then stored. Without a
   * bound, all are searched.
   */
  readonly arrivalsMax?: number | undefined;
  /** Replaces the rows that were removed. */
  readonly taken?: PartyErasures | undefined;
}

/**
 * Searches the changes that arrived since the last pass. Returns the results of those deletions that erase persons or
 * companies.
 */
export function* verifyParties(
  deletions: readonly Deletion[],
  { now, arrivalsMax, taken }: VerifyingParties,
): Statements<ReadonlyMap<string, PartyVerification>> {
  const results = new Map<string, PartyVerification>();
  const ofParties = deletions.filter(({ resourceType }) => isPartyType(resourceType));
  if (ofParties.length === 0) return results;
  const ids = ofParties.map(({ deletionRequestId }) => deletionRequestId);
  const erasures = taken ?? (yield* findPartyErasures(ids));
  const verifiedTo = ({ deletionRequestId }: Deletion) =>
    erasures.get(deletionRequestId)?.verifiedTo;
  const from = Math.min(...ofParties.map((deletion) => verifiedTo(deletion) ?? anyArrival));
  const latest = arrivalsMax === undefined ? anyArrival : yield* findLatestArrival();
  const to = Math.min(latest, from + (arrivalsMax ?? anyArrival));
  const isPartly = arrivalsMax !== undefined && latest - to > arrivalsMax;
  const namings = yield* findLateNamings(ofParties, { from, to });
  const progress: ScanProgress[] = [];
  for (const [owner, some] of Map.groupBy(ofParties, ({ organizationId }) => organizationId)) {
    const own = namings.filter(({ organizationId }) => organizationId === owner);
    const { found, held } = yield* addToPlans(some, own, now);
    for (const deletion of some) {
      const { deletionRequestId: id } = deletion;
      const [verified, waitingFor] = [verifiedTo(deletion), held.get(id)];
      if (waitingFor !== undefined) results.set(id, { result: "held", waitingFor });
      // This applies even if the scan has not ended.
      else if (verified === undefined || found.has(id)) results.set(id, { result: "found" });
      else {
        results.set(id, { result: isPartly ? "partly" : "clean" });
        if (to > verified) progress.push({ id, verifiedTo: to });
      }
    }
  }
  if (arrivalsMax !== undefined) yield* storeProgress(progress, now);
  return results;
}
