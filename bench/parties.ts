// `npm run bench -- parties --engine sqlite|postgres`: what the index of parties costs, and how long deletions of
// persons take with it, alone and beside a writer. Each person is named by 40 transactions. `--folder` keeps the store
// for another run (with `--url`, one on PostgreSQL), which adds only what is missing of `--records`. Asserts nothing.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { processDeletions } from "../src/actions/deletion/process-deletions.ts";
import { partyIndex } from "../src/actions/upkeep/build-indexes.ts";
import { makeDraft } from "../src/domain/record/payload.ts";
import type { Draft } from "../src/domain/record/record-write.ts";
import { recordTypeByName } from "../src/domain/record-types.ts";
import { makeLog } from "../src/log.ts";
import { type OpenApp, openApp } from "../src/process/app.ts";
import { readConfig } from "../src/settings/config.ts";
import { deletionRound } from "../src/worker/deletion.ts";
import { startLoop } from "../src/worker/loop.ts";
import { organization } from "../test/conformance/scene.ts";
import { median } from "../test/support/median.ts";
import { queryAs } from "../test/support/postgres/postgres-server.ts";
import { cpuSecondsOf, machineSeconds } from "./processor.ts";
import { type Settings, settingsOf, withTemporaryStores } from "./temporary-store.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    folder: { type: "string" },
    url: { type: "string" },
    rounds: { type: "string", default: "6" },
    records: { type: "string", default: "1000000" },
    persons: { type: "string", default: "10" },
    deletions: { type: "string", default: "1000" },
  },
});
const [rounds, records, alone, deletions] = (
  ["rounds", "records", "persons", "deletions"] as const
).map((name) => Number(values[name])) as [number, number, number, number];
const organizationId = "bench";
const persons = Math.max(1, Math.floor(records / 20));
const listItems = 1_000;
const listsAtOnce = 4;
/** In this time the deletions beside a writer are requested. */
const requestingMs = 50_000;
const writerItems = 100;
const writerPauseMs = 20;
/** So many that a round takes longer than the longest pause of the worker. */
const addedInRound = 400_000;

interface Bench {
  readonly app: OpenApp;
  readonly query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** The numbers of the next transaction and of the next person. */
  transaction: number;
  person: number;
  /** Added to the numbers of persons: nobody pays somebody whose deletion is being processed. */
  others: number;
}

function typeOf(name: string) {
  const type = recordTypeByName(name);
  if (type === undefined) throw new Error(`there is no type ${name}`);
  return type;
}

function makeTransaction(bench: Bench): Draft {
  const no = (bench.transaction += 1);
  const idOf = (one: number) => `customer-${1_000_000 + bench.others + (one % persons)}`;
  const fields = {
    tx_id: `tx-${1_000_000_000 + no}`,
    type: "DEPOSIT",
    method: "SEPA",
    amount: (no % 100_000) / 100,
    currency: "EUR",
    status: "PENDING",
    sender_id: idOf(no * 7_919),
    sender_country: "DE",
    receiver_id: idOf(no * 104_729 + 13),
    receiver_country: "FR",
    timestamp: "2026-01-31T09:30:00Z",
  };
  return makeDraft(typeOf("transaction"), fields, "add");
}

async function write({ app }: Bench, resourceType: string, drafts: readonly Draft[]) {
  const rest = { mode: "add", lenient: false, receivedAt: Date.now() } as const;
  await app.store.writeRecords({ organizationId, resourceType, drafts, ...rest });
}

async function addTransactions(bench: Bench, count: number): Promise<void> {
  let left = Math.ceil(count / listItems);
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await write(
        bench,
        "transaction",
        Array.from({ length: listItems }, () => makeTransaction(bench)),
      );
    }
  };
  await Promise.all(Array.from({ length: listsAtOnce }, work));
}

/** Of this process, and of its connections to a server. */
async function cpuSeconds({ query }: Bench): Promise<number> {
  const { user, system } = process.cpuUsage();
  const backends =
    values.engine === "postgres"
      ? await query(`SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND backend_type = 'client backend'`)
      : [];
  const ofServer = backends.map(({ pid }) => cpuSecondsOf(Number(pid)) || 0);
  return ofServer.reduce((sum, one) => sum + one, (user + system) / 1e6);
}

