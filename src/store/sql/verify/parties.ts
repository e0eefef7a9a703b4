// Finds the records that name an erased person or company, by the index of parties, and adds them to the plan of its
// deletion. When they are rewritten, their entries leave the index. So a deletion is verified when nothing is found,
// for the last time in the transaction that completes it. Erases nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKeyOf } from "../../../domain/deletion/erasure.ts";
import { isPartyType } from "../../../domain/deletion/party.ts";
import type { Naming } from "../../interface/deletion.ts";
import { findNamings } from "../party/find-namings.ts";
import { postponeAll, type WaitingDeletion } from "../plan/claim.ts";
import {
  obstacleOfParty,
  partiesAtOnce,
  readProtected,
  listPartyFloors,
} from "../plan/party-obstacle.ts";
import { type PlanTarget, obstacleOfHold } from "../plan/plan.ts";
import { extendPlans, type Planned } from "../plan/write-plan.ts";
import type { Statements } from "../statement/statements.ts";
import { addPseudonyms } from "../erase/pseudonym.ts";

const targetsAtOnce = 1_000;

/**
 * The result of a search for a party. `found`: records were added to the plan; `isPart`: more are known. `partly`: not
 * everything was searched; `isBehind`: the index has to advance first.
 */
export type PartyVerification =
  | { readonly result: "clean" }
  | { readonly result: "partly"; readonly isBehind?: boolean }
  | { readonly result: "found"; readonly isPart?: boolean }
  | { readonly result: "held"; readonly waitingFor: string };

export interface VerifyingParties {
  readonly now: number;
  /** The deletions whose pseudonyms are in memory instead of the table. */
  readonly taken?: ReadonlyMap<string, string> | undefined;
}

/** Returns the results of those deletions that erase persons or companies. */
export function* verifyParties(
  deletions: readonly Deletion[],
  options: VerifyingParties,
): Statements<ReadonlyMap<string, PartyVerification>> {
  const results = new Map<string, PartyVerification>();
  const ofParties = deletions.filter(({ resourceType }) => isPartyType(resourceType));
  for (const [organizationId, some] of Map.groupBy(ofParties, (one) => one.organizationId)) {
    const [next, later] = [some.slice(0, partiesAtOnce), some.slice(partiesAtOnce)];
    const parties = [...new Set(next.map(({ resourceId }) => resourceId))];
    const query = { organizationId, parties, recordsMax: targetsAtOnce };
    const { namings, ends, isBehind } = yield* findNamings(query);
    if (!isBehind) yield* addToPlans(next, { namings, ends, results, ...options });
    else for (const one of next) results.set(one.deletionRequestId, { result: "partly", isBehind });
    for (const one of later) results.set(one.deletionRequestId, { result: "partly" });
  }
  return results;
}

interface Adding extends VerifyingParties {
  readonly namings: readonly Naming[];
  readonly ends: ReadonlyMap<string, number>;
  readonly results: Map<string, PartyVerification>;
}

function* addToPlans(
  deletions: readonly Deletion[],
  { namings, ends, results, now, taken }: Adding,
): Statements<void> {
  const organizationId = deletions[0]?.organizationId ?? "";
  const protection = { organizationId, floors: yield* listPartyFloors(organizationId) };
  const { held, floors } = yield* readProtected(protection, namings);
  const byParty = groupByParty(namings);
  const waiting: WaitingDeletion[] = [];
  const planned: Planned[] = [];
  let left = targetsAtOnce;
  for (const deletion of deletions) {
    const { deletionRequestId: id, resourceId, processedBefore } = deletion;
    const targets = targetsOf(deletion, byParty.get(resourceId) ?? []);
    const place = held.get(resourceId);
    const floor = processedBefore === undefined ? floors.get(resourceId) : undefined;
    const obstacle = place ? obstacleOfHold(place) : obstacleOfParty(floor, now);
    if (obstacle !== undefined) {
      waiting.push({ deletion, obstacle });
      results.set(id, { result: "held", waitingFor: obstacle.waitingFor });
    } else if (targets.length === 0) results.set(id, { result: "clean" });
    else if (planned.length > 0 && targets.length > left) results.set(id, { result: "partly" });
    else {
      left -= targets.length;
      planned.push({ deletion, targets });
      results.set(id, { result: "found", isPart: ends.has(resourceId) });
    }
  }
  yield* postponeAll(waiting, now);
  const ids = planned.map(({ deletion }) => deletion.deletionRequestId);
  yield* addPseudonyms(ids.filter((id) => taken?.has(id) !== true));
  yield* extendPlans(planned);
}

function groupByParty(namings: readonly Naming[]): ReadonlyMap<string, readonly Naming[]> {
  const pairs = namings.flatMap((one) => one.parties.map((party) => ({ party, one })));
  const grouped = Map.groupBy(pairs, ({ party }) => party);
  return new Map([...grouped].map(([party, some]) => [party, some.map(({ one }) => one)]));
}

function targetsOf(deletion: Deletion, namings: readonly Naming[]): readonly PlanTarget[] {
  const reference = nodeKeyOf(deletion);
  return namings.map((one) => {
    const record = nodeKeyOf(one);
    return { record, reference, restricted: false };
  });
}
