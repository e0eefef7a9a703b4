// How long a message on a connection may take.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Client } from "pg";
import { send } from "../../../src/store/postgres/send.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";

const server = await usePostgres();
const url = await server.makeDatabase();

const wait = (seconds: number) => `SELECT pg_sleep(${seconds})`;

async function connect(test: TestContext): Promise<Client> {
  const client = new Client({ connectionString: url, pipeline: true });
  client.on("error", () => undefined);
  await client.connect();
  test.after(() => client.end());
  return client;
}

describe("a message to the server", () => {
  it("may take its time after what was sent before it", async (test) => {
    const client = await connect(test);
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const sent = [send(client, wait(0.1), 1_000), send(client, wait(0.1), 1_000)];
    const all = Promise.all([...sent, send(client, "SELECT 1 AS one", 300)]);
    test.mock.timers.tick(999);
    const last = await all;
    assert.deepEqual(last[2]?.rows, [{ one: 1 }]);
  });

  it("that the server refuses leaves the connection as it is", async (test) => {
    const client = await connect(test);
    const limited = `SET statement_timeout = 100; ${wait(60)}`;
    const [refused, next] = await Promise.allSettled([send(client, limited), send(client, "")]);
    assert.equal(refused.status === "rejected" && refused.reason.code, "57014");
    assert.equal(next.status, "fulfilled");
  });

  it("ends the connection when it takes longer, with all that was sent after it", async (test) => {
    const client = await connect(test);
    const sent = [
      send(client, "SELECT 1", 60_000),
      send(client, wait(600), 100),
      send(client, "SELECT 2", 60_000),
    ];
    const ends = await Promise.allSettled(sent);
    assert.deepEqual(
      ends.map((end) => (end.status === "rejected" ? String(end.reason) : end.value.rowCount)),
      [1, ...Array.from({ length: 2 }, () => "Error: the database has not answered for 100 ms")],
    );
    await assert.rejects(send(client, "SELECT 1"), /not queryable/);
  });

  it("leaves nothing behind that would end the connection later", async (test) => {
    const client = await connect(test);
    test.mock.timers.enable({ apis: ["setTimeout"] });
    await send(client, "SELECT 1", 50);
    test.mock.timers.tick(1_000);
    assert.equal((await send(client, "SELECT 1")).rowCount, 1);
  });
});
