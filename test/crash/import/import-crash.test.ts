// An importer that is killed and started again imports each row exactly once; and the check would
// notice a store in which it does not.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CampaignRun } from "../../campaign/campaign.ts";
import { requireNothingFound } from "../../campaign/in-test.ts";
import { makeRandom } from "../../support/random.ts";
import { keyOf } from "../ledger.ts";
import { killImporters } from "./campaign.ts";
import { compareBook } from "./check.ts";
import { type Book, makeAdds, makeUpdates } from "./input.ts";
import { organizationId } from "./place.ts";

const kills = 2;

describe("an importer that is killed and started again", () => {
  it(`has every row in the store once, and no other, after ${kills} kills`, async (test) => {
    const campaign = { run: (run: CampaignRun) => killImporters(run, 3_000) };
    const run = { campaign, seed: 20_261_121, count: kills };
    const figures = await requireNothingFound(test, "import", run);
    assert.equal(figures.kills, kills);
    assert.ok(figures.changes > 1_000);
  });
});

describe("the check of a store after imports", () => {
  const random = makeRandom(1);
  const book: Book = new Map();
  makeAdds(book, { format: "csv", rows: 50, random });
  makeUpdates(book, { format: "csv", rows: 50, random });
  const [id = ""] = book.keys();
  const key = keyOf({ organizationId, resourceType: "transaction", resourceId: id });

  function makeStored(): Map<string, string[]> {
    return new Map(
      [...book].map(([resourceId, changes]) => [
        keyOf({ organizationId, resourceType: "transaction", resourceId }),
        changes.map((change) => JSON.stringify(change)),
      ]),
    );
  }

  it("finds nothing where each change is stored once", () => {
    assert.deepEqual(compareBook(book, makeStored()), []);
  });

  it("finds a missing record, and one that is in no file", () => {
    const stored = makeStored();
    stored.delete(key);
    stored.set("another", []);
    assert.deepEqual(compareBook(book, stored), [`${id} is missing`, "another is in no file"]);
  });

  it("finds a duplicate change", () => {
    const stored = makeStored();
    stored.get(key)?.push(JSON.stringify(book.get(id)?.at(-1)));
    assert.match(compareBook(book, stored).join(), /has \d+ changes instead of \d+$/);
  });

  it("finds changes in another order", () => {
    const stored = makeStored();
    const longest = [...stored.values()].toSorted((one, other) => other.length - one.length)[0];
    assert.ok((longest?.length ?? 0) > 1);
    longest?.reverse();
    assert.match(compareBook(book, stored).join(), /in another order$/);
  });
});
