// A draft needs a row, and one more for each relation; lists are divided by this number.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { countDraftRows, partsOf } from "../../../src/domain/record/draft-rows.ts";
import type { Draft } from "../../../src/domain/record/record-write.ts";

function draft(id: string, relations: number): Draft {
  const reference = { to: "transaction", id: "t", kind: "belongs" } as const;
  const references = Array.from({ length: relations }, () => reference);
  return { id, timestamp: "", payload: "{}", references };
}

/** The ids of each part, for drafts with these numbers of relations. */
function idsOf(relations: readonly number[]): readonly string[] {
  const drafts = relations.map((count, index) => draft(`${index}`, count));
  const parts = partsOf(drafts, { itemsMax: 3, rowsMax: 10 });
  return parts.map((part) => part.map(({ id }) => id).join(""));
}

describe("the rows of drafts", () => {
  it("are one for each draft, and one for each relation", () => {
    assert.equal(countDraftRows([]), 0);
    assert.equal(countDraftRows([draft("a", 0), draft("b", 3)]), 5);
  });

  it("limit the parts of a list, and so does the number of drafts", () => {
    assert.deepEqual(idsOf([]), []);
    assert.deepEqual(idsOf([0, 0, 0, 0]), ["012", "3"]);
    assert.deepEqual(idsOf([4, 4, 4]), ["01", "2"]);
    assert.deepEqual(idsOf([100, 0, 9, 0]), ["0", "1", "2", "3"]);
  });
});
