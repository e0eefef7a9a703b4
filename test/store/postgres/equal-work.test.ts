// On PostgreSQL each statement is a round trip, which can be measured from outside. So a deletion sends as many
// statements whether or not there is a confidential report, and whether or not that has to be kept.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { limits } from "../../../src/domain/limits.ts";
import {
  acme,
  keyOf,
  onDay,
  operator,
  organization,
  seen,
  worker,
} from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { makeTestSeal } from "../../support/seal.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Case {
  readonly root: "person" | "transaction";
  readonly type: "customer_sar" | "transaction_suspicious_activity";
  /** What belongs to it for everybody to see. */
  readonly visible: string;
  readonly relation: (id: string) => Fields;
}

const cases: readonly Case[] = [
  {
    root: "person",
    type: "customer_sar",
    visible: "screening",
    relation: (id) => ({ related_person_id: id }),
  },
  {
    root: "transaction",
    type: "transaction_suspicious_activity",
    visible: "transaction_check",
    relation: (id) => ({ related_tx_ids: [id] }),
  },
];

function textOf(asked: unknown): string {
  if (typeof asked === "string") return asked;
  return typeof asked === "object" && asked !== null && "text" in asked ? String(asked.text) : "";
}

/** Of a record that none of the deletions is about. */
function elsewhere(type: string): Fields {
  if (type === "customer_sar") return { ...seen(2), related_person_id: "elsewhere" };
  return seen(2);
}

const sent: string[] = [];

/** Entries of the audit trail are inserted together, in one round trip. */
function roundTrips(): readonly string[] {
  return sent
    .splice(0)
    .filter((text) => !text.includes("INSERT INTO audit_entry"))
    .map((text) => text.replaceAll(/\s+/g, " ").slice(0, 200));
}

interface Prepared {
  readonly id: string;
  readonly reports?: number;
  /** Whether the reports are under a hold. */
  readonly isHeld?: boolean;
  /** Nothing that everybody may see belongs to the record. */
  readonly isAlone?: boolean;
}

async function prepare(
  store: TestStore,
  { root, type, visible, relation }: Case,
  { id, reports = 0, isHeld = false, isAlone = false }: Prepared,
): Promise<string> {
  await store.add(root, id, seen(2));
  if (!isAlone) await store.add(visible, `${id}-visible`, { ...seen(2), ...relation(id) });
  for (let no = 0; no < reports; no += 1) {
    await store.add(type, `${id}-${no}`, { ...seen(2), ...relation(id) });
    if (isHeld) await store.hold(keyOf(type, `${id}-${no}`));
  }
  return await store.request(keyOf(root, id));
}

async function deleteOne(store: TestStore, one: Case, prepared: Prepared) {
  const asked = await prepare(store, one, prepared);
  sent.splice(0);
  assert.equal((await store.claim(onDay(3)))?.deletionRequestId, asked);
  const { kept } = await store.finish(asked, limits.erasureStepRecordsMax);
  const trips = roundTrips();
  const set = await store.claim(onDay(3));
  assert.equal(set, undefined);
  return { trips, kept: kept[one.type] ?? 0 };
}

/** Several that are due together; the statements until nothing of them is left to erase. */
async function eraseTogether(store: TestStore, one: Case, all: readonly Prepared[]) {
  const asked: string[] = [];
  for (const prepared of all) asked.push(await prepare(store, one, prepared));
  sent.splice(0);
  const now = onDay(3);
  const leased = { now, leaseUntil: now + 60_000, claimant: "test" };
  const claimed = await store.claimDeletions(leased, all.length);
  assert.deepEqual(
    new Set(claimed.map(({ deletionRequestId }) => deletionRequestId)),
    new Set(asked),
  );
  const { done } = await store.eraseStep(asked, limits.erasureStepRecordsMax, worker);
  assert.equal(done.length, asked.length);
  const trips = roundTrips();
  for (const id of asked) await store.finish(id, limits.erasureStepRecordsMax);
  return trips;
}

