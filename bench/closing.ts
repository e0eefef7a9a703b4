// `npm run bench:closing`: how long the deletion of a closed organization takes while another organization adds records at
// full speed, and how much of that intake remains. A fifth of the records are checks that belong to a transaction. Asserts
// nothing.

import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openApp } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import type { Store } from "../src/store/store.ts";
import { draftOf } from "../test/conformance/scene.ts";
import { startPostgres } from "../test/support/postgres/postgres-server.ts";
import { startServer } from "./child.ts";
import { type Intake, type Span, startIntake } from "./intake.ts";
import { requestToken, runCommand } from "./subjects.ts";

const program = join(import.meta.dirname, "../src/cli/main.ts");
const closing = "closing";
const neighbour = "neighbour";
const listItems = 1_000;
const connections = 64;

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    records: { type: "string", default: "1000000" },
    /** `random` spreads neighbouring ids over the whole store, as random identifiers do. */
    ids: { type: "string", default: "ordered" },
    seconds: { type: "string", default: "5" },
  },
});
const [records, seconds] = [Number(values.records), Number(values.seconds)];

function idOf(number: number): string {
  const name = String(number).padStart(12, "0");
  return values.ids === "random" ? hash("sha256", name).slice(0, 32) : name;
}

async function fill(store: Store): Promise<void> {
  const lists = Math.ceil(records / listItems);
  let next = 0;
  async function fillPart(): Promise<void> {
    while (next < lists) {
      const list = next;
      next += 1;
      const ofChecks = list % 5 === 4;
      const drafts = Array.from({ length: listItems }, (_, index) => {
        const id = idOf(list * listItems + index);
        return ofChecks
          ? draftOf("transaction_check", id, { related_tx_ids: [idOf(index)] })
          : draftOf("transaction", id);
      });
      await store.writeRecords({
        organizationId: closing,
        resourceType: ofChecks ? "transaction_check" : "transaction",
        mode: "add",
        lenient: false,
        receivedAt: Date.now(),
        drafts,
      });
    }
  }
  await Promise.all(Array.from({ length: 4 }, fillPart));
}

async function countCompleted(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^sluice_deletions_completed_total (\d+)/m.exec(text)?.[1] ?? 0);
}

async function watch(): Promise<Span> {
  const from = performance.now();
  await sleep(seconds * 1_000);
  return { from, to: performance.now() };
}

async function measure(url: string, folder: string): Promise<void> {
  const environment = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: url,
    DATA_DIR: folder,
    NODE_ENV: "production",
    LOG_LEVEL: "warn",
    RATE_LIMIT_PER_SECOND: "10000000",
  };
  for (const id of [closing, neighbour]) {
    runCommand(environment, ["organization", "create", "--name", id, "--id", id]);
  }
  const key = runCommand(environment, ["key", "create", "--organization", neighbour]);
  const app = await openApp(readConfig({ ...environment }), { role: "serve" });
  await fill(app.store);
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
  const close = ["organization", "close", "--organization", closing, "--yes"];
  runCommand(environment, close);
  const from = performance.now();
  while ((await countCompleted(server.port)) === 0) await sleep(100);
  const during = { from, to: performance.now() };
  await sleep(1_000);
  report(intake, { before, during, after: await watch() });
  await intake.stop();
  await server.stop();
}

function report(
  intake: Intake,
  spans: Readonly<Record<"before" | "during" | "after", Span>>,
): void {
  const { before, during, after } = spans;
  const took = (during.to - during.from) / 1_000;
  const rates = [before, during, after].map((span) => Math.round(intake.rateIn(span)));
  const [first = 0, middle = 0, last = 0] = rates;
  const waits = [before, during, after].map(
    (span) => `${intake.longestWaitIn(span).toFixed(0)} ms`,
  );
  process.stdout.write(
    `${values.engine}, ${records} records, ${values.ids} ids, ${availableParallelism()} cores, Node ${process.version}: ` +
      `${took.toFixed(1)} s, ${Math.round(records / took)} records/s erased; ` +
      `intake ${first}/s before, ${middle}/s during, ${last}/s after, a share of ` +
      `${((2 * middle) / (first + last)).toFixed(2)}; longest waits ${waits.join(", ")}\n`,
  );
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-closing-"));
  try {
    if (values.engine === "sqlite") {
      return await measure(`sqlite:${join(folder, "sluice.db")}`, folder);
    }
    const settings = { max_wal_size: "4GB" };
    const postgres = await startPostgres({ own: true, durable: true, settings });
    try {
      await measure(await postgres.makeDatabase(), folder);
    } finally {
      await postgres.remove();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
