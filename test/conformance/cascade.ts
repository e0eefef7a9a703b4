// What an erasure removes, which references it redacts, and that it finds records that arrive while
// it runs.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Engine, openSite } from "./engine.ts";
import { draftOf, keyOf } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

/** Which of these records exist, as `type/id`. */
async function existing(store: TestStore, names: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names) {
    const [type = "", id = ""] = name.split("/");
    if (await store.exists(keyOf(type, id))) found.push(name);
  }
  return found;
}

export function testCascade(engine: Engine): void {
  describe(`${engine.name}: erasing a record`, () => {
    it("cascades to what belongs to it, at any depth", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "t");
      await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
      await store.add("transaction_alert", "a", { related_check_id: "c" });
      await store.add("transaction_suspicious_activity", "s", { related_alert_id: "a" });
      await store.add("screening", "n", { related_tx_id: "t" });
      await store.add("screening", "m");
      const deletion = await store.erase("transaction", "t");
      assert.deepEqual(deletion.erased, {
        transaction: 1,
        transaction_check: 1,
        transaction_alert: 1,
        transaction_suspicious_activity: 1,
        screening: 1,
      });
      assert.deepEqual(await store.countRecords("org_acme"), { screening: 1 });
    });

    it("keeps a record that also belongs to others, without the reference in any of its changes", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "gone");
      await store.add("transaction", "stays");
      const related = [["gone", "stays"], ["gone"], ["stays", "gone", "elsewhere"]];
      for (const [index, related_tx_ids] of related.entries()) {
        await store.write(draftOf("transaction_alert", "a", { related_tx_ids }), {
          resourceType: "transaction_alert",
          mode: index === 0 ? "add" : "update",
        });
      }
      const before = await store.readHistory(keyOf("transaction_alert", "a"));
      const deletion = await store.erase("transaction", "gone");
      assert.deepEqual(deletion.erased, { transaction: 1 });
      assert.equal(deletion.redacted, 1);
      const payloads = await store.payloadsOf(keyOf("transaction_alert", "a"));
      assert.deepEqual(
        payloads.map(({ related_tx_ids }) => related_tx_ids),
        [["stays"], [], ["stays", "elsewhere"]],
      );
      const after = await store.readHistory(keyOf("transaction_alert", "a"));
      assert.equal(after?.firstSeen, before?.firstSeen);
      assert.deepEqual(
        after?.changes.map(({ changeNo }) => changeNo),
        before?.changes.map(({ changeNo }) => changeNo),
      );
      // A payload is identical if it equals any change in its current form, the first or a later
      // one.
      const resourceType = "transaction_alert";
      const answers = async (lists: readonly string[][]) => {
        const drafts = lists.map((ids) => draftOf(resourceType, "a", { related_tx_ids: ids }));
        return (await store.write(drafts, { resourceType, lenient: true })).drafts;
      };
      const now = [["stays"], [], ["stays", "elsewhere"]];
      assert.deepEqual(await answers(now), Array(3).fill("identical_record_exists"));
      assert.deepEqual(await answers(related), Array(3).fill("record_exists"));
      await store.erase("transaction", "stays");
      assert.deepEqual(await existing(store, ["transaction_alert/a"]), ["transaction_alert/a"]);
    });

    it("erases a record that belonged to several when the last of them is erased", async (test) => {
      const { store } = await openSite(engine, test);
      for (const id of ["one", "two"]) await store.add("transaction", id);
      await store.add("transaction_check", "c", { related_tx_ids: ["one", "two"] });
      await store.erase("transaction", "one");
      assert.equal(await store.exists(keyOf("transaction_check", "c")), true);
      const deletion = await store.erase("transaction", "two");
      assert.deepEqual(deletion.erased, { transaction: 1, transaction_check: 1 });
    });

    it("has the same result when both are erased at the same time", async (test) => {
      const { store } = await openSite(engine, test);
      for (const id of ["one", "two"]) await store.add("transaction", id);
      await store.add("transaction_check", "c", { related_tx_ids: ["one", "two"] });
      for (const id of ["one", "two"]) await store.request(keyOf("transaction", id));
      const claimed = [await store.claim(), await store.claim()];
      for (const deletion of claimed) await store.finish(deletion?.deletionRequestId ?? "");
      assert.equal(await store.exists(keyOf("transaction_check", "c")), false);
    });

    it("has the same result while something between them is being erased", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "stays");
      await store.add("transaction", "t");
      await store.add("transaction_check", "c", { related_tx_ids: ["stays", "t"] });
      await store.add("transaction_alert", "a", { related_tx_ids: ["t"], related_check_id: "c" });
      const first = await store.request(keyOf("transaction_check", "c"));
      await store.claim();
      const second = await store.request(keyOf("transaction", "t"));
      await store.claim();
      assert.deepEqual((await store.finish(second)).erased, {
        transaction: 1,
        transaction_alert: 1,
      });
      assert.deepEqual((await store.finish(first)).erased, { transaction_check: 1 });
      assert.deepEqual(await store.countRecords("org_acme"), { transaction: 1 });
    });

    it("redacts references from records that only mention it", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("company", "co");
      await store.add("person", "p", { related_company_id: "co" });
      await store.add("risk_assessment", "r", { related_person_id: "p" });
      const deletion = await store.erase("company", "co");
      assert.deepEqual(deletion.erased, { company: 1 });
      assert.equal(deletion.redacted, 1);
      const [person] = await store.payloadsOf(keyOf("person", "p"));
      assert.equal(person?.["related_company_id"], undefined);
      assert.equal(person?.["person_id"], "p");
      const second = await store.erase("person", "p");
      assert.deepEqual(second.erased, { person: 1, risk_assessment: 1 });
    });

    it("considers every change, not only the latest", async (test) => {
      const { store } = await openSite(engine, test);
      for (const id of ["old", "new"]) await store.add("transaction", id);
      await store.add("screening", "n", { related_tx_id: "old" });
      await store.write(draftOf("screening", "n", { related_tx_id: "new" }), {
        resourceType: "screening",
        mode: "update",
      });
      const deletion = await store.erase("transaction", "old");
      assert.deepEqual(deletion.erased, { transaction: 1 });
      const payloads = await store.payloadsOf(keyOf("screening", "n"));
      assert.deepEqual(
        payloads.map(({ related_tx_id }) => related_tx_id),
        [undefined, "new"],
      );
    });

    it("counts a record as belonging once any change said so, even if others only mention", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("company", "co");
      for (const kind of ["mentions", "belongs", "mentions"] as const) {
        const references = [{ to: "company", id: "co", kind }];
        await store.write(
          { ...draftOf("person", "p", { related_company_id: "co" }), references },
          {
            resourceType: "person",
            mode: kind === "belongs" ? "update" : "append",
          },
        );
      }
      assert.deepEqual((await store.erase("company", "co")).erased, { company: 1, person: 1 });
    });

    it("also cascades to records that arrived before it", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction_check", "early", { related_tx_ids: ["t"] });
      await store.add("transaction", "t");
      assert.deepEqual((await store.erase("transaction", "t")).erased, {
        transaction: 1,
        transaction_check: 1,
      });
    });

    it("runs in steps of any size, dependents before the record itself", async (test) => {
      const { store } = await openSite(engine, test);
      const checks = Array.from({ length: 25 }, (_, index) => `c${index}`);
      await store.add("transaction", "t");
      for (const id of checks) await store.add("transaction_check", id, { related_tx_ids: ["t"] });
      const id = await store.request(keyOf("transaction", "t"));
      await store.claim();
      let steps = 0;
      while (!(await store.eraseOne(id, 4))) {
        steps += 1;
        const counts = await store.countRecords("org_acme");
        const left = (counts["transaction_check"] ?? 0) + (counts["transaction"] ?? 0);
        assert.equal(left, 26 - 4 * steps);
        assert.equal(counts["transaction"], 1);
        const erased = (await store.findDeletion(id, undefined))?.erased;
        assert.deepEqual(erased, { transaction_check: 4 * steps });
      }
      assert.equal(steps, 6);
      assert.deepEqual((await store.finish(id)).erased, { transaction: 1, transaction_check: 25 });
    });
  });

  testArrivals(engine);
}

