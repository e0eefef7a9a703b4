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

  it("of which one fails are returned with its failure, and keep no other from being begun", async () => {
    const [small, failing, large] = ["small", "failing", "large"].map(deletion);
    const error = new Error("timeout");
    const claimDeletions = makeClaimer(
      stepsOf({
        claimSome: async () => ({
          claimed: [small].flatMap((one) => one ?? []),
          large: [failing, large].flatMap((one) => one ?? []),
          isBehind: false,
          checked: 3,
          turn: "",
        }),
        beginLarge: async (one) => {
          if (one === failing) throw error;
          return one;
        },
      }),
    );
    const claimed = await claimDeletions(claim, 10);
    assert.deepEqual(claimed, [small, { ...failing, failure: error }, large]);
  });

  it("that a claim has no time for are not planned again by the next one", async (test) => {
    let now = 0;
    test.mock.method(performance, "now", () => now);
    const known: unknown[] = [];
    const claimDeletions = makeClaimer(
      stepsOf({
        claimSome: async (_, { large }) => {
          known.push([...large]);
          const all = ["one", "two", "three"].map(deletion);
          return { claimed: [], large: all, isBehind: false, checked: 3, turn: "" };
        },
        beginLarge: async (one) => {
          now += 1_000;
          return one;
        },
      }),
    );
    for (const _ of [1, 2]) await claimDeletions(claim, 10);
    assert.deepEqual(known, [[], ["two", "three"]]);
  });

  it("have a whole lease when their plans are complete", async (test) => {
    let now = 0;
    test.mock.method(performance, "now", () => now);
    const leases: number[] = [];
    const large = [deletion("large")];
    const claimDeletions = makeClaimer(
      stepsOf({
        claimSome: async () => ({ claimed: [], large, isBehind: false, checked: 1, turn: "" }),
        beginLarge: async (one, own) => {
          now += 90_000;
          leases.push(own.leaseUntil);
          return one;
        },
      }),
    );
    await claimDeletions({ ...claim, leaseUntil: 60_000 }, 10);
    assert.deepEqual(leases, [150_000]);
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

describe("the index of parties", () => {
  const small = deletion("small");
  const claimSome: ClaimSteps["claimSome"] = async () => {
    return { claimed: [small], large: [], isBehind: true, checked: 2, turn: "" };
  };

  it("advances although each claim begins something else", async () => {
    let rounds = 0;
    const indexParties = async (): Promise<void> => void (rounds += 1);
    const claimDeletions = makeClaimer(stepsOf({ claimSome, indexParties }));
    for (const _ of [1, 2, 3]) assert.deepEqual(await claimDeletions(claim, 10), [small]);
    assert.equal(rounds, 2);
  });

  it("that fails keeps nothing else from being claimed", async () => {
    const steps = stepsOf({ claimSome, indexParties: () => Promise.reject(new Error("timeout")) });
    const claimDeletions = makeClaimer(steps);
    assert.deepEqual(await claimDeletions(claim, 10), [small]);
    await assert.rejects(claimDeletions(claim, 10), /timeout/u);
    assert.deepEqual(await claimDeletions(claim, 10), [small]);
  });
});
