// `check` finds each single alteration of what it covers: tables, chains, receipts and the ledger.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireNothingFound, shortRun } from "../campaign/in-test.ts";
import { alterMany, tamper } from "./campaign.ts";
import { openTestStore } from "../support/test-store.ts";

describe("an altered store or ledger", () => {
  it("is found by check each time", async (test) => {
    const run = { campaign: tamper, seed: 20_261_131, count: 30 };
    const kinds = await requireNothingFound(test, "tamper", run);
    assert.ok(Object.keys(kinds).length >= 9, "most kinds were tried");
  });

  it("would be missed by a check of the store alone", async () => {
    const run = shortRun({ seed: 2, count: 60 });
    const { findings } = await alterMany(run, async (folder) => {
      const store = await openTestStore(`sqlite:${folder}/sluice.db`, { role: "command" });
      try {
        return !(await store.checkIntegrity()).ok;
      } catch {
        // A check that can't be completed, as of a chain without an end, found something too.
        return true;
      } finally {
        await store.close();
      }
    });
    for (const kind of ["end of the trail", "line of the ledger", "value of a row"]) {
      assert.ok(
        findings.some((one) => one.startsWith(kind)),
        `${kind}: ${findings.join("\n")}`,
      );
    }
  });
});
