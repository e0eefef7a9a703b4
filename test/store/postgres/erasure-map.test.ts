// The erasure map and the real tables on PostgreSQL agree, in both directions.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { postgresErasureMap } from "../../../src/store/erasure-map.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";

describe("the erasure map", () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.remove());

  it("names every column of every table on PostgreSQL, and no other", async () => {
    const url = await server.makeDatabase();
    await (await openStore(url, { role: "command" })).close();
    const rows = await server.query(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = current_schema()`,
      url,
    );
    await server.dropDatabase(url);
    const mapped = Object.entries(postgresErasureMap).flatMap(([table, columns]) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    );
    assert.ok(rows.length > 80);
    assert.deepEqual(rows.map(({ name }) => String(name)).sort(), mapped.sort());
  });
});
