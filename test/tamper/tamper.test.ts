// `check` finds each single alteration of what it covers: tables, chains, receipts and the ledger.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runTamperCampaign } from "./tamper-campaign.ts";

const edits = 150;

describe("a store or a ledger that somebody altered", () => {
  it(`is found by check, each of ${edits} times`, async (test) => {
    const seed = 20_261_131;
    const { missed, edits: kinds } = await runTamperCampaign({
      seed,
      editsMax: edits,
      budgetMs: Infinity,
    });
    test.diagnostic(JSON.stringify(kinds));
    assert.deepEqual(missed, [], `npm run tamper -- --seed ${seed} --edits ${edits}`);
    assert.ok(Object.keys(kinds).length >= 9, "most kinds were tried");
  });
});
