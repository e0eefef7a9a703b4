// The index of persons: processes that make it at once, or while its key changes, and what it has of a long history.
// Names with more terms than are kept: they never displace the other values that a person is found by. The keys of the
// index of persons: a hash says nothing to whoever has the hashes of another organization or another key. Telephone
// numbers in a search: one number in all of its written forms, with and without its country.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { persons } from "../../../src/feature/find/store/part.ts";
import { Client } from "pg";
import type { App } from "../../../src/actions/app.ts";
import { index, indexNext } from "../../../src/feature/find/build-index.ts";
import { findSubjects } from "../../../src/feature/find/find-subjects.ts";
import { makeKey, replaceKey } from "../../../src/data-folder/receipt-key.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { markBeginning } from "../../../src/store/postgres/commit/record.ts";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { draftOf, keyOf } from "../../conformance/scene.ts";
import { processDue } from "../../receipt/kill-scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { operate } from "../../support/server.ts";
import { testEnvironment } from "../../support/service.ts";
import { withActs } from "../../support/test-store.ts";
import { makeSearchKeys } from "../../../src/feature/find/build-index.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { termsOfName } from "../../../src/feature/find/name-terms.ts";
import { readTerms } from "../../../src/feature/find/record-terms.ts";
import { loadTelephoneReader } from "../../../src/feature/find/value-terms.ts";
import { readWanted } from "../../../src/feature/find/value-terms.ts";

const server = await usePostgres();
const folder = makeTempFolder();

async function addPerson(app: App, organizationId: string): Promise<void> {
  await createOrganization(app, { name: organizationId, organizationId });
  const drafts = [draftOf("person", "p", { name: "Ada Example" })];
  const kind = { organizationId, resourceType: "person", mode: "add" } as const;
  await app.store.writeRecords({ ...kind, drafts, lenient: false, receivedAt: 1_000 });
}

async function build(app: App): Promise<void> {
  while (await indexNext(app));
}

async function countFound(app: App, organizationId: string, name = "Ada Example"): Promise<number> {
  const request = { organizationId, reason: "Inquiry 17/26" };
  const found = await findSubjects(app, { ...request, wanted: { name } });
  assert.equal(found.incomplete, undefined);
  return found.total;
}

