// Closings with an export that are killed, or run beside one another, on both engines.

import assert from "node:assert/strict";
import { platform } from "node:os";
import { describe, it } from "node:test";
import { requireNothingFound } from "../../campaign/in-test.ts";
import { crashClosing as campaign } from "./campaign.ts";

const skip =
  platform() === "linux" ? {} : { skip: "needs Linux, which the library kill-at is for" };

describe("organization close with an export", skip, () => {
  for (const engine of ["sqlite", "postgres"] as const) {
    it(`keeps every record in a complete export or in the store, on ${engine}`, async (test) => {
      const run = { campaign, seed: 20_261_123, count: 1, engine };
      const figures = await requireNothingFound(test, "closing", run);
      assert.ok(figures.kills > 0 && figures.beside > 0);
    });
  }
});
