// Runs many pairs together in one store, step by step: each is two organizations that differ only in records which the caller may
// not know of. Compares all that the two callers and an operator without the right get.

import { applyRetention, type RetentionPlace } from "../../src/actions/apply-retention.ts";
import { processDeletions } from "../../src/actions/process-deletions.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import type { ExpiredPart } from "../../src/store/retention.ts";
import type { Store } from "../../src/store/store.ts";
import { makeRandom } from "../support/random.ts";
import type { Service, ServiceOptions } from "../support/service.ts";
import { makeHidden, makeScenario, type Scenario, stepsMax } from "./scenario.ts";
import { Wire } from "./wire.ts";
import { type Place, World } from "./world.ts";

export interface Batch {
  /** Of the first pair; the next ones have the next numbers. */
  readonly seed: number;
  readonly count: number;
  /** Distinguishes the organizations of a batch that is run again. */
  readonly attempt: number;
}

export interface BatchReport {
  readonly pairs: number;
  /** Deletions that erased hidden records, or removed references from them. */
  readonly affected: number;
  /** Parts of replies, receipts and exports that were compared. */
  readonly compared: number;
  readonly differences: readonly Difference[];
}

/** The first part in which the two worlds of a pair differ, from shortly before it. */
export interface Difference {
  readonly seed: number;
  readonly part: number;
  readonly texts: readonly [string, string];
}

interface Pair {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly worlds: readonly [World, World];
  /** By world and phase. */
  readonly hidden: readonly (readonly ReturnType<typeof makeHidden>[])[];
}

/** What waits at the same time shares commits, so this makes a pair cheaper. */
const worldsAtOnce = 256;
/** Before which the second half of the hidden records is written. */
const lateStep = 3;
const shownBefore = 60;
const shownMax = 300;
const signal = new AbortController().signal;

/** True while a batch applies the retention ceilings. */
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
export const serviceOptions: ServiceOptions = {
  environment: { DELETION_POLL_MS: "3600000" },
  wrapStore: withoutOwnRetention,
};

export async function runBatch(service: Service, batch: Batch): Promise<BatchReport> {
  const wire = new Wire(service.address);
  const place = { app: service.app, wire };
  const pairs = Array.from({ length: batch.count }, (_, index) =>
    makePair(place, batch.seed + index, batch.attempt),
  );
  try {
    return await runPairs(service, pairs);
  } finally {
    wire.close();
  }
}

function makePair(place: Place, seed: number, attempt: number): Pair {
  const random = makeRandom(seed);
  const scenario = makeScenario(random);
  const hidden = [0, 1].map(() => scenario.phases.map(() => makeHidden(random, scenario)));
  const worlds = [
    new World(place, scenario, `pair_${seed}_${attempt}_a`),
    new World(place, scenario, `pair_${seed}_${attempt}_b`),
  ] as const;
  return { seed, scenario, worlds, hidden };
}

async function runPairs(service: Service, pairs: readonly Pair[]): Promise<BatchReport> {
  await eachWorld(pairs, (world) => world.create());
  let affected = 0;
  const phases = Math.max(...pairs.map(({ scenario }) => scenario.phases.length));
  for (let phase = 0; phase < phases; phase += 1) {
    // Step by step at a time of its own, because deletions that are due at the same time are processed in any order.
    for (let at = 0; at <= stepsMax; at += 1) {
      await eachWorld(pairs, (world, role) => takeStep(world, { ...role, phase, at }));
      service.clock.advanceMs(1);
    }
    service.clock.advanceMs(3_600_000);
    affected += countAffected(pairs, await processAll(service));
    await eachWorld(pairs, (world) => world.readDeletions());
  }
  await applyAllRetention(service, pairs);
  await eachWorld(pairs, (world) => world.readExports());
  return {
    pairs: pairs.length,
    affected,
    compared: pairs.reduce((sum, { worlds: [world] }) => sum + world.transcript.length, 0),
    differences: pairs.flatMap((pair) => compare(pair) ?? []),
  };
}

interface Role {
  readonly pair: Pair;
  readonly index: number;
}

/** A bounded number at a time, the two of a pair in turns. Throws the first error when nothing is in progress any more. */
async function eachWorld(
  pairs: readonly Pair[],
  work: (world: World, role: Role) => Promise<void>,
): Promise<void> {
  const all = pairs.flatMap((pair) => pair.worlds.map((world, index) => ({ world, pair, index })));
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
  { pair, index, phase, at }: Role & { readonly phase: number; readonly at: number },
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

/** Deletes what is above the ceilings of the organizations. */
async function applyAllRetention(service: Service, pairs: readonly Pair[]): Promise<void> {
  isApplying = true;
  try {
    await eachWorld(pairs, async ({ organizationId }) => {
      const organizationIds = [organizationId];
      let place: RetentionPlace | undefined = { organizationIds, after: undefined };
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
    const done = await processDeletions(app, { claimant: "campaign", stopping: signal });
    if (done.length === 0) return all;
    for (const one of done) {
      if (one.result === "postponed") throw new Error("a deletion failed", { cause: one.cause });
      all.push(one.deletion);
    }
  }
}

function countAffected(pairs: readonly Pair[], done: readonly Deletion[]): number {
  const hiddenOf = new Map(
    pairs.flatMap(({ worlds, scenario }) =>
      worlds.map(({ organizationId }) => [organizationId, scenario.hidden] as const),
    ),
  );
  return done.filter(({ organizationId, erased, kept, redactedByType }) => {
    const touched = { ...erased, ...kept, ...redactedByType };
    return (hiddenOf.get(organizationId) ?? []).some((type) => type in touched);
  }).length;
}

function compare({ seed, worlds: [one, other] }: Pair): Difference | undefined {
  const [left, right] = [one.transcript, other.transcript];
  const parts = Math.max(left.length, right.length);
  for (let part = 0; part < parts; part += 1) {
    const [first = "", second = ""] = [left[part], right[part]];
    if (first === second) continue;
    let equal = 0;
    while (equal < first.length && first[equal] === second[equal]) equal += 1;
    const from = Math.max(0, equal - shownBefore);
    const texts = [first, second].map((text) => text.slice(from, from + shownMax));
    return { seed, part, texts: [texts[0] ?? "", texts[1] ?? ""] };
  }
  return undefined;
}
