// Two serving processes on one database, as an operator runs them, with the Redis in which they
// share their limits.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { type RespServer, startRespServer } from "../support/redis/resp-server.ts";
import { operate } from "../support/server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";

const password = "not-to-be-shown-either";

describe("two serving processes with one RATE_LIMIT_REDIS_URL", () => {
  const folder = makeTempFolder();
  const clock = makeFakeClock();
  let postgres: PostgresServer;
  let redis: RespServer;
  let environment: Readonly<Record<string, string>>;
  let servers: readonly ServerProcess[];

  before(async () => {
    postgres = await startPostgres();
    redis = await startRespServer({ now: clock.now, password });
    environment = testEnvironment(folder, {
      DATABASE_URL: await postgres.makeDatabase(),
      LOG_LEVEL: "info",
      RATE_LIMIT_PER_SECOND: "5",
      RATE_LIMIT_REDIS_URL: `redis://default:${password}@127.0.0.1:${redis.port}`,
      RATE_LIMIT_REDIS_TIMEOUT_MS: "10000",
    });
    servers = await Promise.all([startServerProcess(environment), startServerProcess(environment)]);
  });
  after(async () => {
    for (const server of servers) await server.end("SIGTERM");
    await redis.kill();
    await postgres.remove();
    removeFolder(folder);
  });

  function serverNo(index: number): ServerProcess {
    const server = servers[index % 2];
    assert.ok(server);
    return server;
  }

  async function customer(): Promise<Customer> {
    return await operate(environment, (app) => makeCustomer(app, serverNo(0).client));
  }

  async function look(index: number, token: string): Promise<number> {
    const query = { tx_id: "none" };
    const path = "/v2/transaction";
    return (await serverNo(index).client.send({ method: "GET", path, query, token })).status;
  }

  async function figure(index: number, name: string): Promise<number> {
    const { text } = await serverNo(index).client.send({ method: "GET", path: "/metrics" });
    return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
  }

  async function requireShared(expected: 0 | 1): Promise<void> {
    for (const index of [0, 1]) {
      await waitFor(`sluice_rate_limits_shared ${expected}`, async () => {
        return (await figure(index, "sluice_rate_limits_shared")) === expected || undefined;
      });
    }
  }

  it("allow together what one limit allows, and leave no secret in Redis", async () => {
    await requireShared(1);
    const { token, apiKey } = await customer();
    const found = await Promise.all(Array.from({ length: 24 }, (_, index) => look(index, token)));
    assert.deepEqual(
      [404, 429].map((status) => found.filter((each) => each === status).length),
      [10, 14],
    );
    clock.advanceMs(1_000);
    const later: number[] = [];
    for (let sent = 0; sent < 7; sent += 1) later.push(await look(sent, token));
    assert.deepEqual(later, [404, 404, 404, 404, 404, 429, 429]);
    const keys = JSON.stringify(redis.run(["KEYS", "*"]));
    for (const secret of [token, apiKey]) assert.ok(!keys.includes(secret));
    assert.equal(await figure(0, "sluice_rate_limit_fallbacks_total"), 0);
  });
});
