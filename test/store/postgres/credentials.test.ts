// Keys that are guessed at once, on PostgreSQL.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { it } from "node:test";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore } from "../../support/test-store.ts";

const server = await usePostgres();

it("many guesses of keys at once open no further connections", async () => {
  const url = await server.makeDatabase();
  const store = await openTestStore(url, { role: "serve" });
  try {
    const guesses = Array.from({ length: 64 }, () => store.findKeyBySecret(randomBytes(32)));
    assert.ok((await Promise.all(guesses)).every((found) => found === undefined));
    const [row] = await server.query(
      "SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database()" +
        " AND application_name = 'sluice'",
      url,
    );
    assert.ok(Number(row?.["open"]) <= 2, `${String(row?.["open"])} connections`);
  } finally {
    await store.close();
  }
});
