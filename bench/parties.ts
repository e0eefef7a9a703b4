// `npm run bench -- parties --engine sqlite|postgres`: what the index of parties costs, and how long deletions of
// persons take with it. Each person is named by 40 transactions. Asserts nothing.

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { makePartyRound } from "../src/actions/upkeep/index-parties.ts";
import type { App } from "../src/actions/app.ts";
import { makeDraft } from "../src/domain/record/payload.ts";
import type { Draft } from "../src/domain/record/record-write.ts";
import { recordTypeByName } from "../src/domain/record-types.ts";
import { organization } from "../test/conformance/scene.ts";
import { median } from "../test/support/median.ts";
import { openTestStore, type TestStore } from "../test/support/test-store.ts";
import { type TemporaryStore, withTemporaryStores } from "./temporary-store.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    rounds: { type: "string", default: "6" },
    records: { type: "string", default: "1000000" },
    deletions: { type: "string", default: "1000" },
  },
});
const [rounds, records, deletions] = [values.rounds, values.records, values.deletions].map(Number);
const organizationId = "bench";
const persons = Math.max(1, Math.floor((records ?? 0) / 20));
const listItems = 500;
const inFlight = 8;

function typeOf(name: string) {
  const type = recordTypeByName(name);
  if (type === undefined) throw new Error(`there is no type ${name}`);
  return type;
}

let made = 0;
/** Added to the numbers of persons: nobody pays somebody whose deletion is being processed. */
let others = 0;

function makeTransaction(): Draft {
  const no = made;
  made += 1;
  const fields = {
    tx_id: `tx-${1_000_000_000 + no}`,
    type: "DEPOSIT",
    method: "SEPA",
    amount: (no % 100_000) / 100,
    currency: "EUR",
    status: "PENDING",
    sender_id: `customer-${1_000_000 + others + ((no * 7_919) % persons)}`,
    sender_country: "DE",
    receiver_id: `customer-${1_000_000 + others + ((no * 104_729 + 13) % persons)}`,
    receiver_country: "FR",
    timestamp: "2026-01-31T09:30:00Z",
  };
  return makeDraft(typeOf("transaction"), fields, "add");
}

async function write(store: TestStore, resourceType: string, drafts: readonly Draft[]) {
  const rest = { mode: "add", lenient: false, receivedAt: Date.now() } as const;
  await store.writeRecords({ organizationId, resourceType, drafts, ...rest });
}

async function addTransactions(store: TestStore, count: number): Promise<void> {
  let left = count / listItems;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await write(store, "transaction", Array.from({ length: listItems }, makeTransaction));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

interface Bench {
  readonly store: TestStore;
  readonly database: TemporaryStore;
}

/** Wall and processor time of this process and of the server. */
async function measure(what: string, { database }: Bench, work: () => Promise<object | void>) {
  const cpu = async () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6 + ((await database.use()).cpuSeconds || 0);
  };
  const before = await cpu();
  const startedAt = performance.now();
  const figures = await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuSeconds = (await cpu()) - before;
  const rounded = {
    seconds: Number(seconds.toFixed(2)),
    cpuSeconds: Number(cpuSeconds.toFixed(2)),
  };
  process.stdout.write(`${what}: ${JSON.stringify({ ...rounded, ...figures })}\n`);
  return seconds;
}

async function indexAll(store: TestStore): Promise<void> {
  while (await store.parties.index((await store.settledArrival()).settled));
}

async function readSize({ database }: Bench): Promise<object> {
  const sql =
    values.engine === "postgres"
      ? "SELECT pg_total_relation_size('party_block') AS bytes, 0 AS rows"
      : "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name = 'party_block'";
  const [row] = await database
    .query(sql)
    .catch(() => database.query("SELECT sum(length(entries) + 20) AS bytes FROM party_block"));
  return { bytesOfTransaction: Number((Number(row?.["bytes"]) / made).toFixed(1)) };
}

