// Two stores in which the same happens to the same organizations, which differ only in confidential records. Compares every page of
// the console and every command for people who may not learn of these. The pages and commands are those of the tables, so a new one
// is compared too.

import { closeOrganization } from "../../src/actions/access/close-organization.ts";
import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import type { OperatorRole } from "../../src/domain/operator.ts";
import { operatorRoles } from "../../src/domain/operator.ts";
import { addOperator, signIn } from "../console/browse.ts";
import type { MakeDatabase } from "../support/database-maker.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { makeRandom } from "../support/random.ts";
import { type Service, type ServiceOptions, startService } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { claimant, serviceOptions } from "./batch.ts";
import { makeHidden, makeScenario, type Scenario, stepsMax } from "./scenario.ts";
import { type Twin, type View, viewsOf } from "./view.ts";
import { Wire } from "./wire.ts";
import { World } from "./world.ts";

export interface TwinCampaign {
  /** Of the first scenario; the next ones have the next numbers. */
  readonly seed: number;
  readonly pairsMax: number;
  readonly budgetMs: number;
  readonly makeDatabase?: MakeDatabase | undefined;
  readonly wrapStore?: ServiceOptions["wrapStore"];
  /** Of the commands. */
  readonly wrapApp?: Twin["wrapApp"];
  readonly onBatch?: (report: TwinReport) => void;
}

export interface TwinReport {
  /** Organizations, each in two stores. */
  readonly pairs: number;
  /** Pages and outputs of commands, in each store. */
  readonly compared: number;
  readonly differences: readonly TwinDifference[];
}

export interface TwinDifference {
  /** Of the first scenario of the batch. */
  readonly seed: number;
  readonly view: string;
  readonly texts: readonly [string, string];
}

/** Scenarios in one pair of stores. */
const scenariosAtOnce = 12;
const differencesMax = 20;
/** Than those of the scenarios. */
const longerThanFloorsMs = 4_000 * 86_400_000;
const signal = new AbortController().signal;

interface Plan {
  readonly scenario: Scenario;
  /** By twin and phase. */
  readonly hidden: readonly (readonly ReturnType<typeof makeHidden>[])[];
  readonly isClosed: boolean;
}

export async function compareTwins(campaign: TwinCampaign): Promise<TwinReport> {
  const { seed, pairsMax, budgetMs, onBatch } = campaign;
  const startedAt = performance.now();
  let report: TwinReport = { pairs: 0, compared: 0, differences: [] };
  while (report.pairs < pairsMax && report.differences.length < differencesMax) {
    if (performance.now() - startedAt >= budgetMs) break;
    const count = Math.min(scenariosAtOnce, pairsMax - report.pairs);
    const found = await compareBatch(campaign, seed + report.pairs, count);
    report = {
      pairs: report.pairs + count,
      compared: report.compared + found.compared,
      differences: [...report.differences, ...found.differences],
    };
    onBatch?.(report);
  }
  return report;
}

async function compareBatch(
  campaign: TwinCampaign,
  seed: number,
  count: number,
): Promise<Pick<TwinReport, "compared" | "differences">> {
  const plans = Array.from({ length: count }, (_, index) => makePlan(seed + index));
  const folders = [makeTempFolder(), makeTempFolder()] as const;
  const twins: Twin[] = [];
  const isLong = makeRandom(seed).chance(0.5);
  try {
    for (const [index, folder] of folders.entries()) {
      twins.push(await playTwin(campaign, { index, folder, plans, isLong }));
    }
    return await compareViews(twins, seed);
  } finally {
    for (const { service } of twins) await service.stop();
    for (const folder of folders) removeFolder(folder);
  }
}

function makePlan(seed: number): Plan {
  const random = makeRandom(seed);
  const scenario = makeScenario(random);
  const hidden = [0, 1].map(() => scenario.phases.map(() => makeHidden(random, scenario)));
  return { scenario, hidden, isClosed: random.chance(0.3) };
}

interface Playing {
  /** Of the twin. */
  readonly index: number;
  readonly folder: string;
  readonly plans: readonly Plan[];
  /** Whether floors end in between, so that restricted sets are erased. */
  readonly isLong: boolean;
}

