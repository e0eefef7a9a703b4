// The step of a deletion that finds the records which name an erased person or company. One pass over the records of an
// organization serves all of its deletions that are ready for it; how far it has come is stored with each of them. What it
// finds is added to their plans. A pass that finds nothing verifies the changes up to the arrival number at which it began;
// later changes are searched by their arrival, for the last time when the deletion is completed. Erases nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { isPartyType } from "../../../domain/deletion/party.ts";
import type { PartyStep, Pass, Place, ScannedPage, ScanResult } from "../../interface/naming.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { putOff } from "./claim.ts";
import { findDeletions } from "./deletion.ts";
import { findLateNamings } from "./naming.ts";
import { findHoldObstacle, planningOf } from "./plan.ts";
import {
  addPseudonyms,
  findPartyErasures,
  type PartyErasures,
  type ScanProgress,
  storeProgress,
} from "./pseudonym.ts";
import { findLatestArrival } from "../record/latest-arrival.ts";
import type { Statements } from "../statement/statements.ts";
import { extendPlan } from "./write-plan.ts";

/** Greater than every arrival number. */
const anyArrival = Number.MAX_SAFE_INTEGER;

/** Those of these deletions that erase a person or a company. */
export function* findDeletionsOfParties(ids: readonly string[]): Statements<readonly Deletion[]> {
  return (yield* findDeletions(ids)).filter(({ resourceType }) => isPartyType(resourceType));
}

/**
 * Adds what was found to the plans of these deletions, which are of one organization and are processed; without a page the
 * step begins, or continues after an interruption.
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
  // One that has not come as far needs the whole pass, and the others lose nothing but time.
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
  const results = new Map<string, ScanResult>();
  const progress: ScanProgress[] = [];
  for (const deletion of deletions) {
    const { deletionRequestId: id, resourceId } = deletion;
    const places = namings.filter(({ parties }) => parties.includes(resourceId));
    if ((yield* addToPlan(deletion, places, now)) !== undefined) {
      results.set(id, "held");
      continue;
    }
    const found = erasures.get(id)?.found === true || places.length > 0;
    results.set(id, last !== undefined ? "scanning" : found ? "found" : "verified");
    if (last !== undefined) progress.push({ id, pass: { upTo, after: last }, found });
    else progress.push({ id, verifiedTo: found ? undefined : upTo });
  }
  yield* storeProgress(progress, now);
  return { results, pass: undefined };
}

/** Adds the records to the plan. If one of them is held, the deletion is put off; returns what it waits for. */
function* addToPlan(
  deletion: Deletion,
  places: readonly Place[],
  now: number,
): Statements<string | undefined> {
  if (places.length === 0) return undefined;
  const records = places.map(({ resourceType, resourceId }) => nodeKey(resourceType, resourceId));
  const confidential = yield* readConfidentialTypes(deletion.organizationId);
  const obstacle = yield* findHoldObstacle(records, planningOf(deletion, now, confidential));
  if (obstacle !== undefined) {
    yield* putOff(deletion, obstacle, now);
    return obstacle.waitingFor;
  }
  const reference = nodeKey(deletion.resourceType, deletion.resourceId);
  const targets = records.map((record) => ({ record, reference, restricted: false }));
  yield* extendPlan(deletion, targets);
  return undefined;
}

/** `partly`: there are many more changes to search. */
export type PartyVerification =
  | { readonly result: "clean" | "found" | "partly" }
  | { readonly result: "held"; readonly waitingFor: string };

export interface VerifyingParties {
  readonly now: number;
  /**
   * How many changes one transaction searches before the last verification pass, where numbers become visible in order; how
   * far it has come is then stored. Without it, all are searched.
   */
  readonly arrivalsMax?: number | undefined;
  /** Instead of the rows, where these were removed. */
  readonly taken?: PartyErasures | undefined;
}

/** Searches the changes that arrived since the last pass. The results of those deletions that erase persons or companies. */
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
  for (const deletion of ofParties) {
    const { deletionRequestId: id, organizationId, resourceId } = deletion;
    const erasure = erasures.get(id);
    const places = namings.filter(
      (one) => one.organizationId === organizationId && one.parties.includes(resourceId),
    );
    const waitingFor = yield* addToPlan(deletion, places, now);
    if (waitingFor !== undefined) results.set(id, { result: "held", waitingFor });
    // Also if the scan has not ended.
    else if (erasure?.verifiedTo === undefined || places.length > 0)
      results.set(id, { result: "found" });
    else {
      results.set(id, { result: isPartly ? "partly" : "clean" });
      if (to > erasure.verifiedTo) progress.push({ id, verifiedTo: to });
    }
  }
  if (arrivalsMax !== undefined) yield* storeProgress(progress, now);
  return results;
}
