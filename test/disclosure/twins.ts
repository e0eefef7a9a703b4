// Two stores in which the same happens to the same organizations, which differ only in confidential records. Compares
// every page of the console and every command for people who may not learn of these. The pages and commands are those
// of the tables, so a new one is compared too.

import { closeOrganization } from "../../src/actions/access/close-organization.ts";
import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import type { OperatorRole } from "../../src/domain/operator.ts";
import { operatorRoles } from "../../src/domain/operator.ts";
import { addOperator, signIn } from "../console/browse.ts";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../campaign/campaign.ts";
import { type MakeDatabase, withDatabases } from "../support/database-maker.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { makeRandom } from "../support/random.ts";
import { type Service, type ServiceOptions, startService } from "../support/service.ts";
import { makeTempFolder, preferMemory, removeFolder } from "../support/temp-folder.ts";
import { claimant, serviceOptions } from "./batch.ts";
import { makeHidden, makeScenario, type Scenario, stepsMax } from "./scenario.ts";
import { type Twin, type View, viewsOf } from "./view.ts";
import { Wire } from "./wire.ts";
import { World } from "./world.ts";

/** Faults to find, instead of the service as it is. */
export interface TwinLeak {
  readonly wrapStore?: ServiceOptions["wrapStore"];
  /** Of the commands. */
  readonly wrapApp?: Twin["wrapApp"];
}

type TwinCampaign = TwinLeak & { readonly makeDatabase: MakeDatabase | undefined };

interface Figures {
  /** Organizations, each in two stores. */
  readonly pairs: number;
  /** Pages and outputs of commands, in each store. */
  readonly compared: number;
}

export const twins: Campaign<Figures> = {
  counts: "pairs",
  countDefault: 1_000,
  engines: ["sqlite", "postgres"],
  about:
    "compares all pages of the console and all commands between such organizations in two stores",
  run: (run) => compareTwins(run),
};

interface TwinDifference {
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

/** Of the seed and the next ones, one scenario each. */
export async function compareTwins(
  run: CampaignRun,
  leak: TwinLeak = {},
): Promise<CampaignOutcome<Figures>> {
  if (run.engine === "sqlite") preferMemory();
  return await withDatabases(run.engine, async (makeDatabase) => {
    const isOver = makeLimit(run);
    let figures: Figures = { pairs: 0, compared: 0 };
    const findings: string[] = [];
    while (!isOver(figures.pairs) && findings.length < differencesMax) {
      const count = Math.min(scenariosAtOnce, run.countMax - figures.pairs);
      const seed = run.seed + figures.pairs;
      const found = await compareBatch({ ...leak, makeDatabase }, seed, count);
      for (const { view, texts } of found.differences) {
        findings.push(`seed ${seed}: ${view}\n  ${texts.join("\n  ")}`);
      }
      figures = { pairs: figures.pairs + count, compared: figures.compared + found.compared };
      run.tell(JSON.stringify({ ...figures, differences: findings.length }));
    }
    return { figures, findings };
  });
}

interface Compared {
  readonly compared: number;
  readonly differences: readonly TwinDifference[];
}

async function compareBatch(
  campaign: TwinCampaign,
  seed: number,
  count: number,
): Promise<Compared> {
  const plans = Array.from({ length: count }, (_, index) => makePlan(seed + index));
  const folders = [makeTempFolder(), makeTempFolder()] as const;
  const played: Twin[] = [];
  const isLong = makeRandom(seed).chance(0.5);
  try {
    for (const [index, folder] of folders.entries()) {
      played.push(await playTwin(campaign, { index, folder, plans, isLong }));
    }
    return await compareViews(played, seed);
  } finally {
    for (const { service } of played) await service.stop();
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

async function compareViews([one, other]: readonly Twin[], seed: number): Promise<Compared> {
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
    differences.push({ view: `${left.name} | ${right.name}`, texts });
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
