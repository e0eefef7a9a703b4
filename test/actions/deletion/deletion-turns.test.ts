// Organizations take turns in the steps of their deletions, however many deletions each of them has.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { afterTurnOf, inTurn } from "../../../src/actions/deletion/deletion-turns.ts";
import { processDeletions } from "../../../src/actions/deletion/process-deletions.ts";
import type { Deletion } from "../../../src/domain/deletion/deletion.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { acme, draftOf, keyOf, other, transaction } from "../../conformance/scene.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { testEnvironment } from "../../support/service.ts";
import { StoreFaults } from "../../support/store-faults.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { withActs } from "../../support/test-store.ts";

const clock = makeFakeClock();
const config = readConfig(testEnvironment(makeTempFolder()));
const opened = await openApp(config, { role: "serve", now: clock.now });
after(() => opened.close());

const waiting = ["a1", "a2", "a3", "b1", "b2", "c1"].map((name) => ({
  name,
  deletion: { organizationId: name.slice(0, 1) } as Deletion,
}));

function namesOf(all: readonly { readonly name: string }[]): string {
  return all.map(({ name }) => name).join(" ");
}

describe("the turns of organizations", () => {
  it("begin with the first deletion of each", () => {
    assert.equal(namesOf(inTurn(waiting)), "a1 b1 c1 a2 b2 a3");
  });

  it("go on with another organization after a step, and then with another deletion", () => {
    let all: readonly (typeof waiting)[number][] = waiting;
    const served: string[] = [];
    for (let step = 0; step < 7; step += 1) {
      const [first] = inTurn(all);
      assert.ok(first);
      served.push(first.name);
      all = afterTurnOf(first, all);
    }
    assert.equal(served.join(" "), "a1 b1 c1 a2 b2 c1 a3");
  });

  it("count a restricted set for the organization that it was moved from", () => {
    const set = { organizationId: "set", restrictedOf: "a" } as Deletion;
    const all = [...waiting, { name: "set", deletion: set }];
    assert.equal(namesOf(inTurn(all)), "a1 b1 c1 a2 b2 a3 set");
  });
});

describe("a deletion of several steps beside many of another organization", () => {
  it("waits for at most one step of theirs each time", async (test) => {
    const store = withActs(opened.store);
    const request = async (id: string, organizationId: string) => {
      const checks = Array.from({ length: 70 }, (_, index) =>
        draftOf("transaction_check", `${id}-${index}`, { related_tx_ids: [id] }),
      );
      await store.write(transaction(id), { organizationId });
      await store.write(checks, { organizationId, resourceType: "transaction_check" });
      const key = keyOf("transaction", id, organizationId);
      return await store.request(key, { now: clock.now() });
    };
    for (const id of ["t1", "t2", "t3", "t4"]) await request(id, acme);
    const late = new Set<string>();
    const steps: string[][] = [];
    const faults = new StoreFaults();
    faults.replace("eraseStep", async (ids, _, act) => {
      if (late.size === 0) late.add(await request("late", other));
      steps.push(ids.slice(0, 2).map((id) => (late.has(id) ? "late" : "one")));
      return store.eraseStep(ids.slice(0, 1), 30, act);
    });
    let now = 0;
    test.mock.method(performance, "now", () => (now += 1_000));
    const options = { claimant: "test", stopping: new AbortController().signal };
    await processDeletions({ ...opened, store: faults.wrap(store) }, options);
    const turns = [
      ["one", "one"],
      ...[1, 2, 3].flatMap(() => [
        ["one", "late"],
        ["late", "one"],
      ]),
    ];
    assert.deepEqual(steps.slice(0, turns.length), turns);
    assert.ok(!steps.slice(turns.length).flat().includes("late"));
    await store.requireConsistent();
  });
});
