// `npm run bench -- console`: how long each page of the console takes on many records, and how much intake remains
// while somebody browses, in turns in the same run. Asserts nothing.

import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createOperator } from "../src/actions/operator/operators.ts";
import { createSignInLink } from "../src/actions/operator/sign-in-link.ts";
import { openApp } from "../src/process/app.ts";
import { readConfig } from "../src/settings/config.ts";
import { operatorRoles } from "../src/domain/operator.ts";
import { startServer } from "./child.ts";
import { median } from "../test/support/median.ts";
import { pathsOf } from "./console-pages.ts";
import { fillStore } from "./console-store.ts";
import { type Intake, type Span, startIntake } from "./intake.ts";
import { program } from "./program.ts";
import { requestToken, runCommand } from "./subjects.ts";
import { onTemporaryStore, type Settings } from "./temporary-store.ts";

const neighbour = "neighbour";
const connections = 64;
/** Somebody who opens a page as soon as the last one is there, without reading it. */
const pauseMs = 100;

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    records: { type: "string", default: "1000000" },
    /** How often each page is opened. */
    times: { type: "string", default: "100" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
  },
});
const [records, times] = [Number(values.records), Number(values.times)];
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];

interface Site {
  readonly base: string;
  readonly cookie: string;
  readonly paths: readonly string[];
}

async function signIn(base: string, secret: string): Promise<string> {
  const reply = await fetch(`${base}/console/link`, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: base },
    body: new URLSearchParams({ token: secret }),
  });
  const [cookie = ""] = (reply.headers.get("set-cookie") ?? "").split(";");
  if (cookie === "") throw new Error(`sign-in failed: ${reply.status} ${await reply.text()}`);
  return cookie;
}

let reader = 0;

/** Each time from another address, as reported by a proxy, because the rate of an address is limited. */
async function read({ base, cookie }: Site, path: string): Promise<number> {
  reader += 1;
  const address = `10.${(reader >> 16) & 255}.${(reader >> 8) & 255}.${reader & 255}`;
  const headers = { cookie, "x-forwarded-for": address };
  const from = performance.now();
  const reply = await fetch(base + path, { headers, redirect: "manual" });
  await reply.arrayBuffer();
  if (reply.status >= 400) throw new Error(`${path}: ${reply.status}`);
  return performance.now() - from;
}

async function measurePages(site: Site): Promise<void> {
  process.stdout.write("| page | p50 ms | p99 ms | longest ms |\n| --- | --- | --- | --- |\n");
  for (const path of site.paths) {
    const took: number[] = [];
    // The first ones warm up.
    for (let count = -3; count < times; count += 1) {
      const ms = await read(site, path);
      if (count >= 0) took.push(ms);
    }
    const sorted = took.toSorted((one, other) => one - other);
    const at = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(1);
    process.stdout.write(`| ${path} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |\n`);
  }
}

async function during(work: (until: number) => Promise<unknown>): Promise<Span> {
  const from = performance.now();
  await work(from + seconds * 1_000);
  return { from, to: performance.now() };
}

async function browse(site: Site, until: number): Promise<void> {
  for (let count = 0; performance.now() < until; count += 1) {
    await read(site, site.paths[count % site.paths.length] ?? "");
    await sleep(pauseMs);
  }
}

async function measureIntake(site: Site, intake: Intake): Promise<void> {
  const alone: number[] = [];
  const beside: number[] = [];
  const waits: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const quiet = await during((until) => sleep(until - performance.now()));
    const browsed = await during((until) => browse(site, until));
    alone.push(intake.rateIn(quiet));
    beside.push(intake.rateIn(browsed));
    waits.push(intake.longestWaitIn(browsed));
  }
  const share = median(beside.map((rate, index) => rate / (alone[index] ?? Number.NaN)));
  process.stdout.write(
    `\nIntake of single transactions over ${connections} connections, medians of ${rounds} rounds of ${seconds} s: ` +
      `${median(alone).toFixed(0)}/s alone, ${median(beside).toFixed(0)}/s while somebody browses, ` +
      `a share of ${share.toFixed(2)}; longest wait then ${Math.max(...waits).toFixed(0)} ms\n`,
  );
}

async function measure(environment: Settings): Promise<void> {
  runCommand(environment, ["organization", "create", "--name", neighbour, "--id", neighbour]);
  const key = runCommand(environment, ["key", "create", "--organization", neighbour]);
  const app = await openApp(readConfig(environment), { role: "serve" });
  const filled = await fillStore(app, { organizationId: "filled", records });
  await createOperator(app, { name: "anna", roles: operatorRoles });
  const { secret } = await createSignInLink(app, "anna");
  await app.close();
  const behindProxy = { ...environment, TRUST_PROXY: "127.0.0.1" };
  await using opened = new AsyncDisposableStack();
  const server = await startServer([program, "serve"], behindProxy);
  opened.defer(() => server.stop());
  const base = `http://127.0.0.1:${server.port}`;
  const site = { base, cookie: await signIn(base, secret), paths: pathsOf(filled) };
  process.stdout.write(
    `${values.engine}, ${records.toLocaleString("en")} records, ${availableParallelism()} cores, Node ${process.version}\n\n`,
  );
  await measurePages(site);
  const token = await requestToken({
    baseUrl: base,
    apiKey: key["api_key"] ?? "",
    organizationId: neighbour,
    scopes: ["transactions:write"],
    expirySeconds: 86_400,
  });
  const { port } = server;
  const intake = await startIntake({ connections, pauseMs: 0, port, token, round: 1 });
  await sleep(2_000);
  await measureIntake(site, intake);
  await intake.stop();
}

await onTemporaryStore(values.engine, measure);
