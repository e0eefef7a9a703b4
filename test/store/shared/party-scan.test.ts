// The passes of the scan for records that name erased parties: shared, interrupted, continued, and repeated.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PartyErasing, ScanSource } from "../../../src/store/shared/party-scan.ts";
import { scanForParties } from "../../../src/store/shared/party-scan.ts";
import type { ScanProgress } from "../../../src/store/interface/naming.ts";
import { deletionOf } from "../../receipt/scene.ts";

interface Scene {
  readonly source: ScanSource;
  /** The pages that were read: where each began, and for whom. */
  readonly pages: (readonly [after: string, parties: readonly string[]])[];
  readonly added: string[];
  readonly notes: Map<string, ScanProgress>;
}

/** Records of which some name `p`, and the last one `q`. */
function makeScene(
  records: number,
  { held = new Set<string>(), every = 100 }: { held?: ReadonlySet<string>; every?: number } = {},
): Scene {
  const ids = Array.from({ length: records }, (_, index) => `t${String(index).padStart(6, "0")}`);
  const namesOf = (id: string) => [
    ...(Number(id.slice(1)) % every === 0 ? ["p"] : []),
    ...(id === ids.at(-1) ? ["q"] : []),
  ];
  const scene: Omit<Scene, "source"> = { pages: [], added: [], notes: new Map() };
  const source: ScanSource = {
    latestArrival: async () => 77,
    readPage: async ({ parties, after, recordsMax }) => {
      scene.pages.push([after?.resourceId ?? "", parties]);
      const from = after === undefined ? 0 : ids.indexOf(after.resourceId) + 1;
      const page = ids.slice(from, from + recordsMax);
      const last = page.length === recordsMax ? page.at(-1) : undefined;
      const namings = page.map((resourceId) => {
        const named = namesOf(resourceId).filter((one) => parties.includes(one));
        return { resourceType: "transaction", resourceId, parties: named };
      });
      return {
        namings: namings.filter((one) => one.parties.length > 0),
        last: last === undefined ? undefined : { resourceType: "transaction", resourceId: last },
      };
    },
    addTargets: async ({ resourceId }, targets) => {
      if (held.has(resourceId)) return "obstacle";
      scene.added.push(...targets.map(({ record }) => `${resourceId} ${record}`));
      return "added";
    },
    note: async ({ deletionRequestId }, progress) =>
      void scene.notes.set(deletionRequestId, progress),
  };
  return { ...scene, source };
}

function erasing(id: string, fields: Partial<PartyErasing["erasure"]> = {}): PartyErasing {
  const deletion = deletionOf({
    deletionRequestId: `del_${id}`,
    resourceType: "person",
    resourceId: id,
  });
  const erasure = { pseudonym: "x", pass: undefined, verifiedTo: undefined, ...fields };
  return { deletion, erasure };
}

describe("a scan for parties", () => {
  it("serves all deletions with one pass, and verifies those of which it finds nothing", async () => {
    const { source, pages, added, notes } = makeScene(2_500);
    const results = await scanForParties(
      source,
      ["p", "q", "nobody"].map((id) => erasing(id)),
    );
    assert.deepEqual(Object.fromEntries(results), {
      del_p: "found",
      del_q: "found",
      del_nobody: "verified",
    });
    assert.equal(pages.length, 3);
    assert.ok(pages.every(([, parties]) => parties.join() === "p,q,nobody"));
    assert.equal(added.length, 25 + 1);
    assert.ok(added.includes("q transaction/t002499"));
    assert.deepEqual(notes.get("del_nobody"), { verifiedTo: 77 });
    // The next pass begins at the first record.
    assert.deepEqual(notes.get("del_p"), { pass: undefined });
  });

  it("is interrupted when it has found many, and continues where it was", async () => {
    const { source, pages, added, notes } = makeScene(12_000, { every: 1 });
    const results = await scanForParties(source, [erasing("p")]);
    assert.equal(results.get("del_p"), "scanning");
    const noted = notes.get("del_p");
    assert.ok(noted !== undefined && "pass" in noted && noted.pass !== undefined);
    assert.equal(noted.pass.found, true);
    assert.equal(added.length, 10_000);
    const before = pages.length;
    const { after, upTo } = noted.pass;
    assert.equal(upTo, 77);
    await scanForParties(source, [erasing("p", { pass: noted.pass })]);
    assert.equal(pages[before]?.[0], after?.resourceId);
  });

  it("begins a common pass for deletions of which one has not come as far", async () => {
    const { source, pages } = makeScene(10);
    const pass = {
      upTo: 5,
      after: { resourceType: "transaction", resourceId: "t000004" },
      found: true,
    };
    const results = await scanForParties(source, [erasing("p", { pass }), erasing("nobody")]);
    assert.deepEqual(pages[0], ["", ["p", "nobody"]]);
    assert.equal(results.get("del_nobody"), "verified");
    // Both have come as far: the pass continues, and remembers that it has found something.
    const same = ["q", "nobody"].map((id) => erasing(id, { pass }));
    const [, again] = [pages.length, await scanForParties(source, same)];
    assert.equal(pages.at(-1)?.[0], "t000004");
    assert.equal(again.get("del_nobody"), "found");
  });

  it("stops for a deletion that a hold prevents, and reads nothing for one that is verified", async () => {
    const { source, pages, notes } = makeScene(1_500, { held: new Set(["p"]) });
    const results = await scanForParties(source, [
      erasing("p"),
      erasing("q"),
      erasing("done", { verifiedTo: 3 }),
    ]);
    assert.deepEqual(Object.fromEntries(results), {
      del_done: "verified",
      del_p: "held",
      del_q: "found",
    });
    assert.deepEqual(
      pages.map(([, parties]) => parties),
      [["p", "q"], ["q"]],
    );
    assert.equal(notes.has("del_p"), false);
  });
});