function testArrivals(engine: Engine): void {
  describe(`${engine.name}: a record that arrives while an erasure runs`, () => {
    it("is refused if it writes to a record that is being erased", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "t");
      await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
      const check = draftOf("transaction_check", "c");
      const update = { resourceType: "transaction_check", mode: "update" } as const;
      const id = await store.request(keyOf("transaction", "t"));
      assert.deepEqual((await store.write(check, update)).drafts, ["updated"]);
      await store.claim();
      assert.deepEqual((await store.write(check, update)).drafts, ["deletion_open"]);
      await store.eraseOne(id, 1);
      assert.equal(await store.exists(keyOf("transaction_check", "c")), false);
      const add2 = { ...update, mode: "add" } as const;
      assert.deepEqual((await store.write(check, add2)).drafts, ["deletion_open"]);
      await store.finish(id);
      assert.deepEqual((await store.write(check, add2)).drafts, ["created"]);
    });

    it("is erased too if it belongs to a record that is being erased, whenever it arrived", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "t");
      await store.add("transaction", "stays");
      await store.add("transaction_check", "c1", { related_tx_ids: ["t"] });
      await store.add("transaction_check", "c2", { related_tx_ids: ["t"] });
      const id = await store.request(keyOf("transaction", "t"));
      await store.claim();
      await store.add("transaction_alert", "late 1", { related_check_id: "c1" });
      await store.eraseOne(id, 1);
      await store.add("transaction_alert", "late 2", { related_tx_ids: ["t"] });
      while (!(await store.eraseOne(id, 1)));
      await store.add("transaction_suspicious_activity", "late 3", { related_alert_id: "late 2" });
      await store.add("transaction_alert", "shared", {
        related_check_id: "c2",
        related_tx_ids: ["t", "stays"],
      });
      assert.equal(await store.completeOne(id), undefined);
      const deletion = await store.finish(id);
      assert.deepEqual(deletion.erased, {
        transaction: 1,
        transaction_check: 2,
        transaction_alert: 2,
        transaction_suspicious_activity: 1,
      });
      const [shared] = await store.payloadsOf(keyOf("transaction_alert", "shared"));
      assert.equal(shared?.["related_check_id"], undefined);
      assert.deepEqual(shared?.["related_tx_ids"], ["stays"]);
    });

    it("is redacted again if a record that stays repeats the reference", async (test) => {
      const { store } = await openSite(engine, test);
      for (const id of ["t", "stays"]) await store.add("transaction", id);
      const fields = { related_tx_ids: ["t", "stays"] };
      await store.add("transaction_check", "c", fields);
      const id = await store.request(keyOf("transaction", "t"));
      await store.claim();
      while (!(await store.eraseOne(id, 1)));
      await store.write(draftOf("transaction_check", "c", fields), {
        resourceType: "transaction_check",
        mode: "update",
      });
      const deletion = await store.finish(id);
      assert.equal(deletion.redacted, 2);
      const payloads = await store.payloadsOf(keyOf("transaction_check", "c"));
      assert.deepEqual(
        payloads.map(({ related_tx_ids }) => related_tx_ids),
        [["stays"], ["stays"]],
      );
    });
  });
}
