// How far recipients are behind, found in bounded parts.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { RecipientLag } from "../../../src/feature/recipient/recipient-lag.ts";
import type { ResourceType } from "../../../src/domain/record-type.ts";
import { acme, draftOf, operator, organization, transaction } from "../../conformance/scene.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { recipients } from "../../../src/feature/recipient/store/part.ts";
import { openTestStore } from "../../support/test-store.ts";

const folder = makeTempFolder();
const store = await openTestStore(`sqlite:${folder}/sluice.db`, { role: "command" });
after(() => store.close());
await store.createOrganization(organization(acme), operator);
const none: ReadonlySet<string> = new Set();

async function register(name: string, types: readonly ResourceType[]): Promise<void> {
  await store.of(recipients).createRecipient({ organizationId: acme, name, types }, operator);
}

async function acknowledge(name: string, changeNo: number): Promise<void> {
  await store
    .of(recipients)
    .acknowledge({ organizationId: acme, name, changeNo, offset: "o", now: 9 });
}

async function look(lag: RecipientLag, hidden = none) {
  return lag.behindSince({ store }, await store.of(recipients).listRecipients(acme), hidden);
}

describe("the lag of recipients", () => {
  it("is from the oldest event of their types that they have not acknowledged", async () => {
    await store.write(transaction("early"), { receivedAt: 500 });
    await register("people", ["person"]);
    await register("transactions", ["transaction", "person"]);
    const lag = new RecipientLag();
    assert.deepEqual(await look(lag), [undefined, undefined]);
    await store.write(transaction("one"), { receivedAt: 1_000 });
    await store.write(transaction("two"), { receivedAt: 2_000 });
    assert.deepEqual(await look(lag), [undefined, 1_000]);
    assert.deepEqual(await look(lag, new Set(["transaction"])), [undefined, undefined]);
    const { latest } = await store.settledArrival();
    await acknowledge("transactions", latest - 1);
    assert.deepEqual(await look(new RecipientLag()), [undefined, 2_000]);
    await acknowledge("transactions", latest);
    assert.deepEqual(await look(lag), [undefined, undefined]);
  });

  it("is found by later looks where much else has arrived before", async () => {
    for (let part = 0; part < 17; part += 1) {
      const drafts = Array.from({ length: 1_000 }, (_, at) =>
        draftOf("transaction", `t${part}-${at}`, {}),
      );
      await store.write(drafts);
    }
    await store.write(draftOf("person", "p", {}), { resourceType: "person", receivedAt: 3_000 });
    const first = new RecipientLag();
    assert.deepEqual((await look(first))[0], undefined);
    assert.deepEqual((await look(new RecipientLag(first)))[0], 3_000);
  });

  it("is known from an earlier pass over all recipients, without those that are gone", async () => {
    const first = new RecipientLag();
    assert.deepEqual((await look(first))[0], undefined);
    const second = new RecipientLag(first);
    assert.deepEqual((await look(second))[0], 3_000);
    const third = new RecipientLag(second);
    assert.deepEqual(await third.behindSince({ store }, [], none), []);
    assert.deepEqual((await look(new RecipientLag(third)))[0], undefined);
  });
});
