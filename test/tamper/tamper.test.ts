// `check` finds each single alteration of what it covers: tables, chains, receipts and the ledger.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openStore } from "../../src/store/open-store.ts";
import { runTamperCampaign } from "./tamper-campaign.ts";

const edits = 150;

describe("an altered store or ledger", () => {
  it(`is found by check, each of ${edits} times`, async (test) => {
    const seed = 20_261_131;
    const { missed, edits: kinds } = await runTamperCampaign({
      seed,
      editsMax: edits,
      budgetMs: Infinity,
    });
    test.diagnostic(JSON.stringify(kinds));
    assert.deepEqual(missed, [], `npm run campaign -- tamper --seed ${seed} --count ${edits}`);
    assert.ok(Object.keys(kinds).length >= 9, "most kinds were tried");
  });

  it("would be missed by a check of the store alone", async () => {
    const { missed } = await runTamperCampaign({
      seed: 2,
      editsMax: 60,
      budgetMs: Infinity,
      check: async (folder) => {
        const store = await openStore(`sqlite:${folder}/sluice.db`, { role: "command" });
        try {
          return !(await store.checkIntegrity()).ok;
        } catch {
          // A check that can't be completed, as of a chain without an end, found something too.
          return true;
        } finally {
          await store.close();
        }
      },
    });
    for (const kind of ["end of the trail", "line of the ledger", "value of a row"]) {
      assert.ok(
        missed.some((one) => one.startsWith(kind)),
        `${kind}: ${missed.join("\n")}`,
      );
    }
  });
});
