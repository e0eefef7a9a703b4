// The conformance suite on PostgreSQL. The store is opened as an ordinary role, so that row-level security holds it.

import { after, before } from "node:test";
import { openStore } from "../../src/store/open-store.ts";
import type { Store, StoreOptions } from "../../src/store/store.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import type { Engine } from "./engine.ts";
import { testEngine } from "./suite.ts";

let server: PostgresServer | undefined;

before(async () => {
  server = await startPostgres();
});
after(() => server?.remove());

const postgres: Engine = {
  name: "PostgreSQL",
  async open(options) {
    const running = server;
    if (running === undefined) throw new Error("the server runs when the tests do, not before");
    const url = await running.makeDatabase();
    const opened: Store[] = [];
    async function open(more?: Partial<StoreOptions>): Promise<Store> {
      const store = await openStore(url, { role: "serve", ...options, ...more });
      opened.push(store);
      return store;
    }
    const closeAll = () => Promise.all(opened.splice(0).map((store) => store.close()));
    return {
      store: await open(),
      openAnother: (more) => open(more),
      async reopen() {
        await closeAll();
        return open();
      },
      async remove() {
        await closeAll();
        await running.dropDatabase(url);
      },
    };
  },
};

testEngine(postgres);
