// The clients in all languages do the same: each goes through all scenarios against a real server behind a faulty
// proxy. Concurrent calls of the clients that send them as lists, each against a real server behind a proxy: every call
// gets the answer of a model, and its effect is stored once.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { App } from "../../src/actions/app.ts";
import { type OpenApp, openApp } from "../../src/process/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import { allScopes } from "../../src/domain/scope.ts";
import { attemptOf, type Choose, startFaultyProxy } from "../client/faulty-proxy.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Server, startServer } from "../support/server.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { samples } from "../feature/samples.ts";
import type { Fields } from "../support/record-generator.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Command, lines, type Outcome, type Scenario, scenarios } from "./scenarios.ts";
import { type Driver, type Program, startDriver, type Subject, subjects } from "./subject.ts";
import { errorCatalogue } from "../../src/domain/error.ts";
import { Model } from "../conformance/model.ts";
import { typeNamed } from "../conformance/scene.ts";
import { makeRandom, type Random } from "../support/random.ts";

/** Where SLUICE_TEST_CLIENTS_ON says so, the servers use PostgreSQL. */
const onPostgres = process.env["SLUICE_TEST_CLIENTS_ON"] === "postgres";
/** Of a request of a client: longer than any that is not delayed takes on a busy machine. */
const timeoutMs = 5_000;
/** A delayed reply comes only after the client has given up. */
const neverMs = 600_000;
/** Of a client. They wait more than they work. */
const scenariosAtOnce = 3;
const folder = makeTempFolder();
const linesFile = join(folder, "lines.ndjson");

/** A server, and the same store opened beside it. */
interface Site {
  readonly server: Server;
  readonly app: OpenApp;
}

let postgres: PostgresServer | undefined;
const [startPlatform] = samples.flatMap((one) => one.startPlatform ?? []);
const platform = await startPlatform?.();
const sites: Partial<Record<"free" | "limited", Site>> = {};

