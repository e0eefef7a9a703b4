// A store behind PgBouncer in transaction mode that keeps no prepared statements, although the settings say so.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { lacksPgBouncer, startPgBouncer } from "../../support/postgres/pgbouncer.ts";
import { startPostgres } from "../../support/postgres/postgres-server.ts";
import { defaultConnections } from "../../../src/store/interface/connection-settings.ts";
import { openTestStore } from "../../support/test-store.ts";

const connections = { ...defaultConnections, poolMax: 4 };

describe("a pooler without prepared statements", () => {
  const skip = lacksPgBouncer({ prepared: false });
  it("is named when a store is opened that prepares its statements", { skip }, async () => {
    const server = await startPostgres();
    after(() => server.remove());
    const pooler = await startPgBouncer(server.adminUrl, { prepared: false, serverConnections: 2 });
    after(() => pooler.remove());
    const url = await server.makeDatabase();
    const open = (prepare: boolean) =>
      openTestStore(pooler.through(url), {
        role: "serve",
        connections: { ...connections, prepare },
      });
    await (await open(false)).close();
    await assert.rejects(open(true), { name: "StoreError", message: /Set DATABASE_PREPARE=off/ });
  });
});
