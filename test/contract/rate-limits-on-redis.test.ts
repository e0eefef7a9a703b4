// The tests of the limits once more, with limits that are shared in Redis: clients see no
// difference. Each service has its own Redis server, which uses the service's clock.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type RespServer, startRespServer } from "../support/redis/resp-server.ts";
import { useStores } from "../support/service.ts";

const servers: RespServer[] = [];

useStores(async (folder, clock) => {
  const server = await startRespServer({ now: clock.now });
  servers.push(server);
  return {
    DATABASE_URL: `sqlite:${folder}/sluice.db`,
    RATE_LIMIT_REDIS_URL: `redis://127.0.0.1:${server.port}`,
    RATE_LIMIT_REDIS_TIMEOUT_MS: "10000",
  };
});

await import("./rate-limits.test.ts");

describe("the limits in Redis", () => {
  it("were requested from it", () => {
    const counts = servers.map(({ commands }) => commands.filter((name) => name === "EVALSHA"));
    assert.ok(counts.flat().length > 300, `${counts.flat().length} requests`);
  });
});

after(async () => {
  for (const server of servers) await server.kill();
});
