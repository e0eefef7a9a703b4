// How deletions are claimed whose plans are too large for the transaction that claims others.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Deletion } from "../../../src/domain/deletion/deletion.ts";
import { type ClaimSteps, makeClaimer } from "../../../src/store/shared/claimer.ts";

const claim = { now: 0, leaseUntil: 1, claimant: "test" };

function deletion(deletionRequestId: string): Deletion {
  return { deletionRequestId, organizationId: `organization of ${deletionRequestId}` } as Deletion;
}

function stepsOf(some: Partial<ClaimSteps>): ClaimSteps {
  return {
    indexParties: async () => undefined,
    claimSome: async () => ({ claimed: [], large: [], isBehind: false, checked: 0, turn: "" }),
    beginLarge: async (one) => one,
    postponeLarge: async () => undefined,
    ...some,
  };
}

describe("several large deletions", () => {
  it("are begun by one claim, after which all that are due would be planned again", async () => {
    const [small, held, ...large] = ["small", "held", "one", "two"].map(deletion);
    const claims: number[] = [];
    const claimDeletions = makeClaimer(
      stepsOf({
        claimSome: async (_, { deletionsMax }) => {
          claims.push(deletionsMax);
          const all = [held, ...large].flatMap((one) => one ?? []);
          const claimed = small ? [small] : [];
          return { claimed, large: all, isBehind: false, checked: 4, turn: "" };
        },
        beginLarge: async (one) => (one === held ? undefined : one),
      }),
    );
    const claimed = await claimDeletions(claim, 10);
    assert.deepEqual([claimed, claims], [[small, ...large], [10]]);
  });

  it("leave the next turn to other organizations", async (test) => {
    let now = 0;
    test.mock.method(performance, "now", () => now);
    const turns: string[] = [];
    const claimDeletions = makeClaimer(
      stepsOf({
        claimSome: async (_, { turn }) => {
          turns.push(turn);
          const large = ["one", "two"].map(deletion);
          return { claimed: [], large, isBehind: false, checked: 2, turn: "organization of two" };
        },
        beginLarge: async (one) => {
          now += 1_000;
          return one;
        },
      }),
    );
    for (const _ of [1, 2]) await claimDeletions(claim, 10);
    assert.deepEqual(turns, ["", "organization of one"]);
  });

  it("of which one fails are postponed, and keep no other from being processed", async () => {
    const [small, failing] = ["small", "failing"].map(deletion);
    let claimed = [small].flatMap((one) => one ?? []);
    const postponed: unknown[] = [];
    const claimDeletions = makeClaimer(
      stepsOf({
        claimSome: async () => {
          const large = failing ? [failing] : [];
          return { claimed, large, isBehind: false, checked: 2, turn: "" };
        },
        beginLarge: async () => {
          throw new Error("timeout");
        },
        postponeLarge: async (failed) => void postponed.push(failed),
      }),
    );
    assert.deepEqual(await claimDeletions(claim, 10), [small]);
    assert.deepEqual(postponed, [
      { deletion: failing, why: "Error: timeout", retryAt: claim.leaseUntil },
    ]);
    claimed = [];
    await assert.rejects(claimDeletions(claim, 10), /timeout/);
  });

  it("that all wait end the claim after some time", async (test) => {
    let now = 0;
    test.mock.method(performance, "now", () => (now += 1_000));
    const claimDeletions = makeClaimer(
      stepsOf({
        claimSome: async () => {
          const large = [deletion("held")];
          return { claimed: [], large, isBehind: false, checked: 1, turn: "" };
        },
        beginLarge: async () => undefined,
      }),
    );
    assert.deepEqual(await claimDeletions(claim, 10), []);
    assert.ok(now < 20_000);
  });
});
