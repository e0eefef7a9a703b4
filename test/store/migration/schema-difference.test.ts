// A store whose schema is not that of this version is not served, and `check` names every difference; what whoever runs
// the database has added is only noted. A dump that was restored in part lacks keys, indexes or row-level security.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transaction } from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore } from "../../support/test-store.ts";
import { makePlace } from "../sqlite/place.ts";

/** Statements that damage a schema, by what has to be found. */
const damage: Readonly<Record<string, string>> = {
  "The table operator_session is missing.": "DROP TABLE operator_session",
  "The column hold.placed_at is missing.": "ALTER TABLE hold DROP COLUMN placed_at",
  "The column deletion.attempts is bigint, and not bigint NOT NULL DEFAULT 0.":
    "ALTER TABLE deletion ALTER attempts DROP NOT NULL, ALTER attempts DROP DEFAULT",
  "The primary key of record is missing.": "ALTER TABLE record DROP CONSTRAINT record_pkey",
  "The unique constraint of operator (name) is missing.":
    "ALTER TABLE operator DROP CONSTRAINT operator_name_key",
  "The check constraint of relation (kind) is missing.":
    "ALTER TABLE relation DROP CONSTRAINT relation_kind_check",
  "The foreign key of api_key (organization_id) to organization is missing.":
    "ALTER TABLE api_key DROP CONSTRAINT api_key_organization_id_fkey",
  "The index change_by_digest is missing.": "DROP INDEX change_by_digest",
  "The index deletion_open is on deletion (organization_id), and not unique on deletion (organization_id, resource_type, resource_id) for some rows.":
    "DROP INDEX deletion_open; CREATE INDEX deletion_open ON deletion (organization_id)",
  "The sequence arrival is missing.": "DROP SEQUENCE arrival",
  "The table receipt is unlogged, and not logged.": "ALTER TABLE receipt SET UNLOGGED",
  "The row-level security of change is missing.": "ALTER TABLE change DISABLE ROW LEVEL SECURITY",
  "The row-level security of relation is on, but not for the owner, and not on.":
    "ALTER TABLE relation NO FORCE ROW LEVEL SECURITY",
  "The policy named_organizations of deletion is missing.":
    "DROP POLICY named_organizations ON deletion",
  "The policy all_rows of receipt does not belong to the store.":
    "CREATE POLICY all_rows ON receipt USING (true)",
  "The exclusion of change.payload from statistics is missing.":
    "ALTER TABLE change ALTER payload SET STATISTICS 100",
};

const additions = `
  CREATE TABLE report (id bigint);
  CREATE INDEX hold_by_owner ON hold (owner);
  ALTER TABLE hold ADD COLUMN ticket text;
  CREATE PUBLICATION everything FOR ALL TABLES;
  CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
  CREATE TRIGGER watched BEFORE UPDATE ON hold FOR EACH ROW EXECUTE FUNCTION nothing()`;

const server = await usePostgres();

async function makeStore(sql: string): Promise<string> {
  const url = await server.makeDatabase();
  const store = await openTestStore(url, { role: "serve" });
  await store.write(transaction("one"));
  await store.close();
  await server.query(sql, url);
  return url;
}

async function findingsIn(url: string) {
  const store = await openTestStore(url, { role: "command" });
  try {
    return await store.checkIntegrity();
  } finally {
    await store.close();
  }
}

describe("the schema of a store on PostgreSQL", () => {
  it("is not served with any difference, each of which is named", async () => {
    const url = await makeStore(Object.values(damage).join(";"));
    const refused = /does not have the schema of this version\. The .* is missing\..* 6 more /;
    await assert.rejects(openTestStore(url, { role: "serve" }), refused);
    const { ok, findings } = await findingsIn(url);
    assert.equal(ok, false);
    assert.deepEqual([...findings].sort(), Object.keys(damage).sort());
  });

  it("is checked together with the rows where all can be read", async () => {
    const url = await makeStore(
      "DROP INDEX change_by_digest; ALTER POLICY named_organizations ON change USING (true); DELETE FROM change",
    );
    const { findings } = await findingsIn(url);
    assert.match(findings.join("\n"), /index change_by_digest is missing/);
    assert.match(findings.join("\n"), /policy named_organizations of change is by nothing to read/);
    assert.match(findings.join("\n"), /A record has no change/);
  });

  it("is served with what was added to it, which is noted", async () => {
    const url = await makeStore(additions);
    await (await openTestStore(url, { role: "serve" })).close();
    const { ok, notes = [] } = await findingsIn(url);
    assert.equal(ok, true);
    assert.equal(
      notes.join(),
      "The database also has what is not part of the store: table report, column hold.ticket, index hold_by_owner, " +
        "trigger watched of hold.",
    );
  });

  it("is recognised as a part of one without its version", async () => {
    const url = await makeStore("DELETE FROM meta");
    await assert.rejects(openTestStore(url, { role: "serve" }), /only a part of it is there/);
  });
});

describe("the schema of a store on SQLite", () => {
  it("is not served with any difference, each of which is named", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    place.withDatabase((file) => {
      file.exec(
        "DROP INDEX deletion_open; DROP TABLE operator_session; ALTER TABLE hold DROP owner",
      );
    });
    await assert.rejects(place.open({ role: "serve" }), /The table operator_session is missing\. /);
    const store = await place.open({ role: "command" });
    assert.deepEqual([...(await store.checkIntegrity()).findings].sort(), [
      "The column hold.owner is missing.",
      "The index deletion_open is missing.",
      "The table operator_session is missing.",
    ]);
  });

  it("is served with what was added to it, which is noted", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    place.withDatabase((file) => {
      file.exec("CREATE INDEX hold_by_owner ON hold (owner); CREATE TABLE report (id)");
    });
    const store = await place.open({ role: "serve" });
    const { ok, notes = [] } = await store.checkIntegrity();
    assert.equal(ok, true);
    assert.match(notes.join(), /not part of the store: table report, index hold_by_owner\./);
  });

  it("is recognised as a part of one without its version", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    place.withDatabase((file) => file.exec("DELETE FROM meta"));
    await assert.rejects(place.open(), /only a part of it is there/);
  });
});
