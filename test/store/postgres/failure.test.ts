// How a failure inside a transaction is reported: by what failed first, and by what is known to be
// temporary.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { DatabaseError, Pool } from "pg";
import { AppError } from "../../../src/domain/error.ts";
import { Database } from "../../../src/store/postgres/database.ts";
import { describeFailure, ServerError } from "../../../src/store/postgres/failure.ts";
import { inSequence } from "../../../src/store/postgres/commit/settle-all.ts";
import { allOrganizations } from "../../../src/store/sql/statement/visibility.ts";
import { defaultConnections } from "../../../src/store/interface/connection-settings.ts";
import type { Transaction } from "../../../src/store/postgres/transaction.ts";
import { StoreError } from "../../../src/store/interface/store-error.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { storeParts as parts } from "../../../src/feature/parts.ts";

function stateOf(error: unknown): string | undefined {
  return error instanceof ServerError ? error.state : undefined;
}

async function askTwice(transaction: Transaction): Promise<void> {
  await transaction.all("SELECT 1");
  await transaction.all("SELECT 2");
}

function answer(code: string): DatabaseError {
  return Object.assign(new DatabaseError("said by the server", 1, "error"), { code });
}

const warnAtCommit = `
  CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE WARNING 'no standby'; RETURN NULL; END $$;
  CREATE TABLE warned (id int);
  CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON warned DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION warn();
  INSERT INTO warned VALUES (1)`;

const server = await usePostgres();

describe("a failure inside a transaction", () => {
  let database: Database;
  before(async () => {
    database = new Database(await server.makeDatabase(), { ...defaultConnections, parts });
  });
  after(() => database.close());

  it("is reported by what failed first, even if a later statement comes earlier in the code", async () => {
    const failed = database.transaction(allOrganizations, (transaction) =>
      inSequence([askTwice(transaction), transaction.all("SELECT 1 / 0")] as const),
    );
    await assert.rejects(failed, (error) => {
      assert.equal(stateOf(error), "22012");
      return true;
    });
  });

  it("that is a warning at a commit leaves its outcome open, and is named", async () => {
    const warned = database.transaction(allOrganizations, (transaction) =>
      transaction.exec(warnAtCommit),
    );
    await assert.rejects(warned, (error) => {
      assert.ok(error instanceof AppError && error.errorName === "unavailable");
      assert.equal(String(error.cause), "UncertainCommit: PostgreSQL, at a commit: no standby");
      return true;
    });
  });

  it("that is a collision restarts the transaction, even if it shows only afterwards", async () => {
    let attempts = 0;
    const collide = `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'deadlock_detected'; END $$`;
    const result = await database.transaction(allOrganizations, async (transaction) => {
      attempts += 1;
      if (attempts === 3) return "done";
      await inSequence([askTwice(transaction), transaction.exec(collide)] as const);
      return "never";
    });
    assert.deepEqual([result, attempts], ["done", 3]);
  });
});

it("the lack of a free connection is reported as a busy database, not as one that is away", async () => {
  const connectionString = await server.makeDatabase();
  const pool = new Pool({ connectionString, max: 1, connectionTimeoutMillis: 20 });
  const first = pool.connect().catch(() => undefined);
  const error = await pool.connect().then(
    () => undefined,
    (failure: unknown) => failure,
  );
  (await first)?.release();
  await pool.end();
  const described = describeFailure(error, { distributed: false });
  assert.match(String(described), /The database of the service is busy/);
});

describe("an error of the server", () => {
  const alone = { distributed: false };
  const cluster = { distributed: true };

  it("that says to try again becomes 503", () => {
    for (const code of [
      "28000",
      "28P01",
      "3D000",
      "53100",
      "53300",
      "55000",
      "58030",
      "25006",
      "25P04",
      "42501",
      "57P01",
      "57P02",
      "57P03",
      "08006",
      "40P01",
    ]) {
      const error = describeFailure(answer(code), alone);
      assert.ok(error instanceof AppError && error.errorName === "unavailable", code);
      assert.equal(stateOf(error.cause), code);
    }
  });

  it("about the server's own limits of time says that it is busy", () => {
    for (const code of ["57014", "55P03"]) {
      const error = describeFailure(answer(code), alone);
      assert.match(String(error), /is busy; try again/, code);
    }
  });

  it("about row-level security is a bug of the service, and not a right that the role lacks", () => {
    const error = Object.assign(answer("42501"), { routine: "ExecWithCheckOptions" });
    assert.equal(stateOf(describeFailure(error, alone)), "42501");
  });

  it("becomes 503 on Citus too if a worker failed in the middle, and stays an error elsewhere", () => {
    for (const code of ["XX000", "25P02"]) {
      const error = describeFailure(answer(code), cluster);
      assert.ok(error instanceof AppError && error.errorName === "unavailable", code);
      assert.equal(stateOf(describeFailure(answer(code), alone)), code);
    }
  });

  it("about a lost prepared statement names the setting that turns them off", () => {
    for (const code of ["26000", "42P05"]) {
      const error = describeFailure(answer(code), alone);
      assert.ok(error instanceof StoreError, code);
      assert.match(error.message, /pooler .* DATABASE_PREPARE=off/);
    }
  });

  it("that is a bug of the service stays one everywhere", () => {
    for (const code of ["42601", "22012", "XX001"]) {
      assert.equal(stateOf(describeFailure(answer(code), cluster)), code);
      assert.equal(stateOf(describeFailure(answer(code), alone)), code);
    }
  });
});

describe("a statement that locks rows of several shards", () => {
  it("locks the shards while it runs, and no other statement of the transaction does", async (test) => {
    const database = new Database(await server.makeDatabase(), { ...defaultConnections, parts });
    test.after(() => database.close());
    // The settings of Citus can be set on any server; only the extension uses them.
    database.distributed = true;
    const read = `SELECT current_setting('citus.enable_deadlock_prevention', true) AS locks`;
    const seen = await database.transaction(allOrganizations, async (transaction) => {
      const ask = async () => (await transaction.get<{ locks: string }>(read))?.locks;
      return [await ask(), await transaction.inShardOrder(ask), await ask()];
    });
    assert.deepEqual(seen, ["off", "on", "off"]);
    database.distributed = false;
    const alone = await database.transaction(allOrganizations, (transaction) =>
      transaction.inShardOrder(() => transaction.get<{ locks: string | null }>(read)),
    );
    assert.ok(alone?.locks !== "on");
  });
});