async function playTwin(
  { makeDatabase, wrapStore, wrapApp }: TwinCampaign,
  { index, folder, plans, isLong }: Playing,
): Promise<Twin> {
  const url = (await makeDatabase?.()) ?? `sqlite:${folder}/sluice.db`;
  const environment = { ...serviceOptions.environment, DATABASE_URL: url };
  const clock = makeFakeClock();
  const wrapping = wrapStore ?? serviceOptions.wrapStore;
  const service = await startService({
    environment,
    folder,
    clock,
    ...(wrapping && { wrapStore: wrapping }),
  });
  const wire = new Wire(service.address);
  const place = { app: service.app, wire };
  const worlds = plans.map(({ scenario }, no) => new World(place, scenario, `org_${no}`));
  try {
    for (const world of worlds) await world.create();
    for (let phase = 0; phase < 2; phase += 1) {
      for (const [no, world] of worlds.entries()) {
        const plan = plans[no];
        if (plan !== undefined) await playPhase(world, { plan, phase, index, service });
      }
      clock.advanceMs(3_600_000);
      await processAll(service);
      if (phase > 0 || !isLong) continue;
      clock.advanceMs(longerThanFloorsMs);
      await processAll(service);
      for (const world of worlds) await world.renewToken();
    }
    for (const [no, world] of worlds.entries()) {
      if (plans[no]?.isClosed !== true) continue;
      clock.advanceMs(1);
      await closeOrganization(service.app, { organizationId: world.organizationId, reason: "r" });
    }
    for (let round = 0; round < 3; round += 1) {
      clock.advanceMs(3_600_000);
      await processAll(service);
    }
  } finally {
    wire.close();
  }
  return { service, worlds, cookies: await signInAll(service), environment, wrapApp };
}

async function signInAll({ app, client, clock }: Service): Promise<Twin["cookies"]> {
  const cookies = new Map<OperatorRole, string>();
  for (const role of operatorRoles) {
    await addOperator(app, [role]);
    clock.advanceMs(60_000);
    cookies.set(role, await signIn(app, client, role));
  }
  return cookies;
}

/** One step after another, each at a time of its own. Hidden records are written before the steps, and in between. */
async function playPhase(
  world: World,
  { plan, phase, index, service }: { plan: Plan; phase: number; index: number; service: Service },
): Promise<void> {
  const { records = [], steps = [] } = plan.scenario.phases[phase] ?? {};
  const hidden = plan.hidden[index]?.[phase] ?? [];
  const half = Math.ceil(hidden.length / 2);
  for (const record of [...records, ...hidden.slice(0, half)]) await world.write(record);
  for (let at = 0; at < stepsMax; at += 1) {
    service.clock.advanceMs(1);
    if (at === 2) for (const record of hidden.slice(half)) await world.write(record);
    const step = steps[at];
    if (step !== undefined) await world.take(step);
  }
}

async function processAll({ app }: Service): Promise<void> {
  for (;;) {
    const done = await processDeletions(app, { claimant, stopping: signal });
    if (done.length === 0) return;
    for (const one of done) {
      if (one.result === "postponed") throw new Error("a deletion failed", { cause: one.cause });
    }
  }
}

async function compareViews(
  [one, other]: readonly Twin[],
  seed: number,
): Promise<Pick<TwinReport, "compared" | "differences">> {
  if (one === undefined || other === undefined) throw new TypeError("there are two stores");
  const differences: TwinDifference[] = [];
  let compared = 0;
  const others = viewsOf(other, makeRandom(seed));
  for await (const left of viewsOf(one, makeRandom(seed))) {
    const { value } = await others.next();
    const right: View = value ?? { name: "nothing", text: "" };
    compared += 1;
    if (left.name === right.name && left.text === right.text) continue;
    const texts = [around(left.text, right.text), around(right.text, left.text)] as const;
    differences.push({ seed, view: `${left.name} | ${right.name}`, texts });
    if (differences.length >= differencesMax) break;
  }
  return { compared, differences };
}

/** From shortly before the first difference. */
function around(text: string, other: string): string {
  let equal = 0;
  while (equal < text.length && text[equal] === other[equal]) equal += 1;
  return text.slice(Math.max(0, equal - 120), equal + 200);
}
