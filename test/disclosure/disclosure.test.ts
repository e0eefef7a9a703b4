// A short run of the campaign over pairs of organizations that differ only in confidential records, and that it notices a service
// that discloses them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import type { Store } from "../../src/store/store.ts";
import { runDisclosureCampaign } from "./disclosure-campaign.ts";

const short = { seed: 1, pairsMax: 40, budgetMs: Infinity } as const;

/** A store in which each deletion that is read has been altered. */
function altering(alter: (deletion: Deletion) => Deletion): (store: Store) => Store {
  return (store) => {
    const findDeletion: Store["findDeletion"] = async (...args) => {
      const found = await store.findDeletion(...args);
      return found && alter(found);
    };
    return new Proxy(store, {
      get: (target, name) => {
        if (name === "findDeletion") return findDeletion;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  };
}

function countOf({ erased }: Deletion): number {
  return (erased["customer_sar"] ?? 0) + (erased["transaction_suspicious_activity"] ?? 0);
}

const leaks: Readonly<Record<string, (deletion: Deletion) => Deletion>> = {
  "counts reports as something else": (deletion) => ({
    ...deletion,
    erased: { ...deletion.erased, person: (deletion.erased["person"] ?? 0) + countOf(deletion) },
  }),
  "takes a millisecond longer for a report": (deletion) => ({
    ...deletion,
    ...(deletion.completedAt === undefined
      ? {}
      : { completedAt: deletion.completedAt + countOf(deletion) }),
  }),
};

describe("two organizations that differ only in confidential records", () => {
  it("are the same to callers without the scope", async () => {
    const { pairs, affected, compared } = await runDisclosureCampaign(short);
    assert.equal(pairs, 40);
    assert.ok(affected > 20 && compared > 30 * pairs, `${affected} affected, ${compared} compared`);
  });

  for (const [what, alter] of Object.entries(leaks)) {
    it(`differ if the service ${what}`, async () => {
      const campaign = { ...short, pairsMax: 15, wrapStore: altering(alter) };
      await assert.rejects(runDisclosureCampaign(campaign), /the worlds of pair \d+ differ/);
    });
  }
});
