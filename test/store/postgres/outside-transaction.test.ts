// Statements that PostgreSQL does not run in a transaction, and their cancellation when a process stops.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { defaultConnections } from "../../../src/store/interface/connection-settings.ts";
import { Database } from "../../../src/store/postgres/database.ts";
import { lacksPgBouncer, startPgBouncer } from "../../support/postgres/pgbouncer.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { storeParts as parts } from "../../../src/feature/parts.ts";

const server = await usePostgres();
const url = await server.makeDatabase();
const running = `
  SELECT count(*)::int AS found FROM pg_stat_activity
  WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%' AND datname = current_database()`;

async function waitForRunning(wanted: number): Promise<void> {
  await waitFor("the statements to run", async () =>
    (await server.query(running, url))[0]?.["found"] === wanted ? true : undefined,
  );
}

/** Two processes run the same statement. One of them stops, and the other one goes on. */
async function requireOwnCancelled(place: string): Promise<void> {
  const settings = { ...defaultConnections, poolMax: 2, prepare: false, parts };
  const [stops, goesOn] = [new Database(place, settings), new Database(place, settings)];
  // Now a pooler has several server connections, which it gives to clients in turn.
  const all = [stops, stops, goesOn].map((one) => one.outsideTransaction("SELECT pg_sleep(0.2)"));
  await Promise.all(all);
  const other = goesOn.outsideTransaction("SELECT pg_sleep(600)");
  const ended = { other: false };
  const settled = other.catch(() => undefined).finally(() => (ended.other = true));
  await waitForRunning(1);
  const own = stops.outsideTransaction("SELECT pg_sleep(600)");
  const rejected = assert.rejects(own, { errorName: "unavailable" });
  await waitForRunning(2);
  await stops.cancelOutside();
  await rejected;
  await waitForRunning(1);
  assert.equal(ended.other, false);
  await goesOn.cancelOutside();
  await settled;
  await Promise.all([stops.close(), goesOn.close()]);
}

describe("a statement outside a transaction", () => {
  it("is cancelled by the process that runs it, and no other one is", () =>
    requireOwnCancelled(url));

  it("is found behind a pooler", { skip: lacksPgBouncer({ prepared: false }) }, async () => {
    const pooler = await startPgBouncer(server.adminUrl, {
      prepared: false,
      serverConnections: 4,
    });
    after(() => pooler.remove());
    await requireOwnCancelled(pooler.through(url));
  });
});