interface Measured {
  readonly seconds: number;
  readonly cpu: number;
  /** How many other processors were busy. */
  readonly load: number;
}

async function measure(bench: Bench, work: () => Promise<unknown>): Promise<Measured> {
  const [cpuBefore, machineBefore, from] = [
    await cpuSeconds(bench),
    machineSeconds(),
    performance.now(),
  ];
  await work();
  const seconds = (performance.now() - from) / 1_000;
  const cpu = (await cpuSeconds(bench)) - cpuBefore;
  return { seconds, cpu, load: (machineSeconds() - machineBefore - cpu) / seconds };
}

function report(what: string, figures: object): void {
  const rounded = Object.entries(figures).map(([name, value]) => {
    return [name, typeof value === "number" ? Number(value.toFixed(3)) : (value as unknown)];
  });
  process.stdout.write(`${what}: ${JSON.stringify(Object.fromEntries(rounded))}\n`);
}

async function indexAll({ app: { store } }: Bench): Promise<void> {
  while (await store.parties.index((await store.settledArrival()).settled));
}

/** What upkeep of SQLite does so that the first deletion need not. */
async function scrubAll({ app: { store } }: Bench): Promise<void> {
  while (await store.scrubSome());
}

async function readSize({ query, transaction }: Bench): Promise<object> {
  const ofTable =
    values.engine === "postgres"
      ? "SELECT pg_total_relation_size('party_block') AS bytes"
      : "SELECT sum(length(entries) + 20) AS bytes FROM party_block";
  const [row] = await query(ofTable);
  return { bytesOfTransaction: Number(row?.["bytes"]) / transaction };
}

/** Adds in rounds, with and without the worker that builds the index. */
async function compareAdds(bench: Bench): Promise<void> {
  const rates = { on: [] as number[], off: [] as number[] };
  const cpus = { on: [] as number[], off: [] as number[] };
  const indexNext = partyIndex.makeRound(bench.app);
  for (let round = 0; round < 2 * rounds; round += 1) {
    const mode = round % 2 === 0 ? "on" : "off";
    const stop = new AbortController();
    const work = async () => {
      while (!stop.signal.aborted) if (!(await indexNext(stop.signal))) await sleep(200);
    };
    const worker = mode === "on" ? work() : undefined;
    const { seconds, cpu } = await measure(bench, () => addTransactions(bench, addedInRound));
    stop.abort();
    await worker;
    rates[mode].push(addedInRound / seconds);
    cpus[mode].push((cpu / addedInRound) * 1e6);
  }
  const ratios = (some: typeof rates) => some.on.map((one, at) => one / (some.off[at] ?? 1));
  report("adds with the worker, and without", {
    on: median(rates.on),
    off: median(rates.off),
    ratio: median(ratios(rates)),
    ratioOfProcessorTime: median(ratios(cpus)),
    microsecondsOff: median(cpus.off),
  });
}

async function requestPerson(bench: Bench): Promise<void> {
  const id = `customer-${1_000_000 + bench.person}`;
  bench.person += 1;
  const rest = { is_test_user: false, is_retail_customer: true };
  const at = { timestamp: "2026-01-31T09:30:00Z" };
  await write(bench, "person", [makeDraft(typeOf("person"), { person_id: id, ...rest, ...at })]);
  const record = { organizationId, resourceType: "person", resourceId: id };
  const request = { ...record, reason: "bench", deletionRequestId: `del_${id}`, dueAt: 0 };
  await bench.app.store.requestDeletion(request, { actor: "bench", now: Date.now() });
}

const claimant = "bench";
const { signal: never } = new AbortController();

/** Deletions one after another, while nobody else writes. */
async function eraseAlone(bench: Bench): Promise<void> {
  const measured: Measured[] = [];
  let changed = 0;
  for (let count = 0; count < alone; count += 1) {
    await requestPerson(bench);
    const options = { claimant, stopping: never };
    const work = async () => {
      const [done] = await processDeletions(bench.app, options);
      if (done?.result !== "completed") throw new Error("the deletion was not completed");
      changed += done.deletion.redactedByType["transaction"] ?? 0;
    };
    measured.push(await measure(bench, work));
  }
  const [first, ...later] = measured;
  report("the first person of the process", { ...first });
  report("a person later, median", {
    seconds: median(later.map(({ seconds }) => seconds)),
    cpu: median(later.map(({ cpu }) => cpu)),
    cpuMax: Math.max(...later.map(({ cpu }) => cpu)),
    load: median(later.map(({ load }) => load)),
    transactions: changed / measured.length,
  });
}

