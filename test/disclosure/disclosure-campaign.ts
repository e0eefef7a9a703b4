// Runs random scenarios, each in two organizations that differ only in records which the caller may not know of, and compares all
// that the caller gets. Many pairs share a store, because starting a service takes longer than a pair.

import assert from "node:assert/strict";
import { applyRetention, type RetentionPlace } from "../../src/actions/apply-retention.ts";
import { processDeletions } from "../../src/actions/process-deletions.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import type { ExpiredPart } from "../../src/store/retention.ts";
import type { Store } from "../../src/store/store.ts";
import { makeRandom } from "../support/random.ts";
import { type Service, type ServiceOptions, startService } from "../support/service.ts";
import { makeHidden, makeScenario, type Scenario, stepsMax } from "./scenario.ts";
import { World } from "./world.ts";

export interface DisclosureCampaign {
  /** Of the first pair; the next ones have the next numbers. */
  readonly seed: number;
  readonly pairsMax: number;
  readonly budgetMs: number;
  /** Of the caller; otherwise services are started, one after another. */
  readonly service?: Service;
  readonly onProgress?: (done: number) => void;
}

export interface DisclosureReport {
  readonly pairs: number;
  /** Deletions that erased hidden records, or removed references from them. */
  readonly affected: number;
  /** Parts of replies, receipts and exports that were compared. */
  readonly compared: number;
}

interface Pair {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly worlds: readonly [World, World];
  /** By world and phase. */
  readonly hidden: readonly (readonly ReturnType<typeof makeHidden>[])[];
}

/** Pairs that are processed together. */
const pairsAtOnce = 250;
/** Then a new store is made, because each round of the retention ceiling reads all organizations. */
const pairsOfStore = 500;
const worldsAtOnce = 32;
/** Before which the second half of the hidden records is written. */
const lateStep = 3;
const signal = new AbortController().signal;

/** True while the campaign applies the retention ceilings. */
let isApplying = false;

/** The service finds nothing above a ceiling by itself: a slow machine would decide when, and so for which of two worlds. */
function withoutOwnRetention(store: Store): Store {
  const none: ExpiredPart = { expired: [], next: undefined };
  const findExpired: Store["findExpired"] = (query) =>
    isApplying ? store.findExpired(query) : Promise.resolve(none);
  return withMethods(store, { findExpired });
}

/** The store with other methods. */
export function withMethods(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name) as unknown;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The worker leaves due deletions to the campaign, which processes them when the clock has been moved. */
export const serviceOptions: ServiceOptions = {
  environment: { DELETION_POLL_MS: "3600000" },
  wrapStore: withoutOwnRetention,
};

/** Throws AssertionError that names the seed of the pair. */
export async function runDisclosureCampaign(
  campaign: DisclosureCampaign,
): Promise<DisclosureReport> {
  const { pairsMax, budgetMs, service } = campaign;
  const startedAt = performance.now();
  const isOver = ({ pairs }: DisclosureReport) =>
    pairs >= pairsMax || performance.now() - startedAt >= budgetMs;
  let report: DisclosureReport = { pairs: 0, affected: 0, compared: 0 };
  while (!isOver(report)) {
    const running = service ?? (await startService(serviceOptions));
    try {
      for (let ofStore = 0; ofStore < pairsOfStore && !isOver(report); ofStore += pairsAtOnce) {
        report = await runBatch(running, campaign, report);
      }
    } finally {
      if (service === undefined) await running.stop();
    }
  }
  return report;
}

/** Returns the report with the next pairs. */
async function runBatch(
  service: Service,
  { seed, pairsMax, onProgress }: DisclosureCampaign,
  report: DisclosureReport,
): Promise<DisclosureReport> {
  const count = Math.min(pairsAtOnce, pairsMax - report.pairs);
  const first = seed + report.pairs;
  const pairs = Array.from({ length: count }, (_, index) => makePair(service, first + index));
  const next = add(report, await runPairs(service, pairs));
  onProgress?.(next.pairs);
  return next;
}

function add(report: DisclosureReport, more: DisclosureReport): DisclosureReport {
  return {
    pairs: report.pairs + more.pairs,
    affected: report.affected + more.affected,
    compared: report.compared + more.compared,
  };
}