before(async () => {
  if (onPostgres) postgres = await startPostgres();
  writeFileSync(linesFile, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  sites.free = await startSite("0");
  sites.limited = await startSite("1");
});

after(async () => {
  for (const { app, server } of Object.values(sites)) {
    await app.close();
    await server.stop();
  }
  await postgres?.remove();
  await platform?.stop();
});

async function startSite(ratePerSecond: string): Promise<Site> {
  const store = postgres === undefined ? {} : { DATABASE_URL: await postgres.makeDatabase() };
  const environment = { ...store, RATE_LIMIT_PER_SECOND: ratePerSecond };
  const server = await startServer({ environment });
  const app = await openApp(readConfig(server.environment), { role: "command" });
  return { server, app };
}

describe("the clients in all languages", { concurrency: true }, () => {
  for (const subject of subjects) {
    describe(subject.name, { concurrency: scenariosAtOnce }, () => {
      let program: Promise<Program> | undefined;
      const idle: Driver[] = [];
      after(() => Promise.all(idle.map((driver) => driver.stop())));
      for (const scenario of scenarios) {
        if (scenario.tokenSource !== undefined && platform === undefined) continue;
        it(scenario.title, async (context) => {
          const missing = await subject.missing();
          if (missing !== undefined) {
            context.skip(missing);
            return;
          }
          program ??= subject.prepare(folder);
          const driver = idle.pop() ?? startDriver(await program);
          try {
            await play(subject, driver, scenario);
          } finally {
            idle.push(driver);
          }
        });
      }
    });
  }
});

async function play(subject: Subject, driver: Driver, scenario: Scenario): Promise<void> {
  const site = sites[scenario.server ?? "free"];
  if (site === undefined) throw new Error("the servers start first");
  // Of its own: what another scenario writes would move the offsets of the one that follows changes.
  const customer = await makeCustomer(site.app, site.server.client);
  const choose = scenario.choose?.() ?? (() => "none" as const);
  const program = await makeProgram(site, scenario, customer);
  const watch: typeof choose = (passing) => {
    if (passing.path === "/auth/token") program.renew();
    return choose(passing);
  };
  const proxy = await startFaultyProxy([site.server.address], { choose: watch, delayMs: neverMs });
  try {
    const command = openCommand(scenario, customer, { baseUrl: proxy.address });
    const opened = await driver.ask({ ...command, ...program.options });
    const outcomes = [opened, ...(await askAll(driver, scenario))];
    requireNoSecret(outcomes, customer);
    const { userAgent = "" } = subject;
    for (const { headers } of proxy.seen) {
      assert.ok((headers["user-agent"] ?? "").startsWith(userAgent));
    }
    assert.ok(proxy.seen.length >= (scenario.requestsMin ?? 0), `${proxy.seen.length} requests`);
  } finally {
    await proxy.close();
  }
  await requireStored(scenario, site.app, customer);
}

interface PlatformProgram {
  /** Options of the client. */
  readonly options: Fields;
  /** The platform replaces the token. */
  renew(): void;
}

/** Each token can be used once, so a client that does not read the file again gets no second access token. */
async function makeProgram(
  { app }: Site,
  { title, tokenSource }: Scenario,
  { organizationId }: Customer,
): Promise<PlatformProgram> {
  if (tokenSource === undefined || platform === undefined) {
    return { options: {}, renew: () => undefined };
  }
  const file = join(folder, `${organizationId} ${title}`);
  const renew = (): void => writeFileSync(file, `${platform.sign(organizationId, randomUUID())}\n`);
  await platform.trust(app, organizationId);
  renew();
  const options = {
    api_key: undefined,
    token_file: file,
    token_function: tokenSource === "function",
  };
  return { options, renew };
}

function openCommand(
  { options }: Scenario,
  { apiKey, organizationId }: Customer,
  { baseUrl }: { readonly baseUrl: string },
): Command {
  return {
    op: "open",
    base_url: baseUrl,
    api_key: apiKey,
    organization_id: organizationId,
    scopes: allScopes,
    timeout_ms: timeoutMs,
    retry_for_ms: 120_000,
    ...options,
  };
}

async function askAll(driver: Driver, { steps }: Scenario): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let deletionId = "";
  let lastOffset = "";
  for (const { command, outcome } of steps) {
    const replaced = JSON.stringify(command)
      .replace('"$id"', JSON.stringify(deletionId))
      .replace('"$offset"', JSON.stringify(lastOffset))
      .replace('"$lines"', JSON.stringify(linesFile));
    const answered = await driver.ask(JSON.parse(replaced) as Command);
    assert.partialDeepStrictEqual(answered, outcome, `${replaced}: ${JSON.stringify(answered)}`);
    outcomes.push(answered);
    const told = (answered["ok"] ?? {}) as Readonly<Record<string, string>>;
    ({ deletion_request_id: deletionId = deletionId, offset: lastOffset = lastOffset } = told);
  }
  return outcomes;
}

/** Neither the client itself nor an error shows a credential, however it is printed. */
function requireNoSecret(outcomes: readonly Outcome[], { apiKey }: Customer): void {
  const shown = JSON.stringify(outcomes);
  assert.ok(!shown.includes(apiKey), "the API key is shown");
  assert.doesNotMatch(shown, /Bearer |eyJ[\w-]*\./);
}

async function requireStored(
  { stored = {} }: Scenario,
  app: App,
  { organizationId }: Customer,
): Promise<void> {
  for (const [resourceId, changes] of Object.entries(stored)) {
    const key = { organizationId, resourceType: "transaction" as const, resourceId };
    const history = await app.store.readHistory(key);
    assert.equal(history?.changes.length ?? 0, changes, resourceId);
  }
}

const callers = 64;
const callsOfEach = 8;
const lossTimeoutMs = 1_500;
/** The synchronous client sends a request for each call. */
const concurrent = subjects.filter(({ name }) => name !== "Python");
let concurrentServer: Server;

before(async () => {
  concurrentServer = await startServer({ environment: { RATE_LIMIT_PER_SECOND: "0" } });
});
after(() => concurrentServer.stop());

interface Call {
  readonly op: "add" | "update";
  readonly collection: "transactions";
  readonly records: Readonly<Record<string, unknown>>;
}

interface Answered {
  readonly ok?: { readonly write_count: number; readonly message: string };
  readonly error?: { readonly code: number; readonly status: number; readonly fields: unknown[] };
}

