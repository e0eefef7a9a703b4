// Whatever happens to requests and replies in transit, each call of the client takes effect exactly
// once, and gets its own reply. Afterwards reads every change of every record in the store.

import assert from "node:assert/strict";
import { after, before, describe, it, mock } from "node:test";
import type { Sluice } from "../../client/src/sluice.ts";
import { nounOf, type RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { makeRandom } from "../support/random.ts";
import { type Fields, makeRecordGenerator } from "../support/record-generator.ts";
import { assertStored, collectionOf, deletableOf, type Sent } from "./any-type.ts";
import { type Engine, type Site, useSite } from "./engine.ts";
import { faults } from "./faulty-proxy.ts";
import { atRandom, firstAttempts, throughProxy } from "./through-proxy.ts";

/** Adds a record, updates it twice and checks that it exists. Every reply is the call's own. */
async function live(client: Sluice, type: RecordType, made: readonly Fields[]): Promise<Sent> {
  const [record = {}, ...updates] = made;
  const id = String(record[type.idField]);
  const collection = collectionOf(client, type);
  const noun = nounOf(type);
  assert.equal((await collection.add(record)).message, `1 ${noun} was added.`);
  for (const update of updates) {
    assert.equal((await collection.update(update)).message, `1 ${noun} was updated.`);
  }
  assert.equal((await collection.exists(id))?.[type.idField], id);
  return { type, id, timestamps: made.map(({ timestamp }) => timestamp) };
}

/** Deletes a record. Returns the one reported deletion. */
async function die(client: Sluice, { type, id }: Sent): Promise<string> {
  const collection = deletableOf(client, type);
  const accepted = await collection.delete(id, "a test");
  assert.equal(accepted[type.idField], id);
  const deletionRequestId = String(accepted["deletion_request_id"]);
  const ended = await client.deletions.wait(deletionRequestId);
  assert.deepEqual([ended.resource_id, ended.status], [id, "completed"]);
  assert.equal(await collection.exists(id), undefined);
  return deletionRequestId;
}

/** All deletions of records, by id of the record. */
async function storedDeletions({ server, customer }: Site): Promise<Record<string, string[]>> {
  const { organizationId } = customer;
  const all = await server.operate((app) =>
    app.store.listDeletions({ organizationId, limit: 10_000 }),
  );
  const byRecord: Record<string, string[]> = {};
  for (const { resourceId, deletionRequestId } of all) {
    (byRecord[resourceId] ??= []).push(deletionRequestId);
  }
  return byRecord;
}

export function testExactlyOnce(engine: Engine): void {
  describe(`${engine.name}: through a proxy, a call`, { concurrency: true }, () => {
    const site = useSite(engine);
    const records = makeRecordGenerator(20_260_701);
    // The shortest back-off, where replies are most easily confused.
    before(() => void mock.method(Math, "random", () => 0));
    after(() => mock.restoreAll());

    function make(type: RecordType): readonly Fields[] {
      const record = records.record(type);
      const id = String(record[type.idField]);
      const days = ["2026-07-01T00:00:00Z", "2026-07-02T00:00:00Z"];
      return [record, ...days.map((timestamp) => records.update(type, id, { timestamp }))];
    }

    async function liveAndDie(client: Sluice, types: readonly RecordType[]): Promise<void> {
      const sent = await Promise.all(types.map((type) => live(client, type, make(type))));
      await assertStored(site(), sent);
      const mortal = sent.filter(({ type }) => type.deletable === true);
      const told = await Promise.all(mortal.map((each) => die(client, each)));
      const stored = await storedDeletions(site());
      assert.deepEqual(
        mortal.map(({ id }) => stored[id]),
        told.map((deletionRequestId) => [deletionRequestId]),
      );
    }

    // Several servers meet all of them below.
    for (const fault of engine.servers === 1 ? faults : []) {
      it(`takes effect once and gets its own reply, with first attempts corrupted: ${fault}`, async () => {
        const types = recordTypes.filter(({ deletable }) => deletable === true);
        const choose = firstAttempts(fault);
        const seen = await throughProxy(site(), choose, (client) => liveAndDie(client, types));
        const corrupted = seen.filter((passing) => passing.fault === fault);
        assert.ok(corrupted.length >= types.length * 5);
      });
    }

    it("among many takes effect once and gets its own reply, with attempts corrupted at random", async () => {
      const types = Array.from({ length: 4 }, () => recordTypes).flat();
      const choose = atRandom(makeRandom(71));
      const seen = await throughProxy(site(), choose, (client) => liveAndDie(client, types));
      const kinds = new Set(seen.map(({ fault }) => fault));
      assert.deepEqual([...kinds].sort(), ["none", ...faults].sort());
    });
  });
}