function makePair(service: Service, seed: number): Pair {
  const random = makeRandom(seed);
  const scenario = makeScenario(random);
  const hidden = [0, 1].map(() => scenario.phases.map(() => makeHidden(random, scenario)));
  const worlds = [
    new World(service, scenario, `pair_${seed}_a`),
    new World(service, scenario, `pair_${seed}_b`),
  ] as const;
  return { seed, scenario, worlds, hidden };
}

async function runPairs(service: Service, pairs: readonly Pair[]): Promise<DisclosureReport> {
  await eachWorld(pairs, (world) => world.create());
  const hiddenOf = new Map(
    pairs.flatMap(({ worlds, scenario }) =>
      worlds.map(({ organizationId }) => [organizationId, scenario.hidden] as const),
    ),
  );
  let affected = 0;
  const phases = Math.max(...pairs.map(({ scenario }) => scenario.phases.length));
  for (let phase = 0; phase < phases; phase += 1) {
    // Step by step at a time of its own, because deletions that are due at the same time are processed in any order.
    for (let at = 0; at <= stepsMax; at += 1) {
      await eachWorld(pairs, (world, place) => takeStep(world, { ...place, phase, at }));
      service.clock.advanceMs(1);
    }
    service.clock.advanceMs(3_600_000);
    for (const { organizationId, erased, kept, redactedByType } of await processAll(service)) {
      const hidden = hiddenOf.get(organizationId) ?? [];
      const touched = { ...erased, ...kept, ...redactedByType };
      if (hidden.some((type) => type in touched)) affected += 1;
    }
    await eachWorld(pairs, (world) => world.readDeletions());
  }
  await applyAllRetention(service);
  await eachWorld(pairs, (world) => world.readExports());
  for (const pair of pairs) compare(pair);
  return {
    pairs: pairs.length,
    affected,
    compared: pairs.reduce((sum, { worlds: [world] }) => sum + world.transcript.length, 0),
  };
}

interface Place {
  readonly pair: Pair;
  readonly index: number;
}

/** A bounded number at a time, the two of a pair in turns. */
async function eachWorld(
  pairs: readonly Pair[],
  work: (world: World, place: Place) => Promise<void>,
): Promise<void> {
  const all = pairs.flatMap((pair) => pair.worlds.map((world, index) => ({ world, pair, index })));
  const next = all.values();
  const workers = Array.from({ length: worldsAtOnce }, async () => {
    for (const { world, ...place } of next) await work(world, place);
  });
  await Promise.all(workers);
}

/** Hidden records are written before the first step and before the last ones, when deletions are open. */
async function takeStep(
  world: World,
  { pair, index, phase, at }: Place & { readonly phase: number; readonly at: number },
): Promise<void> {
  const { records = [], steps = [] } = pair.scenario.phases[phase] ?? {};
  const hidden = pair.hidden[index]?.[phase] ?? [];
  const half = Math.ceil(hidden.length / 2);
  const early = at === 0 ? [...records, ...hidden.slice(0, half)] : [];
  const late = at === lateStep ? hidden.slice(half) : [];
  for (const record of [...early, ...late]) await world.write(record);
  const step = steps[at];
  if (step !== undefined) await world.take(step);
}

/** Deletes what is above the ceilings of the organizations, also of pairs that are done. */
async function applyAllRetention(service: Service): Promise<void> {
  let place: RetentionPlace | undefined;
  isApplying = true;
  do {
    ({ next: place } = await applyRetention(service.app, place));
  } while (place !== undefined);
  isApplying = false;
  service.clock.advanceMs(3_600_000);
  await processAll(service);
}

async function processAll({ app }: Service): Promise<readonly Deletion[]> {
  const all: Deletion[] = [];
  for (;;) {
    const done = await processDeletions(app, { claimant: "campaign", stopping: signal });
    if (done.length === 0) return all;
    for (const one of done) {
      if (one.result === "postponed") throw new Error("a deletion failed", { cause: one.cause });
      all.push(one.deletion);
    }
  }
}

function compare({ seed, worlds: [one, other] }: Pair): void {
  for (const [index, text] of one.transcript.entries()) {
    assert.equal(text, other.transcript[index], `the worlds of pair ${seed} differ at ${index}`);
  }
  assert.equal(one.transcript.length, other.transcript.length, `pair ${seed}`);
}
