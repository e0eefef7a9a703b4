// One group in one transaction, run directly: what its jobs see of one another, and which of them
// fail.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { RecordWrite } from "../../../../src/domain/record/record-write.ts";
import { type Connection, openWriter } from "../../../../src/store/sqlite/connection.ts";
import type { Job, Result } from "../../../../src/store/sqlite/commit/job.ts";
import type { OperationJob } from "../../../../src/store/sqlite/commit/operation.ts";
import { migrate } from "../../../../src/store/sqlite/migration/migrate.ts";
import { runJobs } from "../../../../src/store/sqlite/commit/group-loop.ts";
import { acme, mark, operator, seen, transaction } from "../../../conformance/scene.ts";
import { makePlace } from "../place.ts";
import { storeParts as parts } from "../../../../src/feature/parts.ts";

function openFresh(test: TestContext): Connection {
  const connection = openWriter(makePlace(test).path, { parts });
  test.after(() => connection.close());
  migrate(connection);
  return connection;
}

function job(id: string, fields: Partial<RecordWrite> = {}): RecordWrite {
  const context = { organizationId: acme, resourceType: "transaction", receivedAt: 1 };
  return { ...context, mode: "add", lenient: false, drafts: [transaction(id)], ...fields };
}

function deletionOf(resourceId: string): OperationJob {
  const deletion = { organizationId: acme, resourceType: "transaction", resourceId };
  const request = { ...deletion, reason: "", deletionRequestId: `del_${resourceId}`, dueAt: 1 };
  return { name: "requestDeletion", args: [request, operator] };
}

function cancellationOf(resourceId: string): OperationJob {
  return { name: "store.cancelDeletion", args: [`del_${resourceId}`, operator] };
}

/** The letters of a write's outcome, the value of an operation, or the error. */
function brief(result: Result): unknown {
  if (!result.ok) return result.error instanceof Error ? result.error.name : "no error";
  const { value } = result;
  return typeof value === "object" && value !== null && "drafts" in value ? value.drafts : value;
}

/** Returns what says how many rows of the table were updated since it was last asked. */
function tally(connection: Connection, table: string): () => number | undefined {
  connection.exec(`
    CREATE TEMP TABLE tally (updates INTEGER);
    INSERT INTO tally VALUES (0);
    CREATE TEMP TRIGGER tallied AFTER UPDATE ON main.${table}
      BEGIN UPDATE tally SET updates = updates + 1; END`);
  return () => {
    const updates = connection.get<{ updates: number }>("SELECT updates FROM temp.tally")?.updates;
    connection.exec("UPDATE temp.tally SET updates = 0");
    return updates;
  };
}

/** A write that SQLite rejects. */
const faulty = job("faulty", {
  drafts: [{ ...transaction("f"), payload: null as unknown as string }],
});

describe("a group", () => {
  it("lets every job see the effects of those before it", (test) => {
    const connection = openFresh(test);
    const update = { mode: "update" } as const;
    const jobs: Job[] = [
      job("t", update),
      job("t"),
      job("t", update),
      deletionOf("t"),
      job("t", update),
      cancellationOf("t"),
      job("t", update),
    ];
    const results = runJobs(connection, jobs).map(brief);
    assert.deepEqual(results.slice(0, 5), ["m", "c", "u", "del_t", "d"]);
    assert.equal(results[6], "u");
  });

  it("opens the deletions of consecutive requests together, each with its own result", (test) => {
    const connection = openFresh(test);
    const countUpdates = tally(connection, "audit_head");
    const requests = ["a", "missing", "b", "a"].map(deletionOf);
    const jobs = [job("a"), job("b"), ...requests, job("b", { mode: "update" }), deletionOf("b")];
    assert.deepEqual(runJobs(connection, jobs).map(brief), [
      "c",
      "c",
      "del_a",
      undefined,
      "del_b",
      "del_a",
      "d",
      "del_b",
    ]);
    assert.equal(countUpdates(), 1);
  });

  it("writes the number of the last arrival once", (test) => {
    const connection = openFresh(test);
    const countUpdates = tally(connection, "counter");
    runJobs(connection, [job("a"), job("b"), deletionOf("a"), job("c")]);
    assert.equal(countUpdates(), 1);
  });

  it("updates a record once, however often a list or its jobs change it", (test) => {
    const connection = openFresh(test);
    const countUpdates = tally(connection, "record");
    runJobs(connection, [job("t")]);
    const changes = Array.from({ length: 40 }, (_, day) => transaction("t", seen(40 - day)));
    const update = { mode: "update" } as const;
    for (const jobs of [
      [job("t", { ...update, drafts: changes.slice(0, 30) })],
      changes.slice(30).map((draft) => job("t", { ...update, drafts: [draft] })),
    ]) {
      countUpdates();
      runJobs(connection, jobs);
      assert.equal(countUpdates(), 1);
    }
    const changed = connection.get<{ changes: number }>("SELECT count(*) AS changes FROM change");
    assert.equal(changed?.changes, 41);
  });

  it("isolates a failing job, and runs the others once", (test) => {
    const connection = openFresh(test);
    const broken: OperationJob = {
      name: "eraseStep",
      args: [["del_unknown"], 1, operator],
    };
    const results = runJobs(connection, [job("a"), faulty, deletionOf("a"), broken, job("b")]);
    assert.deepEqual(results.map(brief), ["c", "Error", "del_a", "TypeError", "c"]);
    assert.deepEqual(runJobs(connection, [job("a"), job("b"), job("f")]).map(brief), [
      "d",
      "i",
      "c",
    ]);
  });

  it("rolls back an operation that ends with a caller's mistake", (test) => {
    const connection = openFresh(test);
    const used = { idempotency: mark("key", "one") };
    const another = mark("key", "another");
    const { name, args } = deletionOf("t");
    const refused = { name, args: [{ ...(args[0] as object), idempotency: another }, operator] };
    const results = runJobs(connection, [job("t", used), refused, job("t", { mode: "update" })]);
    assert.deepEqual(results.map(brief), ["c", "AppError", "u"]);
  });

  it("rejects all of its jobs while another connection keeps writing", (test) => {
    const place = makePlace(test);
    const connection = openWriter(place.path, { parts });
    test.after(() => connection.close());
    migrate(connection);
    connection.exec("PRAGMA busy_timeout = 10");
    const results = place.withDatabase((database) => {
      database.exec("BEGIN IMMEDIATE");
      return runJobs(connection, [job("a"), deletionOf("a")]);
    });
    for (const result of results) {
      assert.ok(!result.ok);
      const { errorName, retryAfterSeconds } = result.error as Record<string, unknown>;
      assert.deepEqual([errorName, retryAfterSeconds], ["unavailable", 1]);
    }
    assert.deepEqual(runJobs(connection, [job("a")]).map(brief), ["c"]);
  });
});
