// A short run of the campaign over pairs of organizations that differ only in confidential records, and that it notices a service
// that discloses them.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import type { Store } from "../../src/store/store.ts";
import { type Service, startService } from "../support/service.ts";
import { runDisclosureCampaign, serviceOptions, withMethods } from "./disclosure-campaign.ts";

type Alter = (deletion: Deletion) => Deletion;

/** What the service does to each deletion that it reads. */
let alter: Alter = (deletion) => deletion;

function altering(store: Store): Store {
  const findDeletion: Store["findDeletion"] = async (...args) => {
    const found = await store.findDeletion(...args);
    return found && alter(found);
  };
  return withMethods(store, { findDeletion });
}

function countOf({ erased, kept }: Deletion): number {
  return ["customer_sar", "transaction_suspicious_activity"].reduce(
    (sum, type) => sum + (erased[type] ?? 0) + (kept[type] ?? 0),
    0,
  );
}

const leaks: readonly (readonly [what: string, seed: number, Alter])[] = [
  [
    "counts reports as something else",
    1_001,
    (deletion) => ({
      ...deletion,
      erased: { ...deletion.erased, person: (deletion.erased["person"] ?? 0) + countOf(deletion) },
    }),
  ],
  [
    "takes a millisecond longer for a report",
    2_001,
    (deletion) => {
      const { completedAt } = deletion;
      if (completedAt === undefined) return deletion;
      return { ...deletion, completedAt: completedAt + countOf(deletion) };
    },
  ],
];

describe("two organizations that differ only in confidential records", () => {
  let service: Service;
  before(async () => (service = await startService({ ...serviceOptions, wrapStore: altering })));
  after(() => service.stop());

  function run(seed: number, pairsMax: number) {
    return runDisclosureCampaign({ service, seed, pairsMax, budgetMs: Infinity });
  }

  it("are the same to callers without the scope", async () => {
    const { pairs, affected, compared } = await run(1, 25);
    assert.equal(pairs, 25);
    assert.ok(affected > 5 && compared > 30 * pairs, `${affected} affected, ${compared} compared`);
  });

  for (const [what, seed, leak] of leaks) {
    it(`differ if the service ${what}`, async () => {
      alter = leak;
      await assert.rejects(run(seed, 8), /the worlds of pair \d+ differ/);
    });
  }
});
