// Tests of this folder once more, on PostgreSQL behind PgBouncer in transaction mode, which keeps prepared statements.

import { after, it } from "node:test";
import { lacksPgBouncer, startPgBouncer } from "../support/postgres/pgbouncer.ts";
import { startPostgres } from "../support/postgres/postgres-server.ts";
import { runFilesOn } from "./on-store.ts";

const prepared = true;
const skip = lacksPgBouncer({ prepared });

if (skip === false) {
  const server = await startPostgres({ settings: { max_connections: "300" } });
  const pooler = await startPgBouncer(server.adminUrl, { prepared, serverConnections: 4 });
  await runFilesOn({
    server,
    settingsFor: (url) => ({
      DATABASE_URL: pooler.through(url),
      DATABASE_PREPARE: prepared ? "on" : "off",
    }),
  });
  after(() => pooler.remove());
  after(() => server.remove());
} else {
  it("the HTTP suite behind a pooler", { skip }, () => undefined);
}