const server = await usePostgres();

describe("a deletion on PostgreSQL", () => {
  let store: TestStore;
  const query: unknown = Reflect.get(Client.prototype, "query");
  before(async () => {
    const url = await server.makeDatabase();
    store = await openTestStore(url, { role: "serve", sealReceipt: makeTestSeal() });
    await store.createOrganization(organization(acme), operator);
    if (typeof query !== "function") throw new TypeError("the driver has no such method");
    Reflect.set(
      Client.prototype,
      "query",
      function note(this: Client, ...args: unknown[]): unknown {
        sent.push(textOf(args[0]));
        return Reflect.apply(query, this, args);
      },
    );
  });
  after(async () => {
    Reflect.set(Client.prototype, "query", query);
    await store.close();
  });

  for (const one of cases) {
    const { root } = one;
    it(`of a ${root} sends as many statements for a report that is erased with it`, async () => {
      // The first deletion of a store also stores the key of its receipt.
      await deleteOne(store, one, { id: `${root}-first` });
      const without = await deleteOne(store, one, { id: `${root}-none` });
      const erased = await deleteOne(store, one, { id: `${root}-erased`, reports: 2 });
      assert.deepEqual([erased.kept, erased.trips], [0, without.trips]);
    });

    it(`of a ${root} sends as many for a report where nothing else belongs to it`, async () => {
      const without = await deleteOne(store, one, { id: `${root}-alone`, isAlone: true });
      const erased = await deleteOne(store, one, {
        id: `${root}-alone-erased`,
        reports: 1,
        isAlone: true,
      });
      assert.deepEqual(erased.trips, without.trips);
    });
  }

  for (const one of cases) describeHolds(one, () => store);
  for (const one of cases) describeFloors(one, () => store);
});

function describeHolds(one: Case, opened: () => TestStore): void {
  const { root, type } = one;
  it(`of a ${root} sends as many for one under a hold, or a hold elsewhere in the organization`, async () => {
    const store = opened();
    const without = await deleteOne(store, one, { id: `${root}-not-held` });
    const held = await deleteOne(store, one, { id: `${root}-held`, reports: 2, isHeld: true });
    assert.deepEqual([held.kept, held.trips], [2, without.trips]);
    for (const heldType of ["transaction", type]) {
      await store.add(heldType, `${root}-elsewhere-${heldType}`, elsewhere(heldType));
      await store.hold(keyOf(heldType, `${root}-elsewhere-${heldType}`));
      const beside = await deleteOne(store, one, { id: `${root}-beside-${heldType}` });
      assert.deepEqual(beside.trips, without.trips);
    }
  });

  it(`of a ${root} sends none for each of several that are due together`, async () => {
    const store = opened();
    const none = await eraseTogether(store, one, [{ id: `${root}-x` }, { id: `${root}-y` }]);
    const many = Array.from({ length: 6 }, (_, no) => {
      return { id: `${root}-set-${no}`, reports: 1, isHeld: true };
    });
    const held = await eraseTogether(store, one, many);
    assert.deepEqual(held, none);
  });
}

function describeFloors(one: Case, opened: () => TestStore): void {
  const { root, type } = one;
  for (const countedFrom of ["last_seen", "report_filed_at"] as const) {
    if (countedFrom === "report_filed_at" && type === "customer_sar") continue;
    it(`of a ${root} sends as many for one that is kept from ${countedFrom}`, async () => {
      const store = opened();
      const rule = { keepDays: 100, countedFrom, redactable: false };
      const change = { organizationId: acme, resourceType: type, rule };
      await store.retention.setFloor(change, operator);
      const without = await deleteOne(store, one, { id: `${root}-none-${countedFrom}` });
      for (const reports of [1, 2]) {
        const kept = await deleteOne(store, one, {
          id: `${root}-${countedFrom}-${reports}`,
          reports,
        });
        assert.deepEqual([kept.kept, kept.trips], [reports, without.trips]);
      }
    });
  }
}
