// `npm run bench -- deletion`: how long a deletion takes in a store of a million transactions, how long it
// delays writers, and how much intake remains while thousands of deletions are processed. Asserts nothing.

import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { SluiceOptions } from "../client/src/options.ts";
import { Sluice } from "../client/src/sluice.ts";
import { openApp } from "../src/process/app.ts";
import { readConfig } from "../src/settings/config.ts";
import { type ServerProcess, startServer } from "./child.ts";
import { openConnection } from "./connection.ts";
import { median } from "../test/support/median.ts";
import { type Intake, startIntake } from "./intake.ts";
import { program } from "./program.ts";
import { batchItems, makeRequests } from "./requests.ts";
import { requestToken, runCommand } from "./subjects.ts";
import { onTemporaryStore, type Settings } from "./temporary-store.ts";

const organizationId = "bench";
/** A light intake, so that delays are due to the deletion and not to the queue; and one at full speed. */
const light = { connections: 8, pauseMs: 5 };
const full = { connections: 64, pauseMs: 0 };

interface Options {
  readonly engine: string;
  readonly records: number;
  readonly deletions: number;
  readonly tries: number;
  readonly rounds: number;
  readonly seconds: number;
}

interface Service {
  readonly server: ServerProcess;
  readonly client: Sluice;
  readonly token: string;
}

interface Try {
  readonly completedMs: number;
  readonly waitMs: number;
  /** In a period of the same length without a deletion. */
  readonly usualWaitMs: number;
}

interface Outcome {
  readonly fileBytes: number;
  /** The first deletion of a process, and later ones. */
  readonly first: readonly Try[];
  readonly later: readonly Try[];
  readonly intakes: readonly IntakeTry[];
}

/** Records and deletions per second. */
interface IntakeTry {
  readonly before: number;
  readonly during: number;
  readonly after: number;
  readonly deletions: number;
}

let intakeNo = 1;

function readOptions(): Options & { readonly json: boolean } {
  const { values } = parseArgs({
    options: {
      engine: { type: "string", default: "sqlite" },
      records: { type: "string", default: "1000000" },
      deletions: { type: "string", default: "10000" },
      tries: { type: "string", default: "5" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "5" },
      json: { type: "boolean", default: false },
    },
  });
  const [records, deletions] = [Number(values.records), Number(values.deletions)];
  const [tries, rounds] = [Number(values.tries), Number(values.rounds)];
  const seconds = Number(values.seconds);
  for (const [name, value] of Object.entries({ records, deletions, tries, rounds, seconds })) {
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
  }
  const { engine, json } = values;
  return { engine, records, deletions, tries, rounds, seconds, json };
}

/** The service as an operator starts it, with a client that may add, delete, and read the status of deletions. */
async function serve(environment: Settings, apiKey: string): Promise<Service> {
  const server = await startServer([program, "serve"], environment);
  const options: SluiceOptions = {
    baseUrl: `http://127.0.0.1:${server.port}`,
    apiKey,
    organizationId,
    scopes: ["transactions:write", "transactions:read", "transactions:delete"],
    expirySeconds: 86_400,
  };
  return { server, client: new Sluice(options), token: await requestToken(options) };
}

/** Adds transactions `tx-0000000001-000000000001` and so on, in lists. */
async function fill({ server, token }: Service, records: number): Promise<void> {
  const next = makeRequests("batch", { ids: "ordered", round: 1, token });
  let left = Math.ceil(records / batchItems);
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const send = (): void => {
        if (left === 0) return resolve();
        left -= 1;
        connection.send(next());
      };
      const connection = await openConnection(server.port, {
        onReply: send,
        onFailure: (why) => reject(new Error(why)),
      });
      send();
      await promise;
      connection.close();
    }),
  );
}

function idOf(number: number): string {
  return `tx-${"1".padStart(10, "0")}-${String(number).padStart(12, "0")}`;
}

async function deleteOne({ client }: Service, number: number): Promise<void> {
  const { deletion_request_id: id } = await client.transactions.delete(idOf(number), "bench");
  // Polls more often than `deletions.wait`, which would add to the measured time.
  while ((await client.deletions.status(id)).status !== "completed") await sleep(10);
}

async function tryOne(service: Service, intake: Intake, number: number): Promise<Try> {
  await sleep(1_000);
  const from = performance.now();
  await deleteOne(service, number);
  const span = { from, to: performance.now() };
  const completedMs = span.to - span.from;
  await sleep(1_000);
  const usual = { from: performance.now(), to: performance.now() + completedMs };
  await sleep(completedMs + 200);
  return {
    completedMs,
    waitMs: intake.longestWaitIn(span),
    usualWaitMs: intake.longestWaitIn(usual),
  };
}

async function measureTries(
  start: () => Promise<Service>,
  { tries, records }: Options,
): Promise<Pick<Outcome, "first" | "later">> {
  const first: Try[] = [];
  const later: Try[] = [];
  for (let index = 0; index < tries; index += 1) {
    const service = await start();
    const { port } = service.server;
    const intake = await startIntake({
      ...light,
      port,
      token: service.token,
      round: (intakeNo += 1),
    });
    const number = Math.floor(((index + 0.5) * records) / tries);
    first.push(await tryOne(service, intake, number));
    later.push(await tryOne(service, intake, number + 1));
    await intake.stop();
    await service.server.stop();
  }
  return { first, later };
}