/** Adds in rounds, with and without the worker that builds the index. */
async function compareAdds(bench: Bench): Promise<void> {
  const rates = { on: [] as number[], off: [] as number[] };
  const app = { store: bench.store } as unknown as App;
  for (let round = 0; round < 2 * (rounds ?? 0); round += 1) {
    const mode = round % 2 === 0 ? "on" : "off";
    const stop = new AbortController();
    const indexNext = makePartyRound(app);
    const work = async () => {
      while (!stop.signal.aborted) if (!(await indexNext(stop.signal))) await sleep(200);
    };
    const worker = mode === "on" ? work() : undefined;
    const startedAt = performance.now();
    await addTransactions(bench.store, 60_000);
    rates[mode].push(60_000 / ((performance.now() - startedAt) / 1_000));
    stop.abort();
    await worker;
  }
  const [on, off] = [median(rates.on), median(rates.off)];
  const ratios = rates.on.map((rate, index) => rate / (rates.off[index] ?? 1));
  const figures = { on: Math.round(on), off: Math.round(off), ratio: median(ratios).toFixed(3) };
  process.stdout.write(`adds a second with the worker: ${JSON.stringify(figures)}\n`);
}

let erased = 0;

async function requestPersons(store: TestStore, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => `customer-${1_000_000 + (erased += 1)}`);
  const rest = { is_test_user: false, is_retail_customer: true };
  const at = { timestamp: "2026-01-31T09:30:00Z" };
  const drafts = ids.map((id) => makeDraft(typeOf("person"), { person_id: id, ...rest, ...at }));
  for (let from = 0; from < drafts.length; from += listItems)
    await write(store, "person", drafts.slice(from, from + listItems));
  for (const resourceId of ids) {
    const request = {
      organizationId,
      resourceType: "person",
      resourceId,
      reason: "bench",
      deletionRequestId: `del_${resourceId}`,
      dueAt: 0,
    };
    await store.requestDeletion(request, { actor: "bench", now: Date.now() });
  }
}

/** Processes what is due, until so many deletions are completed. Returns how many transactions were changed. */
async function processPersons(store: TestStore, count: number): Promise<object> {
  let [completed, pseudonymised] = [0, 0];
  const open = new Set<string>();
  while (completed < count) {
    const claim = { now: Date.now(), leaseUntil: Date.now() + 600_000, claimant: "bench" };
    for (const one of await store.claimDeletions(claim, 512)) open.add(one.deletionRequestId);
    const act = { actor: "worker", now: Date.now() };
    for (let left = [...open]; left.length > 0;) {
      const { done } = await store.eraseStep(left, 256, act);
      left = left.filter((id) => !done.includes(id));
    }
    const ids = [...open];
    const outcomes = await store.completeDeletions(ids, act);
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.result === "failed") throw outcome.cause;
      if (outcome.result !== "completed") continue;
      open.delete(ids[index] ?? "");
      completed += 1;
      pseudonymised += outcome.deletion.redactedByType["transaction"] ?? 0;
    }
  }
  return { completed, pseudonymised };
}

await withTemporaryStores(values.engine, async (makeStore) => {
  const database = await makeStore();
  const store = await openTestStore(database.settings.DATABASE_URL, { role: "serve" });
  const bench = { store, database };
  await store.createOrganization(organization(organizationId), { actor: "bench", now: Date.now() });
  await measure(`${records} transactions`, bench, () => addTransactions(store, records ?? 0));
  await measure("index", bench, () => indexAll(store));
  others = persons;
  process.stdout.write(`size: ${JSON.stringify(await readSize(bench))}\n`);
  for (let round = 0; round < 3; round += 1) {
    await requestPersons(store, 1);
    await measure("one person", bench, () => processPersons(store, 1));
  }
  await compareAdds(bench);
  const stop = new AbortController();
  const writing = (async () => {
    while (!stop.signal.aborted) {
      await write(store, "transaction", Array.from({ length: 100 }, makeTransaction));
      await sleep(20);
    }
  })();
  const before = made;
  await measure(`${deletions} persons beside a writer`, bench, async () => {
    await requestPersons(store, deletions ?? 0);
    const done = await processPersons(store, deletions ?? 0);
    return { ...done, written: made - before };
  });
  stop.abort();
  await writing;
  await store.close();
});
