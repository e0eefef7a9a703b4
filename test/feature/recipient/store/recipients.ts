// Registered readers of the feed: registering, acknowledging and removing them; the same on every engine.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { AppError } from "../../../../src/domain/error.ts";
import type { ResourceType } from "../../../../src/domain/record-type.ts";
import type { Store } from "../../../../src/store/interface/store.ts";
import { type Engine, useSite } from "../../../conformance/engine.ts";
import { recipients } from "../../../../src/feature/recipient/store/part.ts";
import { recipientsMax } from "../../../../src/feature/recipient/store/rows.ts";
import { acme, operator as act, organization, other } from "../../../conformance/scene.ts";

export function testRecipients(engine: Engine): void {
  describe(`${engine.name}: recipients`, () => {
    const site = useSite(engine);
    let store: Store;
    const create = (name: string, types: readonly ResourceType[] = ["person"]) =>
      store.of(recipients).createRecipient({ organizationId: acme, name, types }, act);
    const acknowledge = (
      changeNo: number,
      offset = `offset ${changeNo}`,
      now = act.now + changeNo,
    ) =>
      store.of(recipients).acknowledge({ organizationId: acme, name: "a", changeNo, offset, now });
    before(async () => {
      store = site().store;
      for (const id of [acme, other]) await store.createOrganization(organization(id), act);
    });

    it("are registered once, however often they are asked for", async () => {
      const first = await create("a");
      const again = await create("a");
      assert.deepEqual(again, first);
      await assert.rejects(create("a", ["company"]), { errorName: "recipient_exists" });
      assert.deepEqual(await store.of(recipients).listRecipients(acme), [first]);
      assert.deepEqual(await store.of(recipients).listRecipients(other), []);
    });

    it("never acknowledge less than before, also when several do at once", async () => {
      const found = await Promise.all([7, 3, 5].map((changeNo) => acknowledge(changeNo)));
      assert.equal(found[0]?.acknowledgedNo, 7);
      const [kept] = await store.of(recipients).listRecipients(acme);
      assert.deepEqual(
        [kept?.acknowledgedNo, kept?.acknowledgedOffset, kept?.acknowledgedAt],
        [7, "offset 7", act.now + 7],
      );
    });

    it("are not changed by an acknowledgement that is repeated, only by a new offset", async () => {
      const [unchanged] = await store.of(recipients).listRecipients(acme);
      const later = act.now + 100;
      assert.deepEqual(await acknowledge(7, "offset 7", later), unchanged);
      const moved = await acknowledge(7, "offset 7b", later);
      const { acknowledgedNo, acknowledgedOffset, acknowledgedAt } = moved ?? {};
      assert.deepEqual(
        [acknowledgedNo, acknowledgedOffset, acknowledgedAt],
        [7, "offset 7b", later],
      );
    });

    it("keep the furthest number for another offset of the same place", async () => {
      const one = { organizationId: acme, name: "a", changeNo: 4, offset: "offset 4" };
      const later = act.now + 200;
      const passed = await store.of(recipients).acknowledge({ ...one, through: 6, now: later });
      const same = await store.of(recipients).acknowledge({ ...one, through: 7, now: later });
      assert.deepEqual(
        [passed, same].map((kept) => [kept?.acknowledgedNo, kept?.acknowledgedOffset]),
        [
          [7, "offset 7b"],
          [7, "offset 4"],
        ],
      );
    });

    it("keep to their bound, also when several are registered at once", async () => {
      const names = Array.from({ length: recipientsMax + 3 }, (_, index) => `r${index}`);
      const made = await Promise.allSettled(names.map((name) => create(name)));
      const refused = made.flatMap((one) =>
        one.status === "rejected" ? [(one.reason as AppError).errorName] : [],
      );
      assert.deepEqual(
        refused,
        Array.from({ length: 4 }, () => "too_many_recipients"),
      );
      assert.equal((await store.of(recipients).listRecipients(acme)).length, recipientsMax);
    });

    it("are removed with their position", async () => {
      const one = { organizationId: acme, name: "a" };
      assert.equal((await store.of(recipients).removeRecipient(one, act))?.acknowledgedNo, 7);
      assert.equal(await store.of(recipients).removeRecipient(one, act), undefined);
      assert.equal(await acknowledge(9), undefined);
      assert.equal((await create("a")).acknowledgedNo, 0);
    });

    it("are not registered for a closed organization", async () => {
      await store.closeOrganization(other, act);
      const wanted = { organizationId: other, name: "late", types: ["person"] as const };
      await assert.rejects(store.of(recipients).createRecipient(wanted, act), {
        errorName: "credential_revoked",
      });
    });
  });
}