/**
 * All deletions become due at the same time, so that intake is measured only while they are processed. Returns their
 * number.
 */
async function requestAll(
  environment: Settings,
  { deletions, records, rounds: all }: Options,
  { round, dueAt }: { readonly round: number; readonly dueAt: number },
): Promise<number> {
  const app = await openApp(readConfig(environment), { role: "serve" });
  const step = Math.max(all, Math.floor(records / deletions));
  const act = { actor: "bench", now: Date.now() };
  const requests = Array.from({ length: deletions }, (_, index) =>
    app.store.requestDeletion(
      {
        organizationId,
        resourceType: "transaction",
        resourceId: idOf(1 + index * step + round),
        reason: "bench",
        deletionRequestId: `del_bench_${round}_${index}`,
        dueAt,
      },
      act,
    ),
  );
  const ids = await Promise.all(requests);
  await app.close();
  return ids.filter((id) => id !== undefined).length;
}

async function measureIntake(
  service: Service,
  { deletions, seconds }: Options,
  dueAt: number,
): Promise<IntakeTry> {
  const { port } = service.server;
  const intake = await startIntake({ ...full, port, token: service.token, round: (intakeNo += 1) });
  const watch = async () => {
    const from = performance.now();
    await sleep(seconds * 1_000);
    return { from, to: performance.now() };
  };
  await sleep(4_000);
  const before = intake.rateIn(await watch());
  if (Date.now() > dueAt) throw new Error("the deletions were due too early");
  await sleep(dueAt - Date.now());
  const from = performance.now();
  while ((await countCompleted(port)) < deletions) await sleep(200);
  const to = performance.now();
  const during = intake.rateIn({ from, to });
  await sleep(1_000);
  const after = intake.rateIn(await watch());
  await intake.stop();
  return { before, during, after, deletions: (deletions * 1_000) / (to - from) };
}

async function countCompleted(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^sluice_deletions_completed_total (\d+)/m.exec(text)?.[1] ?? 0);
}

async function measure(environment: Settings, options: Options): Promise<Outcome> {
  runCommand(environment, ["organization", "create", "--name", "Bench", "--id", organizationId]);
  const key = runCommand(environment, ["key", "create", "--organization", organizationId]);
  const start = () => serve(environment, key["api_key"] ?? "");
  const filled = await start();
  await fill(filled, options.records);
  await filled.server.stop();
  const fileBytes = await readSize(environment);
  const tried = await measureTries(start, options);
  const intakes: IntakeTry[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const dueAt = Date.now() + (options.seconds + 30) * 1_000;
    // A transaction that was deleted earlier no longer exists.
    const deletions = await requestAll(environment, options, { round, dueAt });
    const service = await start();
    intakes.push(await measureIntake(service, { ...options, deletions }, dueAt));
    await service.server.stop();
  }
  return { fileBytes, ...tried, intakes };
}

async function readSize(environment: Settings): Promise<number> {
  const app = await openApp(readConfig(environment), { role: "command" });
  const bytes = await app.store.overview.sizeBytes();
  await app.close();
  return bytes;
}

function render({ fileBytes, first, later, intakes }: Outcome, options: Options): string {
  const size = `${(fileBytes / 1e6).toFixed(0)} MB`;
  const shares = intakes.map(({ before, during, after }) => (2 * during) / (before + after));
  return `${options.engine}, ${whole(options.records)} transactions, ${size}, ${availableParallelism()} cores shared by server and clients,
Node ${process.version}; ${options.tries} tries.

| deletion | completed, median | maximum | longest wait of a writer, median | maximum | without a deletion, median | maximum |
|:---|---:|---:|---:|---:|---:|---:|
${renderRow("first of a process", first)}
${renderRow("later", later)}

${whole(options.deletions)} deletions while ${full.connections} connections add records; a share of ${median(shares).toFixed(2)} of the intake remains.

| deletions/s | records/s before | during | after | share |
|---:|---:|---:|---:|---:|
${intakes.map((one, index) => renderIntake(one, shares[index])).join("\n")}
`;
}

function renderIntake({ deletions, before, during, after }: IntakeTry, share = 0): string {
  return `| ${[...[deletions, before, during, after].map(whole), share.toFixed(2)].join(" | ")} |`;
}

function renderRow(name: string, tries: readonly Try[]): string {
  const completed = tries.map(({ completedMs }) => completedMs);
  const waits = tries.map(({ waitMs }) => waitMs);
  const usual = tries.map(({ usualWaitMs }) => usualWaitMs);
  const cells = [completed, waits, usual].flatMap((all) => [median(all), Math.max(...all)]);
  return `| ${[name, ...cells.map((ms) => `${ms.toFixed(0)} ms`)].join(" | ")} |`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

async function main(): Promise<void> {
  const { json, ...options } = readOptions();
  await onTemporaryStore(options.engine, async (environment) => {
    const outcome = await measure(environment, options);
    process.stdout.write(json ? `${JSON.stringify(outcome)}\n` : render(outcome, options));
  });
}

await main();
