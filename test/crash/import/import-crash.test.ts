// An importer that is killed and started again imports each row exactly once; and the check would notice a store in
// which it does not.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CampaignRun } from "../../campaign/campaign.ts";
import { requireNothingFound } from "../../campaign/in-test.ts";
import { makeRandom } from "../../support/random.ts";
import { keyOf } from "../ledger.ts";
import { killImporters } from "./campaign.ts";
import { type Book, compareBook, makeAdds, makeUpdates } from "./rows.ts";

const kills = 2;

describe("an importer that is killed and started again", () => {
  it(`has every row in the store once, and no other, after ${kills} kills`, async (test) => {
    const campaign = { run: (run: CampaignRun) => killImporters(run, 3_000) };
    const run = { campaign, seed: 20_261_121, count: kills };
    const figures = await requireNothingFound(test, "import", run);
    assert.equal(figures["kills"], kills);
    assert.ok((figures["changes"] ?? 0) > 1_000);
  });

  it("would be found with a change that is missing, repeated, in another order or in no file", () => {
    const book: Book = new Map();
    const input = { format: "csv", rows: 50, random: makeRandom(1) } as const;
    for (const make of [makeAdds, makeUpdates]) make(book, input);
    const [id = ""] = [...book].find(([, changes]) => changes.length > 1) ?? [];
    const find = (alter: (payloads: string[]) => string[], named = id) => {
      const records = [...book].map(([resourceId, changes]) => {
        const texts = changes.map((change) => JSON.stringify(change));
        const payloads = resourceId === id ? alter(texts) : texts;
        const key = { organizationId: "o", resourceType: "transaction", resourceId };
        const name = resourceId === id ? named : resourceId;
        return [
          keyOf({ ...key, resourceId: name }),
          { payloads, firstSeen: "", lastSeen: "" },
        ] as const;
      });
      return compareBook(book, { records: new Map(records), faults: [] }).length;
    };
    assert.deepEqual(
      [
        find((all) => all),
        find((all) => all.slice(1)),
        find((all) => [...all, all.at(-1) ?? ""]),
        find((all) => all.toReversed()),
        find((all) => all, "another"),
      ],
      [0, 1, 1, 1, 2],
    );
  });
});