describe("the index of persons", () => {
  it("is complete after a change of the key, wherever another process stopped before", async () => {
    const environment = testEnvironment(folder);
    const config = readConfig(environment);
    replaceKey(config, makeKey());
    const ids = ["acme", "other"];
    await operate(environment, async (app) => {
      for (const id of ids) await addPerson(app, id);
      await indexNext(app);
      await build(app);
      replaceKey(config, makeKey());
      await index.begin(app);
      await build(app);
      for (const id of ids) assert.equal(await countFound(app, id), 1);
    });
  });

  it("is complete for an organization, however much others have sent before", async () => {
    const environment = testEnvironment(makeTempFolder());
    replaceKey(readConfig(environment), makeKey());
    await operate(environment, async (app) => {
      const store = withActs(app.store);
      await createOrganization(app, { name: "Large", organizationId: "large" });
      const ids = Array.from({ length: 5_000 }, (_, at) => `p${at}`);
      const kind = { organizationId: "large", resourceType: "person" };
      await store.write(
        ids.map((id) => draftOf("person", id, { name: "Ada Common" })),
        kind,
      );
      await addPerson(app, "small");
      assert.equal(await countFound(app, "small"), 1);
      const { indexedNo } = await app.store.of(persons).state();
      assert.ok(indexedNo > 0 && indexedNo < 5_000, `${indexedNo}`);
    });
  });

  it("is not searched again where there are only records of other types", async () => {
    const environment = testEnvironment(makeTempFolder());
    replaceKey(readConfig(environment), makeKey());
    await operate(environment, async (app) => {
      await addPerson(app, "acme");
      // With writers all the time, there would always be a next step.
      assert.equal(await indexNext(app), false);
      const ids = Array.from({ length: 9_000 }, (_, at) => `t${at}`);
      for (const part of ["a", "b", "c"]) {
        const drafts = ids.map((id) => draftOf("transaction", `${part}${id}`));
        await withActs(app.store).write(drafts);
      }
      // One step passes all of them, and does not move the mark for a few more.
      const { settled } = await app.store.settledArrival();
      for (const id of ["few", "more"]) {
        assert.equal(await indexNext(app), false);
        assert.equal((await app.store.of(persons).state()).indexedNo, settled);
        await withActs(app.store).write([draftOf("transaction", id)]);
      }
      assert.equal(await countFound(app, "acme"), 1);
    });
  });

  it("has the latest changes of a record, and no more than some MiB of them", async () => {
    await operate(testEnvironment(folder), async (app) => {
      await createOrganization(app, { name: "long", organizationId: "long" });
      const kind = { organizationId: "long", resourceType: "person" } as const;
      for (let at = 0; at < 200; at += 1) {
        const draft = draftOf("person", "p", {
          name: `Ada ${Math.floor(at / 50)}x`,
          occupation: "x".repeat(60_000),
        });
        const mode = at === 0 ? "add" : "update";
        const write = {
          ...kind,
          mode,
          drafts: [draft],
          lenient: false,
          receivedAt: 1_000,
        } as const;
        assert.equal((await app.store.writeRecords(write)).written, 1);
      }
      assert.equal(await countFound(app, "long", "Ada 3x"), 1);
      assert.equal(await countFound(app, "long", "Ada 2x"), 1);
      assert.equal(await countFound(app, "long", "Ada 0x"), 0);
    });
  });

  it("has a person that becomes visible after others with a higher number of arrival", async () => {
    const url = await server.makeDatabase();
    const settings = { ...testEnvironment(makeTempFolder()), DATABASE_URL: url };
    replaceKey(readConfig(settings), makeKey());
    const client = new Client({ connectionString: url });
    await operate(settings, async (app) => {
      await addPerson(app, "late");
      await client.connect();
      await client.query(`BEGIN; SELECT set_config('sluice.organizations', 'late', true);
        ${markBeginning};
        INSERT INTO record (organization_id, resource_type, resource_id, first_seen, last_seen)
        VALUES ('late', 'person', 'slow', '2026-01-01T00:00:00', '2026-01-01T00:00:00');
        INSERT INTO change
          (organization_id, resource_type, resource_id, change_no, received_at, payload)
        VALUES ('late', 'person', 'slow', nextval('arrival'), 1,
          '{"name":"Ada Example","timestamp":"2026-01-01T00:00:00Z"}')`);
      const quick = draftOf("person", "quick", { name: "Ada Example" });
      await withActs(app.store).write(quick, { organizationId: "late", resourceType: "person" });
      await build(app);
      assert.equal((await app.store.of(persons).state()).indexedNo, 1);
      await client.query("COMMIT");
      assert.equal(await countFound(app, "late"), 3);
      await client.end();
    });
  });

  it("is complete after two processes made it at once, beside writes and erasures", async () => {
    const settings = {
      ...testEnvironment(makeTempFolder()),
      DATABASE_URL: await server.makeDatabase(),
    };
    replaceKey(readConfig(settings), makeKey());
    const kind = { organizationId: "both", resourceType: "person" } as const;
    const ids = Array.from({ length: 300 }, (_, at) => `p${at}`);
    await operate(settings, async (one) => {
      await createOrganization(one, { name: "Both", organizationId: "both" });
      const store = withActs(one.store);
      await store.write(
        ids.map((id) => draftOf("person", id, { name: "Ada Before" })),
        kind,
      );
      const change = async (): Promise<void> => {
        for (const id of ids.slice(0, 40)) {
          await store.write(draftOf("person", id, { name: "Ada After" }), {
            ...kind,
            mode: "update",
          });
        }
      };
      const erase = async (): Promise<void> => {
        for (const id of ids.slice(290)) await store.request(keyOf("person", id, "both"));
        await processDue(one);
      };
      await operate(settings, async (two) => {
        await Promise.all([...[one, two, one].map(build), change(), erase()]);
      });
      assert.equal(await countFound(one, "both", "Ada After"), 40);
      assert.equal(await countFound(one, "both", "Ada Before"), 290);
      assert.deepEqual(await one.store.checkIntegrity(), { ok: true, findings: [] });
    });
  });
});

/** Each word has three spellings, with the hyphen and without it. */
const words = ["Ахг", "Бхг", "Вхг", "Гхг", "Дхг", "Жхг", "Зхг", "Кхг"];
const name = `${words.map((word, at) => `${word}-${words[(at + 3) % words.length]}`).join(" ")} GmbH`;
const readTelephone = await loadTelephoneReader();

