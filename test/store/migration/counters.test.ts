// The counter of arrival numbers after its table or sequence was left behind the numbers in the tables, as after an
// upgrade by logical replication: nobody gives a number again.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { acme, keyOf, operator, organization, transaction } from "../../conformance/scene.ts";
import { readServiceRole } from "../../support/guide-sql.ts";
import { password, urlOf, usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";
import { storeSamples } from "../../feature/samples.ts";
import { makePlace } from "../sqlite/place.ts";

const spare = 1_000_000;

const server = await usePostgres();

async function lastNumber(store: TestStore, id: string): Promise<number> {
  const changes = await store.changesOf(keyOf("transaction", id));
  return changes.at(-1)?.changeNo ?? 0;
}

async function fill(url: string): Promise<number> {
  const store = await openTestStore(url, { role: "serve" });
  await store.createOrganization(organization(acme), operator);
  for (const id of ["one", "two", "three"]) await store.add("transaction", id);
  const last = await lastNumber(store, "three");
  await store.close();
  return last;
}

const behind = (last: number) =>
  new RegExp(`counter of arrival numbers is at \\d+, but ${last} was`);

describe("the counter of arrival numbers", () => {
  it("is set above the numbers in the tables where the sequence was not replicated", async () => {
    const to = await server.makeDatabase();
    const last = await fill(to);
    // A subscription copies the rows of all tables, and nothing of a sequence.
    await server.query("SELECT setval('arrival', 1, false)", to);
    const checked = await openTestStore(to, { role: "command" });
    assert.match((await checked.checkIntegrity()).findings.join(), behind(last));
    await checked.close();

    const database = new URL(to).pathname.slice(1);
    await server.query(readServiceRole("sluice_later", database), to);
    const limited = urlOf(to, { user: "sluice_later", password });
    const error = await openTestStore(limited, { role: "serve" }).then(() => "", String);
    const [statement] = /SELECT setval\('arrival', \d+\);$/.exec(error) ?? [];
    assert.equal(statement, `SELECT setval('arrival', ${last + spare});`, error);

    const store = await openTestStore(to, { role: "serve" });
    await store.add("transaction", "later");
    assert.equal(await lastNumber(store, "later"), last + spare + 1);
    await store.requireConsistent();
    await store.close();
    await (await openTestStore(limited, { role: "serve" })).close();
  });

  for (const [kept, sql] of Object.entries({
    ...(Object.assign({}, ...storeSamples.map(({ numbers }) => numbers)) as Record<string, string>),
    "the later change of a record": "UPDATE change SET change_no = 50 WHERE record_no = 3",
  })) {
    it(`is set above ${kept} on SQLite`, async (test) => {
      const place = makePlace(test);
      const url = `sqlite:${place.path}`;
      await fill(url);
      place.withDatabase((file) => file.exec(`${sql}; UPDATE counter SET value = 3`));
      const checked = await openTestStore(url, { role: "command" });
      assert.match((await checked.checkIntegrity()).findings.join(), behind(50));
      await checked.close();
      const store = await place.open();
      await store.write(transaction("later"));
      assert.equal(await lastNumber(store, "later"), 50 + spare + 1);
    });
  }
});
