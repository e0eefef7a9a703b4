// `npm run bench -- closing`: how long the deletion of a closed organization takes while another organization adds
// records at full speed, and how much of that intake remains; `--connections 0` measures it without intake. A fifth of
// the records are checks that belong to a transaction. Asserts nothing.

import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openApp } from "../src/process/app.ts";
import { readConfig } from "../src/settings/config.ts";
import { startServer } from "./child.ts";
import { fill } from "./fill.ts";
import { type Intake, type Span, startIntake } from "./intake.ts";
import { program } from "./program.ts";
import { requestToken, runCommand } from "./subjects.ts";
import { type TemporaryStore, withTemporaryStores } from "./temporary-store.ts";

const closing = "closing";
const neighbour = "neighbour";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    records: { type: "string", default: "1000000" },
    ids: { type: "string", default: "ordered" },
    seconds: { type: "string", default: "5" },
    connections: { type: "string", default: "64" },
  },
});
const [records, seconds] = [Number(values.records), Number(values.seconds)];
const connections = Number(values.connections);

/** The metrics of the service say nothing about deletions of closed organizations. */
async function isCompleted({ query }: TemporaryStore): Promise<boolean> {
  const rows = await query("SELECT status FROM deletion WHERE resource_type = 'organization'");
  return rows.some(({ status }) => status === "completed");
}

async function watch(): Promise<Span> {
  const from = performance.now();
  await sleep(seconds * 1_000);
  return { from, to: performance.now() };
}

async function measure(store: TemporaryStore): Promise<void> {
  const { settings: environment, use } = store;
  for (const id of [closing, neighbour]) {
    runCommand(environment, ["organization", "create", "--name", id, "--id", id]);
  }
  const key = runCommand(environment, ["key", "create", "--organization", neighbour]);
  const app = await openApp(readConfig(environment), { role: "serve" });
  const ids = values.ids === "random" ? "random" : "ordered";
  await fill(app.store, { organizationId: closing, records, ids });
  await app.close();
  const server = await startServer([program, "serve"], environment);
  const token = await requestToken({
    baseUrl: `http://127.0.0.1:${server.port}`,
    apiKey: key["api_key"] ?? "",
    organizationId: neighbour,
    scopes: ["transactions:write"],
    expirySeconds: 86_400,
  });
  const options = { connections, pauseMs: 0, port: server.port, token, round: 1 };
  const intake = await startIntake(options);
  await sleep(2_000);
  const before = await watch();
  const cpuSeconds = async () => server.cpuSeconds() + (await use()).cpuSeconds;
  const cpuBefore = await cpuSeconds();
  const close = ["organization", "close", "--organization", closing, "--yes"];
  runCommand(environment, close);
  const from = performance.now();
  while (!(await isCompleted(store))) await sleep(100);
  const during = { from, to: performance.now() };
  const microseconds = ((await cpuSeconds()) - cpuBefore) * 1e6;
  const took = (during.to - during.from) / 1_000;
  process.stdout.write(
    `${values.engine}, ${records} records, ${values.ids} ids, ${availableParallelism()} cores, Node ${process.version}: ` +
      `${took.toFixed(1)} s, ${Math.round(records / took)} records/s erased\n`,
  );
  if (connections === 0) {
    const each = (microseconds / records).toFixed(1);
    process.stdout.write(`${each} µs of processor time for each, of the server and its database\n`);
  } else {
    await sleep(1_000);
    report(intake, { before, during, after: await watch() });
  }
  await intake.stop();
  await server.stop();
}

function report(
  intake: Intake,
  spans: Readonly<Record<"before" | "during" | "after", Span>>,
): void {
  const { before, during, after } = spans;
  const rates = [before, during, after].map((span) => Math.round(intake.rateIn(span)));
  const [first = 0, middle = 0, last = 0] = rates;
  const waits = [before, during, after].map(
    (span) => `${intake.longestWaitIn(span).toFixed(0)} ms`,
  );
  process.stdout.write(
    `intake ${first}/s before, ${middle}/s during, ${last}/s after, a share of ` +
      `${((2 * middle) / (first + last)).toFixed(2)}; longest waits ${waits.join(", ")}\n`,
  );
}

await withTemporaryStores(values.engine, async (makeStore) => measure(await makeStore()));
