// How a server with its default settings plans the statements of daily work: nothing is compiled,
// and no plan contains a step that the service has ruled out. The plans are those that the server
// itself logs.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../../src/domain/limits.ts";
import {
  acme,
  draftOf,
  keyOf,
  mark,
  newKey,
  newToken,
  operator,
  organization,
  transaction,
} from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { makeTestSeal } from "../../support/seal.ts";
import { waitFor } from "../../support/wait-for.ts";
import { storeSamples } from "../../feature/samples.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";

/** What auto_explain writes, as far as it matters here. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Total Cost": number;
  /** PostgreSQL 18; older servers add 1e10 to the cost. */
  readonly Disabled?: boolean;
  readonly Plans?: readonly PlanNode[];
}
interface LoggedPlan {
  readonly "Query Text": string;
  readonly Plan: PlanNode;
  readonly JIT?: unknown;
}

const ruledOutCost = 1e9;

const changesOfLong = 3 * limits.rewrittenChangesMax;

/** Two records with many changes lose a reference and a person. */
async function redactLong(store: TestStore): Promise<void> {
  for (const id of ["v", "w"]) await store.add("transaction", id);
  await store.add("person", "p");
  const fields = { sender_id: "p", sender_country: "DE" };
  const lists = [
    ["transaction", { ...fields, receiver_id: "q", receiver_country: "DE" }],
    ["transaction_alert", { related_tx_ids: ["v", "w"] }],
  ] as const;
  for (const [resourceType, more] of lists) {
    const drafts = Array.from({ length: changesOfLong }, (_, index) => {
      const timestamp = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
      return draftOf(resourceType, "long", { ...more, timestamp });
    });
    await store.write(drafts, { resourceType, mode: "append" });
  }
  while (await store.parties.index((await store.settledArrival()).settled));
  await store.request(keyOf("transaction", "v"));
  await store.request(keyOf("person", "p"));
  assert.equal((await store.processAll()).length, 2);
}

/** So many that it matters by which index they are read. */
const addMany = `
  INSERT INTO record (organization_id, resource_type, resource_id, first_seen, last_seen)
  SELECT '${acme}', 'transaction', 'x' || number, '', '' FROM generate_series(1, 20000) AS number;
  INSERT INTO change (
    organization_id, resource_type, resource_id, change_no, received_at, payload)
  SELECT '${acme}', 'transaction', 'x' || number, nextval('arrival'), 0, rpad('{', 300) || '}'
  FROM generate_series(1, 20000) AS number;
  INSERT INTO relation (organization_id, from_type, from_id, to_type, to_id, kind)
  SELECT '${acme}', 'transaction_check', 'c' || number, 'transaction', 'x' || number, 'belongs'
  FROM generate_series(1, 20000) AS number;
  INSERT INTO deletion (deletion_request_id, organization_id, resource_type, resource_id, reason,
    status, requested_by, requested_at, due_at)
  SELECT 'd' || number, 'other', 'transaction', 'x' || number, '', 'pending', 'key', number, 1e15
  FROM generate_series(1, 20000) AS number`;

/** The server takes the tables for empty, because they were when the statistics were made. */
const emptyWithStatistics = [
  "DELETE FROM record; DELETE FROM change; DELETE FROM relation; DELETE FROM deletion",
  "ALTER SEQUENCE arrival RESTART",
  "ANALYZE",
];

async function workADay(url: string): Promise<void> {
  const store = await openTestStore(url, { role: "serve", sealReceipt: makeTestSeal() });
  await store.createOrganization(organization(acme), operator);
  await store.createKey(newKey("key_1"), operator);
  await store.createToken(newToken("token"));
  await store.findCaller(newToken("token").tokenHash);
  await store.write(transaction("t"), { idempotency: mark("one") });
  await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
  await store.write(transaction("t", { amount: 2 }), { mode: "update" });
  await store.findRecord(keyOf("transaction", "t"));
  await store.readHistory(keyOf("transaction", "t"));
  await store.hold(keyOf("transaction", "t"));
  const id = await store.request(keyOf("transaction", "t"));
  await store.processAll();
  assert.equal(await store.release(keyOf("transaction", "t")), 1);
  assert.equal((await store.processAll(100_000_000)).length, 1);
  await store.findDeletion(id, acme);
  await store.findReceipt(id, acme);
  await store.deletionFigures(operator.now);
  await store.listDeletions({ status: "completed", limit: 10 });
  await store.listCompleted({ organizationId: acme, limit: 10 });
  for (const { fill } of storeSamples)
    await fill?.(store, acme, { act: operator, types: ["transaction"] });
  await store.write(transaction("u"));
  await store.erase("transaction", "u");
  await redactLong(store);
  for (const { use } of storeSamples) await use(store, acme, operator);
  await store.purgeExpired(operator.now);
  await store.credentialsVersion();
  await store.receiptHead();
  await store.holds.list({ organizationId: acme, restricted: true, limit: 10 });
  await store.close();
}

