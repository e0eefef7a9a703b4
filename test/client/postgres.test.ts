// The client against real servers on PostgreSQL: two on one store, used in turn behind the proxy.

import { after, before } from "node:test";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { testClient } from "./suite.ts";

let running: PostgresServer | undefined;

before(async () => {
  running = await startPostgres();
});
after(() => running?.remove());

testClient({
  name: "PostgreSQL",
  servers: 2,
  environment: async () => {
    if (running === undefined) throw new Error("the server runs when the tests do, not before");
    return { DATABASE_URL: await running.makeDatabase() };
  },
});
