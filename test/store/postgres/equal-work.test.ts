// On PostgreSQL each statement is a round trip, which can be measured from outside. So a deletion sends as many statements whether
// or not there is a confidential report, and whether or not that has to be kept.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { limits } from "../../../src/domain/limits.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { Store } from "../../../src/store/interface/store.ts";
import {
  acme,
  add,
  claim,
  finish,
  keyOf,
  onDay,
  operator,
  organization,
  request,
  seen,
} from "../../conformance/scene.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { makeTestSeal } from "../../support/seal.ts";

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

const sent: string[] = [];

/** Entries of the audit trail are inserted together, in one round trip. */
function roundTrips(): readonly string[] {
  return sent
    .splice(0)
    .filter((text) => !text.includes("INSERT INTO audit_entry"))
    .map((text) => text.replaceAll(/\s+/g, " ").slice(0, 200));
}

describe("a deletion on PostgreSQL", () => {
  let server: PostgresServer;
  let store: Store;
  const query: unknown = Reflect.get(Client.prototype, "query");
  before(async () => {
    server = await startPostgres();
    const url = await server.makeDatabase();
    store = await openStore(url, { role: "serve", sealReceipt: makeTestSeal() });
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
    await server.remove();
  });

  async function deleteOne({ root, type, visible, relation }: Case, id: string, reports: number) {
    await add(store, root, id, seen(2));
    await add(store, visible, `${id}-visible`, { ...seen(2), ...relation(id) });
    for (let no = 0; no < reports; no += 1) {
      await add(store, type, `${id}-${no}`, { ...seen(2), ...relation(id) });
    }
    const asked = (await request(store, keyOf(root, id))) ?? "";
    sent.splice(0);
    assert.equal((await claim(store, onDay(3)))?.deletionRequestId, asked);
    const { kept } = await finish(store, asked, limits.erasureStepRecordsMax);
    const trips = roundTrips();
    const set = await claim(store, onDay(3));
    assert.equal(set, undefined);
    return { trips, kept: kept[type] ?? 0 };
  }

  for (const one of cases) {
    const { root, type } = one;
    it(`of a ${root} sends as many statements for a report that is erased with it`, async () => {
      // The first deletion of a store also stores the key of its receipt.
      await deleteOne(one, `${root}-first`, 0);
      const without = await deleteOne(one, `${root}-none`, 0);
      const erased = await deleteOne(one, `${root}-erased`, 2);
      assert.deepEqual([erased.kept, erased.trips], [0, without.trips]);
    });

    for (const countedFrom of ["last_seen", "report_filed_at"] as const) {
      if (countedFrom === "report_filed_at" && type === "customer_sar") continue;
      it(`of a ${root} sends as many for one that is kept from ${countedFrom}`, async () => {
        const rule = { keepDays: 100, countedFrom };
        const change = { organizationId: acme, resourceType: type, rule };
        await store.retention.setFloor(change, operator);
        const without = await deleteOne(one, `${root}-none-${countedFrom}`, 0);
        for (const reports of [1, 2]) {
          const kept = await deleteOne(one, `${root}-${countedFrom}-${reports}`, reports);
          assert.deepEqual([kept.kept, kept.trips], [reports, without.trips]);
        }
      });
    }
  }
});
