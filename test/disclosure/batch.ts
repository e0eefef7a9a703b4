// Runs many scenarios together in one store, step by step, each in organizations that differ only in records which the
// caller may not know of. Compares all that their callers, and an operator without the right, get.

import { limits } from "../../src/domain/limits.ts";
import {
  applyRetention,
  type RetentionPlace,
} from "../../src/actions/retention/apply-retention.ts";
import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import type { Store } from "../../src/store/interface/store.ts";
import { makeRandom } from "../support/random.ts";
import type { Service, ServiceOptions } from "../support/service.ts";
import { makeHidden, makeScenario, type Scenario, stepsMax } from "./scenario.ts";
import { Wire } from "./wire.ts";
import { purgeAll } from "../feature/samples.ts";
import { type Place, World } from "./world.ts";

export interface Batch {
  /** Of the first scenario; the next ones have the next numbers. */
  readonly seed: number;
  readonly scenarios: number;
  /** Distinguishes the organizations of a batch that is run again. */
  readonly attempt: number;
}

export interface BatchReport {
  readonly scenarios: number;
  /** Deletions that erased hidden records, or removed references from them. */
  readonly affected: number;
  /** Parts of replies, receipts and exports that were compared. */
  readonly compared: number;
  readonly differences: readonly Difference[];
}

/** The first part in which the worlds of a scenario differ, from shortly before it. */
export interface Difference {
  readonly seed: number;
  /** The world that differs from the first one. */
  readonly world: number;
  readonly part: number;
  readonly texts: readonly [string, string];
}

interface Trial {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly worlds: readonly World[];
  /** By world and phase. */
  readonly hidden: readonly (readonly ReturnType<typeof makeHidden>[])[];
}

/** Every two of them are a pair. If all are equal to the first one, they are equal to each other. */
const worldsOfScenario = 4;
export const pairsOfScenario = (worldsOfScenario * (worldsOfScenario - 1)) / 2;
/** What waits at the same time shares commits, so this makes a pair cheaper. */
const worldsAtOnce = 256;
/** Before which the second half of the hidden records is written. */
const lateStep = 3;
const shownBefore = 60;
const shownMax = 300;
const signal = new AbortController().signal;
/** Processes the deletions of the campaigns. */
export const claimant = "campaign";

/** True while a batch applies the retention ceilings. */
let isApplying = false;

/**
 * The service finds nothing above a ceiling by itself, and its worker, which each request for a deletion wakes, claims
 * nothing: a slow machine would decide when, and so for which of the worlds.
 */
function withoutOwnWork(store: Store): Store {
  const none = { expired: [], next: undefined, dueFrom: Infinity, isEmpty: true };
  const findExpired: Store["findExpired"] = (query) =>
    isApplying ? store.findExpired(query) : Promise.resolve(none);
  const claimDeletions: Store["claimDeletions"] = async (claim, deletionsMax) =>
    claim.claimant === claimant ? await store.claimDeletions(claim, deletionsMax) : [];
  return withMethods(store, { findExpired, claimDeletions });
}

/** The store with other methods. */
export function withMethods(store: Store, methods: Partial<Store>): Store {
  const bound = new Map<string | symbol, unknown>(Object.entries(methods));
  return new Proxy(store, {
    get: (target, name) => {
      if (bound.has(name)) return bound.get(name);
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      bound.set(name, value.bind(target));
      return bound.get(name);
    },
  });
}

/** The worker leaves due deletions to the campaign, which processes them when the clock has been moved. */
export const serviceOptions = {
  environment: { DELETION_POLL_MS: "3600000", WEBHOOKS: "off" },
  wrapStore: withoutOwnWork,
} satisfies ServiceOptions;

export async function runBatch(service: Service, batch: Batch): Promise<BatchReport> {
  const wire = new Wire(service.address);
  const place = { app: service.app, wire };
  const trials = Array.from({ length: batch.scenarios }, (_, index) =>
    makeTrial(place, batch.seed + index, batch.attempt),
  );
  try {
    return await runTrials(service, trials);
  } finally {
    wire.close();
  }
}

function makeTrial(place: Place, seed: number, attempt: number): Trial {
  const random = makeRandom(seed);
  const scenario = makeScenario(random);
  const indexes = Array.from({ length: worldsOfScenario }, (_, index) => index);
  const hidden = indexes.map(() => scenario.phases.map(() => makeHidden(random, scenario)));
  const worlds = indexes.map(
    (index) => new World(place, scenario, `world_${seed}_${attempt}_${index}`),
  );
  return { seed, scenario, worlds, hidden };
}

