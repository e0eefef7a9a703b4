// DATABASE_URL may name several servers: writes follow the one that accepts them, without a restart.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { AppError } from "../../../src/domain/error.ts";
import { transaction } from "../../conformance/scene.ts";
import { findFreePort } from "../../support/free-port.ts";
import { type PostgresServer, usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore } from "../../support/test-store.ts";
import { waitFor } from "../../support/wait-for.ts";

/** Each has a database of the same name, as a primary and its replica have. */
const servers = [await usePostgres({ own: true }), await usePostgres({ own: true })] as const;
const [one, other] = servers;
const name = "shared";

async function makeDatabase(server: PostgresServer): Promise<URL> {
  const url = new URL(await server.makeDatabase());
  await server.query(`ALTER DATABASE ${url.pathname.slice(1)} RENAME TO ${name}`);
  url.pathname = name;
  return url;
}

/** What its sessions may do from now on, also those that exist. */
async function setReadOnly(server: PostgresServer, isReadOnly: boolean): Promise<void> {
  const value = isReadOnly ? "on" : "off";
  await server.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
  await server.query("SELECT pg_reload_conf()");
  await waitFor("the setting", async () => {
    const [row] = await server.query("SHOW default_transaction_read_only");
    return row?.["default_transaction_read_only"] === value;
  });
}

async function sessions(server: PostgresServer): Promise<readonly unknown[]> {
  const found = await server.query(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'sluice' ORDER BY pid",
  );
  return found.map(({ pid }) => pid);
}

async function has(server: PostgresServer, id: string): Promise<boolean> {
  const found = await server.query(
    `SELECT 1 FROM record WHERE resource_id = '${id}'`,
    `postgres://127.0.0.1/${name}`,
  );
  return found.length === 1;
}

describe("a store on several servers", async () => {
  const urls = [await makeDatabase(one), await makeDatabase(other)];
  // Each has the tables.
  for (const url of urls) await (await openTestStore(url.href, { role: "serve" })).close();
  const hosts = [`127.0.0.1:${await findFreePort()}`, ...urls.map(({ host }) => host)];
  const [first] = urls;
  const { username, password } = first ?? new URL("x:");
  const url = `postgres://${username}:${password}@${hosts.join(",")}/${name}`;
  const store = await openTestStore(url, { role: "serve" });
  after(() => store.close());

  /** Writes until it is accepted; returns how often it was refused. */
  async function write(id: string): Promise<readonly string[]> {
    const refusals: string[] = [];
    await waitFor(`the write of ${id}`, async () => {
      try {
        await store.write(transaction(id));
        return true;
      } catch (error) {
        refusals.push((error as Error).message);
        return undefined;
      }
    });
    return refusals;
  }

  it("passes over one that nobody listens on", async () => {
    assert.deepEqual(await write("first"), []);
    assert.deepEqual([await has(one, "first"), await has(other, "first")], [true, false]);
  });

  it("leaves one that has become read-only, and does not use its connections again", async () => {
    const used = await sessions(one);
    assert.ok(used.length > 0);
    await setReadOnly(one, true);
    assert.ok((await write("second")).length <= used.length, "each was used once more at most");
    assert.deepEqual([await has(one, "second"), await has(other, "second")], [false, true]);
  });

  it("follows when the other one is gone and the first accepts writes again", async () => {
    await setReadOnly(one, false);
    await other.stop("kill");
    await write("third");
    assert.equal(await has(one, "third"), true);
  });

  it("says so while none accepts writes", async () => {
    await setReadOnly(one, true);
    await waitFor("a refusal", async () => {
      const outcome = await store.write(transaction("fourth")).catch((error: unknown) => error);
      return outcome instanceof AppError && outcome.message.includes("accepts no changes");
    });
    await setReadOnly(one, false);
    await write("fourth");
    assert.equal(await has(one, "fourth"), true);
  });
});