describe("a name with more terms than are kept", () => {
  it("leaves room for the other values of a record, of now and of before", () => {
    const before = { name, email: "before@example.com" };
    const now = { email: "now@example.com", date_of_birth: "1990-12-10" };
    const changes = [before, now];
    const terms = readTerms("person", { state: { ...before, ...now }, changes, readTelephone });
    const found = terms.filter(({ field }) => field !== "name").map(({ term }) => term);
    assert.deepEqual(found.toSorted(), [
      "born 1990-12-10",
      "email before@example.com",
      "email now@example.com",
    ]);
  });

  it("leaves room for what else is known", () => {
    const wanted = readWanted({ name, born: "1990-12-10" }, readTelephone);
    assert.deepEqual(
      wanted.filter(({ criterion }) => criterion !== "name").map(({ term }) => term),
      ["born 1990-12-10"],
    );
  });

  it("is found by its own terms beside many values of before", () => {
    const changes = Array.from({ length: 400 }, (_, at) => ({
      name: "Ada Example",
      email: `a${at}@example.com`,
    }));
    const terms = readTerms("person", { state: changes.at(-1) ?? {}, changes, readTelephone });
    assert.ok(terms.some(({ term }) => term === "whole adaexample"));
    assert.ok(terms.length <= 256);
  });

  it("is kept as a whole in all of its spellings, before its parts, and leaves room for a former name", () => {
    const former = "Ada Example";
    const changes = [{ name: former }, { name }];
    const kept = readTerms("person", { state: { name }, changes, readTelephone });
    const terms = new Set(kept.map(({ term }) => term));
    const spelled = termsOfName(name, "person").filter(({ form }) => form === "whole");
    assert.ok(spelled.length > 2);
    for (const { text } of spelled) assert.ok(terms.has(`whole ${text}`), text);
    assert.ok(terms.has("whole adaexample"));
  });

  it("is not read from values for which no term is left", () => {
    let read = 0;
    const counting = (text: string) => {
      read += 1;
      return readTelephone(text);
    };
    const changes = Array.from({ length: 1_000 }, (_, at) => ({
      phone_number: `030 ${100_000 + at}`,
    }));
    readTerms("person", { state: {}, changes, readTelephone: counting });
    assert.ok(read > 100 && read <= 130, `${read}`);
  });
});

function hexOf(keys: ReturnType<typeof makeSearchKeys>, organizationId: string): string {
  return Buffer.from(keys.hash(organizationId, "born 1990-12-10")).toString("hex");
}

describe("the hash of a value", () => {
  it("is the same for a key and an organization, and different for another of either", () => {
    const secret = makeKey();
    const [keys, again, others] = [secret, secret, makeKey()].map(makeSearchKeys);
    assert.ok(keys && again && others);
    assert.equal(hexOf(keys, "acme"), hexOf(again, "acme"));
    const hashes = [hexOf(keys, "acme"), hexOf(keys, "other"), hexOf(others, "acme")];
    assert.equal(new Set(hashes).size, 3);
    assert.notEqual(keys.check, others.check);
  });
});

describe("a telephone number", () => {
  for (const text of [
    "+49 30 1234567",
    "+49 (0)30 1234567",
    "0049 30 123-4567",
    "+49.30.1234567",
    "＋４９ ３０ １２３４５６７",
    "+49 30 1234567 ext. 12",
    "\u202a+49 30 1234567\u202c",
    "+٤٩ ٣٠ ١٢٣٤٥٦٧",
  ]) {
    it(`is one number however it is written: ${text}`, () => {
      assert.deepEqual(readTelephone(text), { full: "+49301234567", national: ["301234567"] });
    });
  }

  for (const [national, international] of [
    ["030 1234567", "+49 30 1234567"],
    ["٠٣٠ ١٢٣٤٥٦٧", "+49 30 1234567"],
    ["(415) 555-2671", "+1 415 555 2671"],
    ["1-415-555-2671", "+1 415 555 2671"],
    ["06 6982 1234", "+39 06 6982 1234"],
    ["020 7946 0018", "+44 20 7946 0018"],
    ["8 (495) 123-45-67", "+7 495 123 45 67"],
    ["06 1 123 4567", "+36 1 123 4567"],
  ] as const) {
    it(`shares its national digits with the form that has a country: ${national}`, () => {
      const known = new Set(readTelephone(international).national);
      assert.ok(readTelephone(national).national.some((digits) => known.has(digits)));
      assert.equal(readTelephone(national).full, undefined);
    });
  }

  it("is of one country only", () => {
    assert.notEqual(readTelephone("+49 30 1234567").full, readTelephone("+43 30 1234567").full);
  });

  for (const text of ["", "none", "12", "x".repeat(1_024)]) {
    it(`is none: ${text.slice(0, 8)}`, () => {
      assert.deepEqual(readTelephone(text), { full: undefined, national: [] });
    });
  }
});
