// The index of parties: that it finds what was indexed and what arrived since, on both engines, whatever is indexed
// between two steps of a deletion; that its entries are erased with their records; and that it can be built again.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { isPseudonym } from "../../src/domain/deletion/party.ts";
import {
  blockNumbers,
  hashParty,
  packEntries,
  readEntries,
} from "../../src/store/shared/party-entries.ts";
import { changedBy } from "../conformance/parties.ts";
import { acme, draftOf, keyOf, operator, organization, worker } from "../conformance/scene.ts";
import { startPostgres } from "../support/postgres/postgres-server.ts";
import { openTestStore, type TestStore } from "../support/test-store.ts";
import { makePlace } from "./sqlite/place.ts";

interface Scene {
  readonly store: TestStore;
  /** Closes the store and opens it again. */
  reopen(): Promise<TestStore>;
  readonly query: (sql: string) => Promise<readonly object[]>;
}

const engines: Readonly<Record<string, (test: TestContext) => Promise<Scene>>> = {
  SQLite: async (test) => {
    const place = makePlace(test);
    let store = await place.open();
    return {
      store,
      query: async (sql) => place.withDatabase((file) => file.prepare(sql).all()),
      reopen: async () => {
        await store.close();
        return (store = await place.open());
      },
    };
  },
  PostgreSQL: async (test) => {
    const server = await startPostgres();
    const url = await server.makeDatabase();
    const open = () => openTestStore(url, { role: "serve" });
    let store = await open();
    test.after(async () => {
      await store.close();
      await server.remove();
    });
    return {
      store,
      query: (sql) => server.query(sql, url),
      reopen: async () => {
        await store.close();
        return (store = await open());
      },
    };
  },
};

const countries = { sender_country: "DE", receiver_country: "DE" };

async function pay(store: TestStore, id: string, sender_id: string): Promise<void> {
  await store.add("transaction", id, { ...countries, sender_id });
}

let filled = 0;

/** A step of the index has a quarter of a block. */
const stepNumbers = blockNumbers / 4;

/** Adds transactions of others, up to the end of a step, or of so many. */
async function fillStep(store: TestStore, numbers = stepNumbers): Promise<void> {
  const { latest } = await store.settledArrival();
  for (let left = numbers - (latest % numbers); left > 0; left -= 512) {
    const drafts = Array.from({ length: Math.min(left, 512) }, () => {
      filled += 1;
      const sender_id = `q${filled % 300}`;
      return draftOf("transaction", `f${filled}`, { ...countries, sender_id, receiver_id: "shop" });
    });
    await store.write(drafts);
  }
}

async function indexAll(store: TestStore): Promise<void> {
  while (await store.parties.index((await store.settledArrival()).settled));
}

async function namingsOf(store: TestStore, party: string): Promise<readonly string[]> {
  const found = new Set<string>();
  let after: number | undefined;
  do {
    const query = { organizationId: acme, party, after, recordsMax: 2 };
    const page = await store.readNamings(query);
    for (const { resourceId } of page.namings) found.add(resourceId);
    after = page.last;
  } while (after !== undefined);
  return [...found].sort();
}

/** The entries of the index, as text. */
async function entriesIn({ query }: Scene): Promise<readonly string[]> {
  const rows = await query("SELECT block_no, entries FROM party_block");
  const entries = rows.flatMap((row) => {
    const { block_no, entries: packed } = row as { block_no: number; entries: Uint8Array };
    return [...readEntries(packed, block_no)];
  });
  return entries.map(({ rest, changeNo }) => `${changeNo} ${rest}`).sort();
}

async function hashOf({ query }: Scene, party: string) {
  const [row] = await query("SELECT salt_key FROM receipt_head");
  return hashParty((row as { salt_key: string }).salt_key, acme, party);
}

async function senderOf(store: TestStore, id: string): Promise<unknown> {
  return (await store.payloadsOf(keyOf("transaction", id))).at(-1)?.["sender_id"];
}