async function runTrials(service: Service, trials: readonly Trial[]): Promise<BatchReport> {
  await eachWorld(trials, (world) => world.create());
  let affected = 0;
  const phases = Math.max(...trials.map(({ scenario }) => scenario.phases.length));
  for (let phase = 0; phase < phases; phase += 1) {
    // Step by step at a time of its own, because deletions that are due at the same time are processed in any order.
    for (let at = 0; at <= stepsMax; at += 1) {
      await eachWorld(trials, (world, role) => takeStep(world, { ...role, phase, at }));
      service.clock.advanceMs(1);
    }
    service.clock.advanceMs(3_600_000);
    affected += countAffected(trials, await processAll(service));
    await eachWorld(trials, (world) => world.readDeletions());
    await eachWorld(trials, (world) => world.readFeed());
    await eachWorld(trials, (world) => world.readFollowers());
    await purgeAll(service.app);
  }
  await applyAllRetention(service, trials);
  await eachWorld(trials, (world) => world.readExports());
  return {
    scenarios: trials.length,
    affected,
    compared: trials.reduce((sum, { worlds }) => sum + countParts(worlds.slice(1)), 0),
    differences: trials.flatMap((trial) => compare(trial) ?? []),
  };
}

function countParts(worlds: readonly World[]): number {
  return worlds.reduce((sum, { transcript }) => sum + transcript.length, 0);
}

interface Role {
  readonly trial: Trial;
  readonly index: number;
}

/**
 * A bounded number at a time, those of a scenario in turns. Throws the first error when nothing is in progress any
 * more.
 */
async function eachWorld(
  trials: readonly Trial[],
  work: (world: World, role: Role) => Promise<void>,
): Promise<void> {
  const all = trials.flatMap((trial) =>
    trial.worlds.map((world, index) => ({ world, trial, index })),
  );
  const next = all.values();
  const workers = Array.from({ length: worldsAtOnce }, async () => {
    for (const { world, ...role } of next) await work(world, role);
  });
  await Promise.allSettled(workers);
  await Promise.all(workers);
}

/** Hidden records are written before the first step and before the last ones, when deletions are open. */
async function takeStep(
  world: World,
  { trial, index, phase, at }: Role & { readonly phase: number; readonly at: number },
): Promise<void> {
  const { records = [], steps = [] } = trial.scenario.phases[phase] ?? {};
  const hidden = trial.hidden[index]?.[phase] ?? [];
  const half = Math.ceil(hidden.length / 2);
  const early = at === 0 ? [...records, ...hidden.slice(0, half)] : [];
  const late = at === lateStep ? hidden.slice(half) : [];
  for (const record of [...early, ...late]) await world.write(record);
  const step = steps[at];
  if (step !== undefined) await world.take(step);
}

/** Deletes what is above the ceilings of the organizations. */
async function applyAllRetention(service: Service, trials: readonly Trial[]): Promise<void> {
  isApplying = true;
  try {
    await eachWorld(trials, async ({ organizationId }) => {
      const organizationIds = [organizationId];
      let place: RetentionPlace | undefined = { organizationIds };
      while (place !== undefined) ({ next: place } = await applyRetention(service.app, place));
    });
  } finally {
    isApplying = false;
  }
  service.clock.advanceMs(3_600_000);
  await processAll(service);
}

async function processAll({ app }: Service): Promise<readonly Deletion[]> {
  const all: Deletion[] = [];
  for (;;) {
    const done = await processDeletions(app, { claimant, stopping: signal });
    if (done.length === 0) return all;
    if (done.length >= limits.deletionsAtOnceMax) throw new Error("too many deletions at once");
    for (const one of done) {
      if (one.result === "postponed") throw new Error("a deletion failed", { cause: one.cause });
      all.push(one.deletion);
    }
  }
}

function countAffected(trials: readonly Trial[], done: readonly Deletion[]): number {
  const hiddenOf = new Map(
    trials.flatMap(({ worlds, scenario }) =>
      worlds.map(({ organizationId }) => [organizationId, scenario.hidden] as const),
    ),
  );
  return done.filter(({ organizationId, erased, kept, redactedByType }) => {
    const touched = { ...erased, ...kept, ...redactedByType };
    return (hiddenOf.get(organizationId) ?? []).some((type) => type in touched);
  }).length;
}

function compare({ seed, worlds }: Trial): Difference | undefined {
  const [first, ...others] = worlds.map(({ transcript }) => transcript);
  if (first === undefined) return undefined;
  for (const [index, other] of others.entries()) {
    const found = findDifference(first, other);
    if (found !== undefined) return { seed, world: index + 1, ...found };
  }
  return undefined;
}

function findDifference(
  left: readonly string[],
  right: readonly string[],
): Pick<Difference, "part" | "texts"> | undefined {
  const parts = Math.max(left.length, right.length);
  for (let part = 0; part < parts; part += 1) {
    const [one = "", other = ""] = [left[part], right[part]];
    if (one === other) continue;
    let equal = 0;
    while (equal < one.length && one[equal] === other[equal]) equal += 1;
    const from = Math.max(0, equal - shownBefore);
    return { part, texts: [one.slice(from, from + shownMax), other.slice(from, from + shownMax)] };
  }
  return undefined;
}
