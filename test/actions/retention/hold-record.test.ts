// Legal holds as operators place them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { holdRecord } from "../../../src/actions/retention/holds.ts";
import { keyOf } from "../../conformance/scene.ts";

describe("a hold that an operator places", () => {
  for (const reviewOn of ["2026-02-30", "tomorrow", ""]) {
    it(`is not placed with the review date ${JSON.stringify(reviewOn)}`, async () => {
      const placing = holdRecord({} as App, keyOf("transaction", "t"), { reason: "x", reviewOn });
      await assert.rejects(placing, { errorName: "invalid" });
    });
  }
});