const invalidStatus = "LOST";
const { example } = typeNamed("transaction");

/** A caller writes to two records of its own, so that its calls have one order in every language. */
function callsOf(random: Random, caller: string): readonly Call[] {
  return Array.from({ length: callsOfEach }, () => {
    const tx_id = `${caller}-${random.integer(0, 1)}`;
    const status = random.chance(0.1) ? invalidStatus : random.pick(["PENDING", "SETTLED"]);
    const change = { tx_id, timestamp: "2026-01-01T00:00:00Z", status };
    return random.chance(0.5)
      ? { op: "add", collection: "transactions", records: { ...example, ...change } }
      : { op: "update", collection: "transactions", records: change };
  });
}

function requireVerdict(model: Model, { op, records }: Call, { ok, error }: Answered): void {
  const isInvalid = records["status"] === invalidStatus;
  const written = isInvalid
    ? undefined
    : model.write("transaction", [records], { mode: op, lenient: false }).drafts[0];
  if (written === "created" || written === "updated") {
    const done = written === "created" ? "added" : "updated";
    assert.deepEqual([ok?.write_count, ok?.message], [1, `1 transaction was ${done}.`]);
    return;
  }
  const name = (written ?? "validation_failed") as keyof typeof errorCatalogue;
  const { code } = errorCatalogue[name];
  const field = isInvalid ? "status" : "tx_id";
  assert.deepEqual(error && [error.code, error.status, error.fields], [
    code,
    Math.floor(code / 100),
    [field],
  ]);
}

async function requireModelStored(model: Model, { organizationId }: Customer): Promise<void> {
  await concurrentServer.operate(async ({ store }) => {
    for (const [name, changes] of model.records) {
      const [resourceType = "", resourceId = ""] = name.split("/");
      const history = await store.readHistory({ organizationId, resourceType, resourceId });
      const statuses = history?.changes.map(({ payload }) => JSON.parse(payload).status);
      assert.deepEqual(
        statuses,
        changes.map((change) => change["status"]),
        name,
      );
    }
  });
}

/** Returns the requests that wrote. */
async function playConcurrently(driver: Driver, choose: Choose) {
  const customer = await concurrentServer.operate((app) =>
    makeCustomer(app, concurrentServer.client),
  );
  const proxy = await startFaultyProxy([concurrentServer.address], {
    choose,
    delayMs: 2 * lossTimeoutMs,
  });
  try {
    const { apiKey: api_key, organizationId: organization_id } = customer;
    const limits = { timeout_ms: lossTimeoutMs, retry_for_ms: 120_000, scopes: allScopes };
    const base_url = proxy.address;
    await driver.ask({ op: "open", base_url, api_key, organization_id, ...limits });
    const random = makeRandom(11);
    const all = Array.from({ length: callers }, (_, at) => callsOf(random, `caller-${at}`));
    const { ok: outcomes } = await driver.ask({ op: "concurrent", callers: all });
    const model = new Model();
    for (const [at, calls] of all.entries()) {
      const answered = (outcomes as Answered[][])[at] ?? [];
      assert.equal(answered.length, calls.length);
      for (const [nth, call] of calls.entries()) requireVerdict(model, call, answered[nth] ?? {});
    }
    await requireModelStored(model, customer);
  } finally {
    await proxy.close();
  }
  return proxy.seen.filter(({ path }) => path.startsWith("/v2/"));
}

describe("concurrent calls", () => {
  for (const subject of concurrent) {
    it(`of the client for ${subject.name} are lists, and get the answers of single ones`, async (context) => {
      const missing = await subject.missing();
      if (missing !== undefined) {
        context.skip(missing);
        return;
      }
      const driver = startDriver(await subject.prepare(folder));
      try {
        const plain = await playConcurrently(driver, () => "none");
        assert.ok(plain.length < (callers * callsOfEach) / 4, `${plain.length} requests`);
        const lost = await playConcurrently(driver, (passing) =>
          attemptOf(passing) === 1 && passing.path.startsWith("/v2/") ? "drop reply" : "none",
        );
        assert.ok(lost.length > 1);
      } finally {
        await driver.stop();
      }
    });
  }
});
