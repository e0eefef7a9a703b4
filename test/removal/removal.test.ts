// The campaign that removes features, on one of them, and how it edits a list.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireNothingFound } from "../campaign/in-test.ts";
import { features } from "./campaign.ts";
import { withoutFeature } from "./remove-feature.ts";

describe("features that are removed", () => {
  it("leave what types, house rules and documents are without any", async (test) => {
    const [first = ""] = features.parts ?? [];
    const only = [first];
    await requireNothingFound(test, "features", { campaign: features, seed: 1, count: 1, only });
  });

  const list = `import type { Feature } from "./feature.ts";
import { one } from "./one/feature.ts";
import { part as oneParts, more } from "./one/parts.ts";
import { ones } from "./ones/feature.ts";

export const features: readonly Feature[] = [ones, one, ...oneParts, more];
`;

  it("takes its imports and their names out of a list, and no others", () => {
    assert.equal(
      withoutFeature(list, "one"),
      `import type { Feature } from "./feature.ts";
import { ones } from "./ones/feature.ts";

export const features: readonly Feature[] = [ones,];
`,
    );
    assert.equal(withoutFeature(list, "two"), list);
  });
});
