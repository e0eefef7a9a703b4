// The bytes of notices are in no file once they are removed; see the same test of the store.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { describe, it } from "node:test";
import { recipients } from "../../../../src/feature/recipient/store/part.ts";
import { acme, keyOf, organization, transaction } from "../../../conformance/scene.ts";
import { act, fill, findText, secret } from "../../../store/sqlite/erased-bytes.ts";
import { makePlace } from "../../../store/sqlite/place.ts";
import type { TestStore } from "../../../support/test-store.ts";

/** Removes the notices with the secret, in the first of several parts. Returns where the next one begins. */
async function purgeFirstPart(store: TestStore): Promise<string | undefined> {
  const others = Array.from({ length: 60 }, (_, at) => `z_${at}`);
  await store.createOrganization(organization(acme), act);
  const types = ["person", "screening"] as const;
  await store.of(recipients).createRecipient({ organizationId: acme, name: "r", types }, act);
  await fill(store);
  await store.request(keyOf("person", "p"));
  for (const organizationId of others) {
    await store.createOrganization(organization(organizationId), act);
    await store
      .of(recipients)
      .createRecipient({ organizationId, name: "r", types: ["transaction"] }, act);
    await store.write(transaction("t"), { organizationId });
    await store.request(keyOf("transaction", "t", organizationId));
  }
  await store.processAll();
  await store.of(recipients).removeRecipient({ organizationId: acme, name: "r" }, act);
  const { removed, next } = await store.of(recipients).purgeNotices({ before: 0, after: "" }, act);
  assert.equal(removed, 502);
  return next;
}

async function purgeRest(store: TestStore, from: string | undefined): Promise<void> {
  for (let after = from; after !== undefined;) {
    const part = await store.of(recipients).purgeNotices({ before: 0, after }, act);
    assert.equal(part.removed, 0);
    after = part.next;
  }
}

describe("the bytes of notices", () => {
  it("are in no file when recipients have acknowledged the notices of it", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.createOrganization(organization(acme), act);
    const types = ["person", "screening"] as const;
    await store.of(recipients).createRecipient({ organizationId: acme, name: "r", types }, act);
    await fill(store);
    await store.request(keyOf("person", "p"));
    await store.processAll();
    assert.ok(Object.keys(findText(place, secret)).length > 0, "notices have the ids");
    const { latest } = await store.settledArrival();
    const one = { organizationId: acme, name: "r", changeNo: latest, offset: "", now: 2_000 };
    await store.of(recipients).acknowledge(one);
    const purged = await store.of(recipients).purgeNotices({ before: 0, after: "" }, act);
    assert.deepEqual(purged, { removed: 502, next: undefined });
    assert.deepEqual(findText(place, secret), {});
    await store.requireConsistent();
  });

  it("are in no file when notices were removed in several parts", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    const next = await purgeFirstPart(store);
    assert.ok(Object.keys(findText(place, secret)).length > 0);
    await purgeRest(store, next);
    assert.deepEqual(findText(place, secret), {});
  });

  it("are in no file when the process that removed notices ended before it scrubbed", async (test) => {
    const place = makePlace(test);
    await purgeFirstPart(await place.open());
    const killed = makePlace(test);
    cpSync(place.folder, killed.folder, { recursive: true });
    const store = await killed.open();
    assert.ok(Object.keys(findText(killed, secret)).length > 0);
    await purgeRest(store, "");
    assert.deepEqual(findText(killed, secret), {});
  });
});