/** Deletions that are requested one by one, while a writer adds lists and the loops of the worker run. */
async function eraseBeside(bench: Bench): Promise<void> {
  const { app } = bench;
  const stop = new AbortController();
  const waits: number[] = [];
  const writing = (async () => {
    while (!stop.signal.aborted) {
      const from = performance.now();
      const drafts = Array.from({ length: writerItems }, () => makeTransaction(bench));
      await write(bench, "transaction", drafts);
      waits.push(performance.now() - from);
      await sleep(writerPauseMs);
    }
  })();
  const requestedAt = new Map<string, number>();
  const tookMs: number[] = [];
  const all = Promise.withResolvers<void>();
  const round = deletionRound(app, {
    claimant,
    log: makeLog("error"),
    onCompleted: ({ deletionRequestId }) => {
      tookMs.push(performance.now() - (requestedAt.get(deletionRequestId) ?? 0));
      if (tookMs.length === deletions) all.resolve();
    },
  });
  const loops = [round, partyIndex.makeRound(app)].map((one) =>
    startLoop(one, { intervalMs: 1_000, backOffMsMax: 1_000, onError: all.reject }),
  );
  let requestedSeconds = 0;
  const { seconds, cpu, load } = await measure(bench, async () => {
    const from = performance.now();
    for (let count = 0; count < deletions; count += 1) {
      await sleep(Math.max(0, from + (count * requestingMs) / deletions - performance.now()));
      requestedAt.set(`del_customer-${1_000_000 + bench.person}`, performance.now());
      await requestPerson(bench);
    }
    requestedSeconds = (performance.now() - from) / 1_000;
    await all.promise;
  });
  stop.abort();
  await writing;
  for (const loop of loops) await loop.stop();
  tookMs.sort((one, other) => one - other);
  waits.sort((one, other) => one - other);
  report(`${deletions} persons beside a writer`, {
    requestedSeconds,
    seconds,
    cpu,
    load,
    deletionMedianMs: median(tookMs),
    deletionMaxMs: tookMs.at(-1),
    addedPerSecond: (waits.length * writerItems) / seconds,
    listMedianMs: median(waits),
    listP99Ms: waits[Math.floor(waits.length * 0.99)],
    listMaxMs: waits.at(-1),
  });
}

async function run(settings: Settings, query: Bench["query"]): Promise<void> {
  await using app = await openApp(readConfig(settings), { role: "serve" });
  const act = { actor: "bench", now: Date.now() };
  const isNew = (await app.store.findOrganization(organizationId)) === undefined;
  if (isNew) await app.store.createOrganization(organization(organizationId), act);
  const { latest } = await app.store.settledArrival();
  const { receiptNo: person } = await app.store.receiptHead();
  const bench: Bench = { app, query, transaction: latest, person, others: 0 };
  const missing = Math.max(0, records - latest);
  report(`${missing} transactions`, await measure(bench, () => addTransactions(bench, missing)));
  report("index", await measure(bench, () => indexAll(bench)));
  report("scrub", await measure(bench, () => scrubAll(bench)));
  bench.others = persons;
  report("size", await readSize(bench));
  if (missing > 0 && values.engine === "postgres") await query("VACUUM (ANALYZE)");
  if (alone > 0) await eraseAlone(bench);
  if (rounds > 0) await compareAdds(bench);
  if (deletions > 0) await eraseBeside(bench);
}

const { folder, url } = values;
if (folder === undefined) {
  await withTemporaryStores(values.engine, async (makeStore) => {
    const { settings, query } = await makeStore();
    await run(settings, query);
  });
} else if (url === undefined) {
  const file = join(folder, "sluice.db");
  await run(settingsOf(`sqlite:${file}`, folder), async (sql) => {
    using database = new DatabaseSync(file, { readOnly: true });
    return database.prepare(sql).all();
  });
} else {
  await run(settingsOf(url, folder), (sql) => queryAs(url, sql));
}
