// Fills a store, and compares what should take the same time however much a store has with the same on a store with a
// fiftieth of the records: every round of upkeep, the scrape of the metrics, the pages of the console (all that can be
// read, and those of what many records name), commands and requests. Compares processor time of this process, and on
// PostgreSQL the statements and the pages that they read. A bounded part of a store may be read, as `slack` says.

import { createKey } from "../../src/actions/access/keys.ts";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import type { App } from "../../src/actions/app.ts";
import { requestDeletionOf } from "../../src/actions/deletion/request-as-operator.ts";
import { operatorRoles } from "../../src/domain/operator.ts";
import { allScopes } from "../../src/domain/scope.ts";
import { makeLog } from "../../src/log.ts";
import { Registry } from "../../src/metrics/registry.ts";
import { addedSettings } from "../../src/process/added-settings.ts";
import { openApp } from "../../src/process/app.ts";
import { indexes } from "../../src/process/indexes.ts";
import { openServices } from "../../src/process/service-parts.ts";
import { version } from "../../src/process/version.ts";
import { readConfig } from "../../src/settings/config.ts";
import { deletionRound } from "../../src/worker/deletion.ts";
import { type Rounds, upkeepRounds } from "../../src/worker/upkeep.ts";
import { pathsOf } from "../../bench/console-pages.ts";
import { type Filled, fillStore } from "../../bench/console-store.ts";
import {
  type Settings,
  type TemporaryStore,
  withTemporaryStores,
} from "../../bench/temporary-store.ts";
import type { Campaign, CampaignOutcome, CampaignRun } from "../campaign/campaign.ts";
import { everyCommand } from "../cli/every-command.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { draftOf, transaction } from "../conformance/scene.ts";
import { addOperator, read, signIn } from "../console/browse.ts";
import { fetchToken } from "../support/customer.ts";
import { startServer } from "../support/server.ts";

/** Also what `everyCommand` names, and the id of a record. */
const organizationId = "transaction";
const fewRecords = 1_000;
/** The store of few records has so small a part of the others. */
const part = 50;
const farDays = 3_650;

export interface Cost {
  readonly cpuMs: number;
  readonly statements: number;
  readonly pages: number;
}

/** By what was measured. */
export type Costs = ReadonlyMap<string, Cost>;

interface Figures {
  readonly measured: number;
}

export const scale: Campaign<Figures> = {
  about: "what grows with a store: rounds of upkeep, scrapes, pages, commands and requests",
  counts: "measurements of each",
  countDefault: 20,
  amounts: { records: 1_000_000 },
  engines: ["sqlite", "postgres"],
  run: runScale,
};

async function runScale(run: CampaignRun): Promise<CampaignOutcome<Figures>> {
  const { engine, amounts: { records = fewRecords } = {}, tell } = run;
  return await withTemporaryStores(engine, async (makeStore) => {
    const measure = async (count: number, few?: Costs) => {
      const from = performance.now();
      const costs = await measureStore(await makeStore(), { run, records: count, few });
      tell(`${count} records: ${((performance.now() - from) / 1_000).toFixed(0)} s`);
      return costs;
    };
    // The first one compiles.
    await measure(fewRecords);
    const few = await measure(Math.max(fewRecords, Math.floor(records / part)));
    const many = await measure(records, few);
    const { lines, findings } = evaluateScale(few, many);
    for (const line of lines) tell(line);
    return { figures: { measured: many.size }, findings };
  });
}

/** So much more is the noise of a busy machine, or a tree that is one level deeper. */
const factor = 3;
const slack: Cost = { cpuMs: 8, statements: 4, pages: 500 };
const nothing: Cost = { cpuMs: 0, statements: 0, pages: 0 };
/** A page also reads bounded parts that a small store does not fill, such as 500 transactions of a person. */
const slackOfPages: Cost = { cpuMs: 60, statements: 400, pages: 10_000 };

export function evaluateScale(few: Costs, many: Costs) {
  const [lines, findings]: [string[], string[]] = [[], []];
  for (const [name, cost] of many) {
    const base = few.get(name) ?? nothing;
    const line = `${name}: ${render(base)} with few records, ${render(cost)} with many`;
    lines.push(line);
    if (grows(name, base, cost)) findings.push(`grows: ${line}`);
  }
  return { lines, findings };
}

