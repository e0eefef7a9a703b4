// Every operation of the client on every record type, against a real server.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collectionName } from "../../client/generate/collections.ts";
import {
  type Collection,
  type DeletableCollection,
  errorCodes,
  type Sluice,
  SluiceError,
} from "../../client/src/sluice.ts";
import { cancelDeletion } from "../../src/actions/deletion/decide-deletions.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { makeCustomer } from "../support/customer.ts";
import { type Fields, makeRecordGenerator } from "../support/record-generator.ts";
import { clientOf, type Site, useSite } from "./real-site.ts";

type AnyCollection = Collection<Fields, Fields, Fields>;
type AnyDeletable = DeletableCollection<Fields, Fields, Fields, Fields>;

function collectionOf(client: Sluice, type: RecordType): AnyCollection {
  const found = (client as unknown as Record<string, AnyCollection>)[collectionName(type)];
  assert.ok(found !== undefined, `the client has no ${collectionName(type)}`);
  return found;
}

/** A record and the timestamps of all changes that were sent for it, in order. */
interface Sent {
  readonly type: RecordType;
  readonly id: string;
  readonly timestamps: readonly unknown[];
}

/** Reads the store: each record has exactly the changes that were sent, once, in that order. */
async function assertStored({ server, customer }: Site, all: readonly Sent[]): Promise<void> {
  const { organizationId } = customer;
  await server.operate(async (app) => {
    for (const { type, id, timestamps } of all) {
      const key = { organizationId, resourceType: type.resourceType, resourceId: id };
      const history = await app.store.readHistory(key);
      const stored =
        history?.changes.map(({ payload }) => (JSON.parse(payload) as Fields)["timestamp"]) ?? [];
      assert.deepEqual(stored, timestamps, `${type.resourceType} ${id}`);
    }
  });
}

describe("a client", () => {
  const site = useSite();
  const records = makeRecordGenerator(20_260_703);
  const timestamp = "2026-07-04T00:00:00Z";

  for (const type of recordTypes) {
    const { resourceType } = type;

    it(`adds, updates and checks records, one and in a list: ${resourceType}`, async () => {
      const collection = collectionOf(site().client(), type);
      const [one = {}, ...list] = [1, 2, 3].map(() => records.record(type));
      const added = await collection.add(one);
      const { organizationId } = site().customer;
      assert.deepEqual(
        [added.success, added.write_count, added.organization_id],
        [true, 1, organizationId],
      );
      assert.equal((await collection.add(list)).write_count, 2);
      const ids = [one, ...list].map((record) => String(record[type.idField]));
      const [update = {}, ...updates] = ids.map((id) => records.update(type, id, { timestamp }));
      assert.equal((await collection.update(update)).write_count, 1);
      assert.equal((await collection.update(updates)).write_count, 2);
      const found = await collection.exists(ids[0] ?? "");
      assert.deepEqual(
        [found?.[type.idField], found?.["organization_id"], found?.["last_seen"]],
        [ids[0], organizationId, timestamp],
      );
      const sent = [one, ...list].map((record, index) => ({
        type,
        id: ids[index] ?? "",
        timestamps: [record["timestamp"], timestamp],
      }));
      await assertStored(site(), sent);
    });

    if (type.deletable !== true) continue;
    it(`deletes a record, and waits until that is completed: ${resourceType}`, async () => {
      const client = site().client();
      const record = records.record(type);
      const id = String(record[type.idField]);
      await collectionOf(client, type).add(record);
      const accepted = await (collectionOf(client, type) as AnyDeletable).delete(id, "a test");
      assert.equal(accepted[type.idField], id);
      const ended = await client.deletions.wait(String(accepted["deletion_request_id"]));
      assert.equal(ended.status, "completed");
      assert.equal(ended.erased?.[resourceType], 1);
      assert.equal(await collectionOf(client, type).exists(id), undefined);
    });
  }

  it("reports a refusal with its code, the fields, the request and the key", async () => {
    const { transactions } = site().client();
    const refused = transactions.add({ tx_id: "tx-1" } as never, { idempotencyKey: "mine" });
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof SluiceError);
      assert.deepEqual([error.status, error.code], [400, errorCodes.validation_failed]);
      assert.ok(error.errors.some(({ field }) => field === "amount"));
      assert.match(error.message, /^The transaction is not valid\. .* and \d+ more$/);
      assert.match(error.requestId ?? "", /^[0-9a-f]{32}\.\d+\.1$/);
      assert.equal(error.idempotencyKey, "mine");
      return true;
    });
  });

  it("stops waiting for a deletion that is cancelled, and when it is told to", async () => {
    const { server } = site();
    const grace = { deletionGraceSeconds: 3_600 };
    const customer = await server.operate((app) => makeCustomer(app, server.client, grace));
    const client = clientOf(customer, server.address);
    const company = { company_id: "patient", is_test_company: true, timestamp };
    await client.companies.add(company);
    const accepted = await client.companies.delete(company.company_id, "a test");
    const { deletion_request_id: deletionRequestId } = accepted;
    const stop = new AbortController();
    const stopped = client.deletions.wait(deletionRequestId, { signal: stop.signal });
    const reason = new Error("enough");
    stop.abort(reason);
    await assert.rejects(stopped, (error) => error === reason);
    const waiting = client.deletions.wait(deletionRequestId);
    await server.operate((app) => cancelDeletion(app, deletionRequestId));
    assert.equal((await waiting).status, "cancelled");
  });
});
