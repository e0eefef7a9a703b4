// What a connection to PostgreSQL needs: a password, a known kind of TLS, a place for the tables. What is missing is
// named, also while serving.

import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isUnencrypted } from "../../../src/files/postgres-urls.ts";
import type { AppError } from "../../../src/domain/error.ts";
import { keyOf, transaction } from "../../conformance/scene.ts";
import {
  ownerName,
  password,
  startPostgres,
  urlOf,
  usePostgres,
} from "../../support/postgres/postgres-server.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { openTestStore } from "../../support/test-store.ts";

const server = await usePostgres();

async function openOnce(url: string): Promise<void> {
  await (await openTestStore(url, { role: "command" })).close();
}

describe("a password", () => {
  it("is asked for by name where the URL has none", async (test) => {
    const folder = makeTempFolder();
    const rules = join(folder, "pg_hba.conf");
    writeFileSync(
      rules,
      `host all ${ownerName} 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n`,
    );
    chmodSync(folder, 0o755);
    chmodSync(rules, 0o644);
    const own = await startPostgres({ own: true, settings: { hba_file: rules } });
    test.after(() => own.remove());
    const url = await own.makeDatabase();
    await openOnce(url);
    await assert.rejects(
      openOnce(urlOf(url, { password: "" })),
      /The server asks for a password\. Add it to DATABASE_URL, or set PGPASSWORD/,
    );
  });
});

describe("a connection without TLS", () => {
  it("is noticed towards another machine, unless somebody has said so", () => {
    const other = "postgres://a@db.example/x";
    const unsafe = [other, "postgres://a@localhost,10.0.0.1/x", "postgres://a@[fe80::1]:5432/x"];
    const safe = ["postgres://a@localhost/x", "postgres://a@127.0.0.2/x", "postgres://a@[::1]/x"];
    const said = [
      `${other}?sslmode=disable`,
      `${other}?ssl=true`,
      "postgres://a@/x?host=/run/postgresql",
    ];
    for (const url of unsafe) assert.equal(isUnencrypted(url), true, url);
    for (const url of [...safe, ...said]) assert.equal(isUnencrypted(url), false, url);
  });

  it("is mentioned when a store is opened", async () => {
    const url = new URL(await server.makeDatabase());
    const notices: string[] = [];
    const onNotice = (text: string) => notices.push(text);
    const open = async () => (await openTestStore(url.href, { role: "command", onNotice })).close();
    await open();
    assert.deepEqual(notices, []);
    // Not the name of this machine, though it leads there.
    url.hostname = "0.0.0.0";
    await open();
    assert.match(notices.join(), /^The connection to the database is not encrypted\. Add sslmode/);
  });

  it("is refused where the URL asks for one in words that are not known", async () => {
    for (const parameter of ["ssl=require", "sslmode=required"]) {
      const url = `${await server.makeDatabase()}?${parameter}`;
      const refused = new RegExp(
        `${parameter.split("=")[0]} in DATABASE_URL has a value that is not known`,
      );
      await assert.rejects(openTestStore(url, { role: "command" }), refused);
    }
  });
});

describe("a store", () => {
  it("can be in a schema whose name has to be quoted", async () => {
    const url = await server.makeDatabase();
    const { username, pathname } = new URL(url);
    await server.query(`CREATE SCHEMA "Own ""Store" AUTHORIZATION ${username}`, url);
    await server.query(
      `ALTER ROLE ${username} IN DATABASE ${pathname.slice(1)} SET search_path = "Own ""Store"`,
    );
    const store = await openTestStore(url, { role: "serve" });
    await store.write(transaction("one"));
    await store.requireConsistent();
    await store.close();
    const [found] = await server.query(
      `SELECT count(*)::int AS rows FROM "Own ""Store".record`,
      url,
    );
    assert.equal(found?.["rows"], 1);
  });

  it("has no place in a schema of the server, which the search path may name", async () => {
    const url = await server.makeDatabase();
    const { username, pathname } = new URL(url);
    await server.query(
      `ALTER ROLE ${username} IN DATABASE ${pathname.slice(1)} SET search_path = pg_catalog`,
    );
    await assert.rejects(
      openTestStore(url, { role: "serve" }),
      /ALTER ROLE .* SET search_path = public;/,
    );
  });

  it("says that it waits for another process that migrates", async () => {
    const url = await server.makeDatabase();
    const notices: string[] = [];
    const locked =
      "DO $$ BEGIN PERFORM pg_advisory_xact_lock(7518242301); PERFORM pg_sleep(3); END $$";
    const holding = server.query(locked, url);
    const open = async () => {
      for (;;) {
        const held = await server.query(
          "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted",
          url,
        );
        if (held.length > 0) break;
      }
      return openTestStore(url, { role: "serve", onNotice: (text) => notices.push(text) });
    };
    const [store] = await Promise.all([open(), holding]);
    await store.close();
    assert.match(notices.join(), /Another process is migrating the schema/);
  });

  for (const [what, sql] of Object.entries({
    "its role may not log in": "ALTER ROLE lost NOLOGIN",
    "its database accepts no connections": "ALTER DATABASE name ALLOW_CONNECTIONS false",
    "its database has another name": "ALTER DATABASE name RENAME TO name_renamed",
  })) {
    it(`is unavailable, and not broken, while ${what}`, async () => {
      const url = await server.makeDatabase();
      const name = new URL(url).pathname.slice(1);
      const role = `lost_${name}`;
      await server.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}' IN ROLE ${ownerName}`);
      await (await openTestStore(url, { role: "serve" })).close();
      const store = await openTestStore(urlOf(url, { user: role, password }), { role: "serve" });
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;
      await server.query(end);
      const statement = sql.replaceAll("lost", role).replaceAll("name", name);
      await server.query(statement);
      for (let count = 0; count < 3; count += 1) {
        const failure = await store
          .exists(keyOf("transaction", "one"))
          .catch((error: unknown) => error);
        assert.equal((failure as AppError).errorName, "unavailable", String(failure));
      }
      await store.close();
    });
  }
});
