// How deletions are claimed whose plans are too large for the transaction that claims others.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Deletion } from "../../../src/domain/deletion/deletion.ts";
import { makeClaimer } from "../../../src/store/shared/claimer.ts";

const claim = { now: 0, leaseUntil: 1, claimant: "test" };

function deletion(deletionRequestId: string): Deletion {
  return { deletionRequestId } as Deletion;
}

describe("several large deletions", () => {
  it("are begun by one claim, after which all that are due would be planned again", async () => {
    const [small, held, ...large] = ["small", "held", "one", "two"].map(deletion);
    const claims: number[] = [];
    const claimDeletions = makeClaimer({
      indexParties: async () => undefined,
      claimSome: async (_, { deletionsMax }) => {
        claims.push(deletionsMax);
        const all = [held, ...large].flatMap((one) => one ?? []);
        return { claimed: small ? [small] : [], large: all, isBehind: false, checked: 4, turn: "" };
      },
      beginLarge: async (one) => (one === held ? undefined : one),
    });
    const claimed = await claimDeletions(claim, 10);
    assert.deepEqual([claimed, claims], [[small, ...large], [10]]);
  });
});