describe("the index of parties", () => {
  for (const [name, open] of Object.entries(engines)) {
    it(`finds what is indexed and what arrived since, on ${name}`, async (test) => {
      const scene = await open(test);
      const { store, query } = scene;
      await store.createOrganization(organization(acme), operator);
      await store.add("person", "p");
      for (const id of ["first", "other"]) await pay(store, id, id === "first" ? "p" : "q");
      await fillStep(store, blockNumbers);
      await pay(store, "second", "p");
      const update = draftOf("transaction", "other", { ...countries, sender_id: "p" });
      await store.write(update, { mode: "update" });
      await fillStep(store);
      await pay(store, "late", "p");
      const all = ["first", "late", "other", "second"];
      assert.deepEqual(await namingsOf(store, "p"), all);
      await indexAll(store);
      const { rest } = await hashOf(scene, "p");
      const ofParty = async () =>
        (await entriesIn(scene)).filter((entry) => entry.endsWith(` ${rest}`));
      assert.equal((await ofParty()).length, 3);
      assert.deepEqual(await namingsOf(store, "p"), all);
      const before = await entriesIn(scene);
      await store.parties.rebuild();
      assert.deepEqual(await namingsOf(store, "p"), all);
      await indexAll(store);
      assert.deepEqual(await entriesIn(scene), before);
      assert.equal(changedBy(await store.erase("person", "p")), 4);
      assert.deepEqual(await ofParty(), []);
      // As if the hashes of two parties were equal.
      const entry = packEntries([{ rest, changeNo: 100 }]).toString("hex");
      const bytes = name === "SQLite" ? `x'${entry}'` : `'\\x${entry}'`;
      await query(`INSERT INTO party_block (organization_id, bucket, block_no, entries)
        VALUES ('${acme}', -1, 0, ${bytes}) RETURNING bucket`);
      assert.equal((await ofParty()).length, 1);
      assert.deepEqual(await namingsOf(store, "p"), []);
    });

    it(`advances before a deletion completes, if much has arrived since its plan, on ${name}`, async (test) => {
      const { store } = await open(test);
      await store.createOrganization(organization(acme), operator);
      await store.add("person", "p");
      const id = await store.request(keyOf("person", "p"));
      assert.equal((await store.claim())?.deletionRequestId, id);
      for (const numbers of [blockNumbers, blockNumbers, stepNumbers])
        await fillStep(store, numbers);
      await pay(store, "late", "p");
      assert.equal(changedBy(await store.finish(id)), 1);
      assert.ok(isPseudonym(await senderOf(store, "late")));
    });

    // What deletions do with the entries is decided by the statements that both engines share.
    if (name !== "SQLite") continue;

    it(`is whole whatever it reaches between two steps of a deletion, on ${name}`, async (test) => {
      const scene = await open(test);
      let { store } = scene;
      await store.createOrganization(organization(acme), operator);
      for (let at = 0; at < 4; at += 1) {
        const person = `p${at}`;
        const arrive = async (step: number) => {
          if (step !== at) return;
          store = await scene.reopen();
          await pay(store, `${person} late`, person);
          await fillStep(store);
          await indexAll(store);
        };
        await store.add("person", person);
        await pay(store, `${person} early`, person);
        const id = await store.request(keyOf("person", person));
        const now = (step: number) => worker.now + (at * 10 + step) * 120_000;
        await arrive(0);
        assert.equal((await store.claim(now(0)))?.deletionRequestId, id);
        await arrive(1);
        await store.claim(now(1));
        while (!(await store.eraseOne(id, 10)));
        await arrive(2);
        await store.claim(now(2));
        assert.equal(await store.completeOne(id), undefined);
        await arrive(3);
        await store.claim(now(3));
        while (!(await store.eraseOne(id, 10)));
        assert.equal(changedBy(await store.finish(id)), 2);
        for (const tx of ["early", "late"]) {
          assert.ok(isPseudonym(await senderOf(store, `${person} ${tx}`)), `${at} ${tx}`);
        }
        const { rest } = await hashOf(scene, person);
        const left = (await entriesIn(scene)).filter((entry) => entry.endsWith(` ${rest}`));
        assert.deepEqual(left, []);
      }
    });

    it(`finds what is far apart, however many blocks one statement reads, on ${name}`, async (test) => {
      const scene = await open(test);
      let { store } = scene;
      await store.createOrganization(organization(acme), operator);
      const blocks = [0, 15, 16, 79, 80, 335, 336, 337];
      for (const block of blocks) {
        await scene.query(`UPDATE counter SET value = ${block * blockNumbers}
          WHERE name = 'arrival' RETURNING value`);
        store = await scene.reopen();
        await pay(store, `t${block}`, "p");
      }
      await indexAll(store);
      // The last one is in a step that has not ended.
      assert.equal((await entriesIn(scene)).length, blocks.length - 1);
      const query = { organizationId: acme, party: "p", after: undefined, recordsMax: 100 };
      const { namings } = await store.readNamings(query);
      assert.deepEqual(
        namings.map(({ resourceId }) => resourceId),
        blocks.map((block) => `t${block}`),
      );
    });

    it(`loses the entries of records that are erased, on ${name}`, async (test) => {
      const scene = await open(test);
      const { store } = scene;
      await store.createOrganization(organization(acme), operator);
      await pay(store, "t", "p");
      await fillStep(store);
      await indexAll(store);
      const before = await entriesIn(scene);
      await store.erase("transaction", "t");
      const lost = new Set(before).difference(new Set(await entriesIn(scene)));
      assert.deepEqual([...lost], [`1 ${(await hashOf(scene, "p")).rest}`]);
      await store.closeOrganization(acme, operator);
      await store.requestOrganizationDeletion(
        {
          organizationId: acme,
          deletionRequestId: "del_all",
          reason: "It left",
          requestedBy: "key_1",
        },
        operator,
      );
      await store.claim();
      await store.finish("del_all", 1_000);
      assert.deepEqual(await entriesIn(scene), []);
    });

    it(`is compared with the changes by a check, on ${name}`, async (test) => {
      const scene = await open(test);
      const { store, query } = scene;
      await store.createOrganization(organization(acme), operator);
      await store.add("person", "p");
      for (const id of ["t", "u"]) await pay(store, id, "p");
      await store.write(draftOf("transaction", "t", { ...countries, sender_id: "p", amount: 1 }), {
        mode: "update",
      });
      await fillStep(store);
      await indexAll(store);
      await store.erase("transaction", "u");
      await store.erase("person", "p");
      const findings = async () => (await store.checkIntegrity()).findings;
      assert.deepEqual(await findings(), []);
      const { rest } = await hashOf(scene, "p");
      const { bucket } = await hashOf(scene, "shop");
      const entry = packEntries([{ rest, changeNo: 2 }]).toString("hex");
      const bytes = name === "SQLite" ? `x'${entry}'` : `'\\x${entry}'`;
      await query(`INSERT INTO party_block (organization_id, bucket, block_no, entries)
        VALUES ('${acme}', -1, 0, ${bytes}) RETURNING bucket`);
      assert.match((await findings()).join(), /^The index of parties has 1 wrong entry of the/);
      const removed = await query(`DELETE FROM party_block WHERE bucket IN (-1, ${bucket})
        RETURNING entries`);
      assert.equal(removed.length, 2);
      assert.match((await findings()).join(), /^The index of parties lacks [\d,]+ entries of the/);
    });

    it(`advances when a deletion needs it, on ${name}`, async (test) => {
      const scene = await open(test);
      const { store } = scene;
      await store.createOrganization(organization(acme), operator);
      await store.add("person", "p");
      for (const numbers of [blockNumbers, blockNumbers, stepNumbers])
        await fillStep(store, numbers);
      await pay(store, "t", "p");
      assert.equal(changedBy(await store.erase("person", "p")), 1);
      assert.ok((await entriesIn(scene)).length > 0);
    });
  }

  it("leaves no byte of an entry in a file, on SQLite", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.createOrganization(organization(acme), operator);
    await pay(store, "t", "p");
    await fillStep(store);
    await indexAll(store);
    const query = async (sql: string) => place.withDatabase((file) => file.prepare(sql).all());
    const { rest } = await hashOf({ store, query, reopen: async () => store }, "p");
    const entry = packEntries([{ rest, changeNo: 1 }]);
    const found = () =>
      [...place.readFiles().values()].filter((bytes) => bytes.includes(entry)).length;
    assert.ok(found() > 0, "nothing would be found");
    await store.erase("transaction", "t");
    assert.equal(found(), 0);
  });

  it("connects no id with its pseudonym by any byte of a file, on SQLite", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.add("person", "p");
    await pay(store, "t", "p");
    const id = await store.request(keyOf("person", "p"));
    await store.claim();
    while (!(await store.eraseOne(id, 10)));
    assert.equal(await store.completeOne(id), undefined);
    const rows = place.withDatabase((file) =>
      file.prepare("SELECT pseudonym FROM pseudonym").all(),
    );
    const { pseudonym } = rows[0] as { pseudonym: string };
    // As the row is stored: its values one after another.
    const row = `${acme}${pseudonym}`;
    const found = () =>
      [...place.readFiles().values()].filter((bytes) => bytes.includes(row)).length;
    assert.ok(found() > 0, "nothing would be found");
    await store.finish(id);
    assert.equal(found(), 0);
    assert.equal(await senderOf(store, "t"), pseudonym);
  });
});