function grows(name: string, base: Cost, cost: Cost): boolean {
  const more = name.startsWith("page ") ? slackOfPages : slack;
  return (["cpuMs", "statements", "pages"] as const).some(
    (figure) => cost[figure] > factor * base[figure] + more[figure],
  );
}

function render({ cpuMs, statements, pages }: Cost): string {
  const ofDatabase = statements > 0 ? `, ${statements} statements, ${pages} pages` : "";
  return `${cpuMs.toFixed(1)} ms${ofDatabase}`;
}

type Probe = () => Promise<unknown>;

interface Measuring {
  readonly run: CampaignRun;
  readonly records: number;
  /** What seems to take more than this is measured again. */
  readonly few: Costs | undefined;
}

/** On a busy machine, something may have to be tried so much more often. */
const timesMoreMax = 10;

async function measureStore(
  store: TemporaryStore,
  { run, records, few }: Measuring,
): Promise<Costs> {
  const costs = new Map<string, Cost>();
  const measure = async (name: string, probe: Probe) => {
    await probe();
    let cost = await costOf(store, probe, run.countMax);
    const mayGrow = () => few !== undefined && grows(name, few.get(name) ?? nothing, cost);
    for (let more = 1; more < timesMoreMax && mayGrow(); more += 1) {
      // Only the processor time depends on what else the machine does.
      const { cpuMs } = await costOf(store, probe, run.countMax);
      cost = { ...cost, cpuMs: Math.min(cost.cpuMs, cpuMs) };
    }
    costs.set(name, cost);
  };
  const prepared = await measureRounds(store, records, measure);
  await measureServer(store, prepared, measure);
  return costs;
}

/** The least of several times, because this process and the database do other work too. */
async function costOf({ use }: TemporaryStore, probe: Probe, times: number): Promise<Cost> {
  let least: Cost | undefined;
  for (let count = 0; count < times; count += 1) {
    const before = await use();
    const from = process.cpuUsage();
    await probe();
    const { user, system } = process.cpuUsage(from);
    const after = await use();
    const cost = {
      cpuMs: (user + system) / 1_000,
      statements: after.statements - before.statements,
      pages: after.pages - before.pages,
    };
    least = least === undefined ? cost : leastOf(least, cost);
  }
  return least ?? nothing;
}

function leastOf(one: Cost, other: Cost): Cost {
  return {
    cpuMs: Math.min(one.cpuMs, other.cpuMs),
    statements: Math.min(one.statements, other.statements),
    pages: Math.min(one.pages, other.pages),
  };
}

type Measure = (name: string, probe: Probe) => Promise<void>;

/** A store that does not exist is created. */
function environmentOf(settings: Settings): Settings {
  return { ...settings, NODE_ENV: "", LOG_LEVEL: "error", DELETION_POLL_MS: "5000" };
}

const monotonic = () => performance.now();

/** Fills the store, and measures each round once nothing is left to do. */
async function measureRounds(
  store: TemporaryStore,
  records: number,
  measure: Measure,
): Promise<Prepared> {
  await using opened = new AsyncDisposableStack();
  const config = readConfig(environmentOf(store.settings), addedSettings);
  const app = await openApp(config, { role: "serve" });
  opened.defer(() => app.close());
  const prepared = await prepare(app, records);
  const log = makeLog("error");
  const registry = new Registry();
  const parts = { config, registry, app: () => app, log, monotonic, version };
  const services = await openServices(parts, opened);
  const added: Rounds = Object.assign({}, ...services.map(({ upkeep }) => upkeep));
  const { signal } = new AbortController();
  const deletions = deletionRound(app, { claimant: "scale", log });
  const rounds = [
    ...(await upkeepRounds(app, log, { added, indexes })),
    { failure: "processing deletions failed", round: deletions },
  ];
  for (const { round } of rounds) while (await round(signal));
  for (const { failure, round } of rounds) {
    await measure(`round, ${failure.replace(/ failed$/, "")}`, () => round(signal));
  }
  return prepared;
}

