// Claims deletions in transactions of an engine, until some are claimed or nothing is due; organizations take turns.
// The index of parties advances where a plan needs it.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { limits } from "../../domain/limits.ts";
import type { Claim } from "../interface/deletion.ts";
import type { Store } from "../interface/store.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** If nothing was claimed, what was checked has to wait, and more may be due; if nothing was checked, nothing is. */
export interface Claimed {
  readonly claimed: readonly Deletion[];
  /** Deletions whose plan does not fit in this transaction. */
  readonly large: readonly Deletion[];
  /** Whether the index of parties has to advance before some of the deletions that are due can be planned. */
  readonly isBehind: boolean;
  readonly checked: number;
  /** The organization that had the last turn. */
  readonly turn: string;
}

export interface Claiming {
  readonly deletionsMax: number;
  /** The organization that had the last turn in the previous claim; empty if there was none. */
  readonly turn: string;
}

export interface ClaimSteps {
  /** Advances the index of parties for a limited time. */
  readonly indexParties: () => Promise<void>;
  readonly claimSome: (claim: Claim, claiming: Claiming) => Promise<Claimed>;
  /** Undefined if the deletion was not begun. */
  readonly beginLarge: (deletion: Deletion, claim: Claim) => Promise<Deletion | undefined>;
  readonly postponeLarge: (failed: FailedLarge) => Promise<void>;
}

/** A large deletion that could not be begun. */
export interface FailedLarge {
  readonly deletion: Deletion;
  readonly why: string;
  readonly retryAt: number;
}

/** How long a claim that begins nothing goes on while it advances the index or plans large deletions. */
const fruitlessMsMax = 5_000;
/** How long a claim begins large deletions, whose organizations others wait for. */
const largeMsMax = 500;

export function makeClaimer(steps: ClaimSteps): Store["claimDeletions"] {
  const { claimSome, indexParties } = steps;
  let turn = "";
  return async (claim, deletionsMax) => {
    const until = performance.now() + fruitlessMsMax;
    for (let checks = 0; checks < limits.fruitlessChecksMax; checks += 1) {
      const atOnce = Math.min(deletionsMax, limits.deletionsClaimedAtOnceMax);
      const found = await claimSome(claim, { deletionsMax: atOnce, turn });
      const { claimed, large, checked, isBehind } = found;
      ({ turn } = found);
      const begun = [...claimed];
      try {
        if (isBehind) await indexParties();
        const last = await beginSome(large, { claim, begun, steps });
        if (last !== undefined) turn = last.restrictedOf ?? last.organizationId;
      } catch (error) {
        // What is claimed would wait until its lease ends.
        if (begun.length === 0) throw error;
      }
      if (begun.length > 0) return begun;
      const isSlow = isBehind || large.length > 0;
      if (checked === 0 || (isSlow && performance.now() > until)) return [];
    }
    return [];
  };
}

interface Beginning {
  readonly claim: Claim;
  readonly begun: Deletion[];
  readonly steps: ClaimSteps;
}

/**
 * Several, because all that are due are planned again before the next claim. Returns the one that ended the time, after
 * whose organization the others have their turn.
 */
async function beginSome(
  large: readonly Deletion[],
  { claim, begun, steps }: Beginning,
): Promise<Deletion | undefined> {
  const until = performance.now() + largeMsMax;
  for (const one of large) {
    try {
      const deletion = await steps.beginLarge(one, claim);
      if (deletion !== undefined) begun.push(deletion);
    } catch (error) {
      const failed = { deletion: one, why: String(error), retryAt: claim.leaseUntil };
      await steps.postponeLarge(failed);
      throw error;
    }
    if (performance.now() > until) return one;
  }
  return undefined;
}

/** After this time the caller serves other work. */
const indexingMsMax = 1_000;

export interface PartyIndexing {
  readonly settledArrival: Store["settledArrival"];
  readonly index: Store["parties"]["index"];
}

export function makePartyIndexing({ settledArrival, index }: PartyIndexing): () => Promise<void> {
  return async () => {
    const until = performance.now() + indexingMsMax;
    for (let more = true; more && performance.now() < until;) {
      const beganAt = performance.now();
      more = await index((await settledArrival()).settled);
      if (more) await sleep(performance.now() - beganAt);
    }
  };
}