const server = await usePostgres({
  own: true,
  settings: {
    shared_preload_libraries: "auto_explain",
    autovacuum: "off",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_parameter_max_length": "0",
    log_rotation_size: "0",
    "auto_explain.log_format": "json",
    logging_collector: "on",
    log_destination: "jsonlog",
  },
});

describe("the plans of daily work", async () => {
  const url = await server.makeDatabase();
  await (await openTestStore(url, { role: "command" })).close();
  for (const sql of [addMany, ...emptyWithStatistics, addMany]) await server.query(sql, url);
  await server.query("SELECT pg_rotate_logfile()");
  await workADay(url);
  const plans = await readPlans();
  async function readPlans(): Promise<readonly LoggedPlan[]> {
    const log = await waitFor("the log to be written", async () => {
      await server.query("SELECT 'the day is over'");
      const [row] = await server.query("SELECT pg_read_file(pg_current_logfile('jsonlog')) AS log");
      const text = String(row?.["log"]);
      return text.includes("the day is over") ? text : undefined;
    });
    const found: LoggedPlan[] = [];
    for (const line of log.split("\n")) {
      if (!line.includes('"application_name":"sluice"')) continue;
      const { message } = JSON.parse(line) as { message?: string };
      const plan = /plan:\n(.*)/s.exec(message ?? "")?.[1];
      if (plan !== undefined) found.push(JSON.parse(plan) as LoggedPlan);
    }
    return found;
  }

  it("were logged, of every kind of statement", () => {
    const texts = plans.map((plan) => plan["Query Text"]).join("\n");
    for (const part of [
      "INSERT INTO change",
      "FOR NO KEY UPDATE OF record",
      "DELETE FROM relation",
      "UPDATE audit_head",
      "FROM receipt_head",
      "GROUP BY status",
      "AS oldest",
      "AS noticed",
      "DELETE FROM erasure_notice",
      "DELETE FROM idempotent_reply",
    ]) {
      assert.ok(texts.includes(part), part);
    }
  });

  it("contain no step that was ruled out", () => {
    const found = plans.flatMap((plan) =>
      nodesOf(plan.Plan).flatMap((node) =>
        node.Disabled === true || node["Total Cost"] > ruledOutCost
          ? [`${node["Node Type"]} on ${node["Relation Name"] ?? "?"}: ${plan["Query Text"]}`]
          : [],
      ),
    );
    assert.deepEqual([...new Set(found)], []);
  });

  it("wake the sets that reports keep without comparing them with every open deletion", () => {
    const waking = plans.filter((plan) => plan["Query Text"].includes("SELECT 'restricted/' ||"));
    assert.ok(waking.length > 0);
    for (const { Plan: plan } of waking) {
      const [deletions] = plan.Plans?.filter((node) => node["Relation Name"] === "deletion") ?? [];
      assert.ok(deletions !== undefined, "the update reads a join");
    }
  });

  it("find the open deletions of records by their keys, not among all that are due", () => {
    const ofRecords = plans.filter((plan) => plan["Query Text"].includes("open_deletion"));
    const indexes = ofRecords.map((plan) =>
      nodesOf(plan.Plan).flatMap((node) => node["Index Name"] ?? []),
    );
    assert.ok(indexes.length >= 4, `${indexes.length} plans`);
    for (const names of indexes) assert.ok(names.includes("deletion_open"), names.join(" "));
  });

  it("find what is due by the times in the index of turns", () => {
    const claiming = plans.filter((plan) => plan["Query Text"].includes("pending (owner)"));
    assert.ok(claiming.length > 0);
    for (const { Plan: plan } of claiming) {
      const conditions = nodesOf(plan).flatMap((node) => node["Index Cond"] ?? []);
      const ofTimes = conditions.filter((text) => text.includes("next_attempt_at"));
      assert.ok(ofTimes.length > 0, conditions.join(" "));
    }
  });

  it("find the targets of plans by the keys of records, however few there were", () => {
    const joining = plans.filter((plan) =>
      plan["Query Text"].includes("JOIN deletion_target AS target"),
    );
    const targets = joining.flatMap((plan) =>
      nodesOf(plan.Plan).filter((node) => node["Index Name"]?.startsWith("deletion_target")),
    );
    assert.ok(targets.length > 0);
    for (const node of targets) assert.match(node["Index Cond"] ?? "", /resource_id = \(?named/);
  });

  it("find changes by their numbers, and list deletions and holds of all organizations by an index", () => {
    for (const [text, index] of [
      ["change_no = wanted.number", /^change_by_arrival$/],
      // The worker's statements may also read bitmaps.
      ["change_no > $3 AND change_no <= $4", /^(change_by_arrival|Bitmap Heap Scan)$/],
      ["ORDER BY requested_at DESC", /^deletion_by_/],
      ["AS restricted", /^hold_(?:by_organization|restricted)$/],
    ] as const) {
      const found = plans.filter((plan) => plan["Query Text"].includes(text));
      assert.ok(found.length > 0, text);
      const nodes = found.flatMap((plan) => nodesOf(plan.Plan));
      const reading = nodes.filter(
        (node) => node["Relation Name"] !== undefined || node["Index Name"] !== undefined,
      );
      for (const node of reading) assert.match(node["Index Name"] ?? node["Node Type"], index);
    }
  });

  it("of features use the indexes that they have", () => {
    for (const [text, index] of storeSamples.flatMap((one) => Object.entries(one.plans ?? {}))) {
      const plan = plans.find((one) => one["Query Text"].includes(text));
      assert.ok(plan !== undefined, text);
      const indexes = nodesOf(plan.Plan).flatMap((node) => node["Index Name"] ?? []);
      assert.ok(indexes.includes(index), indexes.join(" "));
    }
  });

  it("read a bounded part of a record with many changes, and of tables that were taken for empty", () => {
    // What arrived since a number is bounded by numbers, of whichever record it is. Figures count all, and once a
    // minute all are searched for those that were requested while the clock was ahead.
    const others = [
      "INSERT INTO change",
      "change_no > $3 AND change_no <= $4",
      "GROUP BY status",
      "due_at - requested_at",
    ];
    const reading = plans.filter(
      ({ "Query Text": text }) => !others.some((part) => text.includes(part)),
    );
    const read = reading.map((plan) => {
      const ofRecords = nodesOf(plan.Plan).filter((node) =>
        ["record", "change", "relation", "deletion"].includes(node["Relation Name"] ?? ""),
      );
      const rows = ofRecords.map(
        (node) =>
          (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
      );
      return { rows: Math.max(0, ...rows), text: plan["Query Text"] };
    });
    assert.ok(read.some(({ rows }) => rows >= limits.rewrittenChangesMax));
    const unbounded = read.filter(({ rows }) => rows > 1_000);
    assert.deepEqual(
      unbounded.map(({ rows, text }) => `${rows}: ${text}`),
      [],
    );
  });

  it("find the rows of named keys by conditions, and read no index whole", () => {
    const naming = plans.filter((plan) => plan["Query Text"].includes("AS named"));
    assert.ok(naming.length > 0);
    const whole = naming.flatMap((plan) =>
      nodesOf(plan.Plan).flatMap(({ "Index Name": index, "Index Cond": condition }) =>
        index === undefined || condition !== undefined ? [] : [`${index}: ${plan["Query Text"]}`],
      ),
    );
    assert.deepEqual([...new Set(whole)], []);
  });

  it("are not compiled", async () => {
    assert.deepEqual(
      plans.filter(({ JIT }) => JIT !== undefined).map((plan) => plan["Query Text"]),
      [],
    );
    const [stock] = await server.query("SELECT current_setting('jit') AS jit");
    const [version] = await server.query(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    assert.ok(Number(version?.["version"]) >= 190_000 || stock?.["jit"] === "on");
  });
});

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
