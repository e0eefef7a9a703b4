// Exactly-once writes and concurrent calls of the client against real servers on PostgreSQL: two on one store, used in
// turn behind the proxy.

import { after, before } from "node:test";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { testConcurrentCalls } from "./concurrent-calls.ts";
import type { Engine } from "./engine.ts";
import { testExactlyOnce } from "./exactly-once.ts";

let running: PostgresServer | undefined;

before(async () => {
  running = await startPostgres();
});
after(() => running?.remove());

const postgres: Engine = {
  name: "PostgreSQL",
  servers: 2,
  environment: async () => {
    if (running === undefined) throw new Error("the server runs when the tests do, not before");
    return { DATABASE_URL: await running.makeDatabase() };
  },
};

testExactlyOnce(postgres);
testConcurrentCalls(postgres);