interface Prepared {
  readonly filled: Filled;
  readonly deletionId: string;
}

async function prepare(app: App, records: number): Promise<Prepared> {
  const filled = await fillStore(app, { organizationId, records });
  const rest = { mode: "add", lenient: false, receivedAt: app.now() } as const;
  const person = draftOf("person", organizationId);
  const drafts = { transaction: [transaction(organizationId)], person: [person] };
  for (const [resourceType, some] of Object.entries(drafts)) {
    await app.store.writeRecords({ organizationId, resourceType, drafts: some, ...rest });
  }
  await changeOrganization(app, organizationId, {
    retainDays: farDays,
    deletionGraceSeconds: 86_400,
  });
  // Of a record to which none belongs, however many there are.
  const record = { organizationId, resourceType: "transaction", resourceId: organizationId };
  const { deletionRequestId } = await requestDeletionOf(app, { ...record, reason: "scale" });
  return { filled, deletionId: deletionRequestId };
}

/**
 * Commands that show or list, and those that change one record, which is the same one again. `subject show` reads all
 * of a person, and `organization show` counts all records.
 */
const measuredCommands =
  /^(?!subject|organization show)\S+ (?:list|show|holds|request|hold|release)$|^subject find$/;

async function measureServer(
  store: TemporaryStore,
  { filled, deletionId }: Prepared,
  measure: Measure,
): Promise<void> {
  const environment = environmentOf(store.settings);
  const folder = environment["DATA_DIR"] ?? "";
  const server = await startServer({ environment, folder });
  try {
    const { client } = server;
    const [cookie, apiKey] = await server.operate(async (app) => {
      const key = await createKey(app, { organizationId, scopes: allScopes });
      const name = await addOperator(app, operatorRoles, "anna");
      return [await signIn(app, client, name), key.secret];
    });
    await measure("scrape", () => client.send({ method: "GET", path: "/metrics" }));
    let reader = 0;
    for (const path of pathsOf(filled)) {
      await measure(`page ${path.replace(/_\w{16}\b/, "_ID")}`, async () => {
        reader += 1;
        const headers = { "x-forwarded-for": `10.0.${reader >> 8}.${reader & 255}` };
        const { status } = await read(client, path, { cookie, headers });
        if (status >= 400) throw new Error(`${path}: ${status}`);
      });
    }
    const token = await fetchToken(client, { organizationId, apiKey }, { scopes: allScopes });
    for (const [name, ask] of requestsOf(deletionId)) {
      await measure(`request, ${name}`, async () => {
        const { status, text } = await client.send({ token, ...ask() });
        if (status >= 400) throw new Error(`${name}: ${status} ${text}`);
      });
    }
    const line = makeCommandLine({ folder, environment });
    const commands = everyCommand({ input: folder, output: folder });
    for (const { name, words } of commands.filter((one) => measuredCommands.test(one.name))) {
      await measure(`command ${name}`, () => line.type(...words));
    }
  } finally {
    await server.stop();
  }
}

function requestsOf(deletionId: string) {
  let next = 0;
  const newBody = () => {
    next += 1;
    return JSON.parse(transaction(`scale-${next}`, { amount: next }).payload) as object;
  };
  const path = "/v2/transaction";
  const status = { deletion_request_id: deletionId };
  return [
    ["add", () => ({ method: "POST", path, body: newBody() })],
    ["update", () => ({ method: "PUT", path, body: { ...newBody(), tx_id: "scale-1" } })],
    [
      "add 100",
      () => ({
        method: "POST",
        path: "/v2/transactions/batch",
        body: Array.from({ length: 100 }, newBody),
      }),
    ],
    ["exists", () => ({ method: "GET", path, query: { tx_id: "transaction-7" } })],
    [
      "delete",
      () => ({ method: "DELETE", path, body: { tx_id: organizationId, reason: "scale" } }),
    ],
    ["deletion", () => ({ method: "GET", path: "/v2/deletion_request", query: status })],
    ["changes", () => ({ method: "GET", path: "/v2/changes" })],
  ] as const;
}
