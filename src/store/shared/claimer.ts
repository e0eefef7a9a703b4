// Claims deletions in transactions of an engine, until some are claimed or nothing is due; organizations take turns.
// The index of parties advances where a plan needs it.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { limits } from "../../domain/limits.ts";
import type { Claim, ClaimedDeletion } from "../interface/deletion.ts";
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
  /** What the previous claim found to be large, and did not begin: to plan it again would take long. */
  readonly large: ReadonlySet<string>;
  /** Plans no deletion of records: planning them together has failed, so each is treated as a large one. */
  readonly isApart: boolean;
}

export interface ClaimSteps {
  /** Advances the index of parties for a limited time. A failure ends one claim, and the next one claims without it. */
  readonly indexParties: () => Promise<void>;
  readonly claimSome: (claim: Claim, claiming: Claiming) => Promise<Claimed>;
  /** Undefined if the deletion was not begun. May throw when the process stops. */
  readonly beginLarge: (
    deletion: Deletion,
    claim: Claim,
    stopping?: AbortSignal,
  ) => Promise<Deletion | undefined>;
}

/** How long a claim that begins nothing goes on while it advances the index or plans large deletions. */
const fruitlessMsMax = 5_000;
/** How long a claim begins large deletions, whose organizations others wait for. */
const largeMsMax = 500;

export function makeClaimer(steps: ClaimSteps): Store["claimDeletions"] {
  const { claimSome, beginLarge, indexParties } = steps;
  let turn = "";
  let large: readonly Deletion[] = [];
  let isBehind = false;
  return async ({ stopping, ...claim }, deletionsMax) => {
    const isStopping = () => stopping?.aborted === true;
    const until = performance.now() + fruitlessMsMax;
    for (let checks = 0; checks < limits.fruitlessChecksMax; checks += 1) {
      if (isBehind) {
        isBehind = false;
        await indexParties();
      }
      const claiming = {
        deletionsMax: Math.min(deletionsMax, limits.deletionsClaimedAtOnceMax),
        turn,
        large: new Set(large.map(({ deletionRequestId }) => deletionRequestId)),
      };
      const batch = await claimSome(claim, { ...claiming, isApart: false }).catch(
        async (failure: unknown) => {
          // Perhaps one deletion is to blame, which must not keep the others from being begun.
          const apart = await claimSome(claim, { ...claiming, isApart: true });
          if (apart.large.length === 0) throw failure;
          return apart;
        },
      );
      ({ turn, large, isBehind } = batch);
      const claimed: ClaimedDeletion[] = [...batch.claimed];
      const largeUntil = performance.now() + largeMsMax;
      for (const one of batch.large) {
        large = large.slice(1);
        const begun = await beginLarge(one, leasedFromNow(claim), stopping).catch(
          (failure: unknown) => (isStopping() ? undefined : { ...one, failure }),
        );
        if (begun !== undefined) claimed.push(begun);
        if (performance.now() <= largeUntil && !isStopping()) continue;
        turn = one.restrictedOf ?? one.organizationId;
        break;
      }
      if (claimed.length > 0 || batch.checked === 0 || isStopping()) return claimed;
      const isSlow = isBehind || batch.large.length > 0;
      if (isSlow && performance.now() > until) return [];
    }
    return [];
  };
}

/** The lease is read when the deletion begins: its plan may have taken longer than a lease. */
function leasedFromNow(claim: Claim): Claim {
  const startedAt = performance.now();
  return {
    ...claim,
    get leaseUntil() {
      return claim.leaseUntil + Math.round(performance.now() - startedAt);
    },
  };
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
