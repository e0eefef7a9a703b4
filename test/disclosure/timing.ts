// Measures deletions of persons, in random turns, each alone in the worker: the time to the completion, and the time of
// a reply with the status. Some persons have a suspicious activity report that has to be kept. The others are two
// series, and how these two compare shows what chance does. Compares series by their ranks; a time is no limit, because
// any machine is busy at times.

import assert from "node:assert/strict";
import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import { setRule } from "../../src/actions/retention/retention-rules.ts";
import type { Scope } from "../../src/domain/scope.ts";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  makeLimit,
} from "../campaign/campaign.ts";
import { draftOf } from "../conformance/scene.ts";
import { type Customer, fetchToken, makeCustomer } from "../support/customer.ts";
import { withServicesOn } from "../support/database-maker.ts";
import { median } from "../support/median.ts";
import { makeRandom } from "../support/random.ts";
import { type Service, startService } from "../support/service.ts";
import { claimant, serviceOptions } from "./batch.ts";
import { compareRanks, type RankStatistic } from "./rank-statistic.ts";
import { withActs } from "../support/test-store.ts";

interface Compared {
  readonly completion: Comparison;
  readonly reply: Comparison;
}

export const timing: Campaign<{ readonly pairs: number }> = {
  about: "measures whether a kept report makes a deletion or its status slower",
  counts: "pairs",
  countDefault: 10_000,
  engines: ["sqlite", "postgres"],
  // Times are measured where the store has to wait for the disk, as in service.
  run: (run) => withServicesOn(run.engine, () => measureAll(run)),
};

export interface Comparison {
  /** Of the deletions without a report. */
  readonly medianMs: number;
  /** Of two series without a report. */
  readonly control: RankStatistic;
  /** Of one without and one with a kept report. */
  readonly effect: RankStatistic;
}

const kinds = ["without", "control", "kept"] as const;
type Kind = (typeof kinds)[number];

interface Times {
  readonly completion: number;
  readonly reply: number;
}

const graceSeconds = 60;
/** Of each person. */
const screenings = 6;
const warmUpPairs = 10;
/** Longer than the campaign, by the clock of the service. */
const keepDays = 3_650;
/** Series that do not differ have a smaller p this often. */
const chanceMax = 0.001;
const work = { claimant, stopping: new AbortController().signal };
const scopes: readonly Scope[] = ["person:write", "person:delete"];

async function measureAll(run: CampaignRun): Promise<CampaignOutcome<{ readonly pairs: number }>> {
  const { pairs, ...compared } = await measureTiming(run);
  run.tell(`${pairs} persons in each series, in turns (Mann-Whitney U)`);
  const findings: string[] = [];
  for (const [name, comparison] of Object.entries(compared)) {
    const line = describe(name, comparison);
    run.tell(line);
    if (isFinding(comparison)) findings.push(line);
  }
  return { figures: { pairs }, findings };
}

/** `pairs`: persons of each series. */
export async function measureTiming(run: CampaignRun): Promise<Compared & { pairs: number }> {
  const isOver = makeLimit(run);
  const service = await startService(serviceOptions);
  try {
    const random = makeRandom(run.seed);
    const caller = await makeCaller(service);
    const times: Record<Kind, Times[]> = { without: [], control: [], kept: [] };
    let pairs = -warmUpPairs;
    for (; !isOver(pairs); pairs += 1) {
      const turns = kinds.map((kind) => ({ kind, at: random.next() }));
      for (const { kind } of turns.sort((one, other) => one.at - other.at)) {
        const id = `person-${pairs + warmUpPairs}-${kind}`;
        const measured = await measure(service, caller, { id, isReported: kind === "kept" });
        if (pairs >= 0) times[kind].push(measured);
      }
    }
    return { pairs, completion: compare(times, "completion"), reply: compare(times, "reply") };
  } finally {
    await service.stop();
  }
}

/**
 * True if chance does not explain that deletions with a report take longer or shorter, and this machine would have
 * shown it.
 */
export function isFinding({ control, effect }: Pick<Comparison, "control" | "effect">): boolean {
  return effect.p < chanceMax && control.p >= chanceMax;
}

function compare(times: Readonly<Record<Kind, readonly Times[]>>, name: keyof Times): Comparison {
  const of = (kind: Kind) => times[kind].map((measured) => measured[name]);
  return {
    medianMs: median(of("without")),
    control: compareRanks(of("without"), of("control")),
    effect: compareRanks(of("without"), of("kept")),
  };
}

async function makeCaller({ app, client }: Service): Promise<Customer> {
  const customer = await makeCustomer(app, client, { deletionGraceSeconds: graceSeconds });
  const { organizationId } = customer;
  const rule = { organizationId, resourceType: "customer_sar", keepDays } as const;
  await setRule(app, { ...rule, countedFrom: "last_seen" });
  return customer;
}

interface Subject {
  readonly id: string;
  readonly isReported: boolean;
}

async function measure(
  { app, client, clock }: Service,
  customer: Customer,
  { id, isReported }: Subject,
): Promise<Times> {
  const { organizationId } = customer;
  // The clock moves further than a token is valid.
  const token = await fetchToken(client, customer, { scopes });
  const related = { related_person_id: id };
  const add = async (resourceType: string, recordId: string, fields = {}) => {
    await withActs(app.store).write(draftOf(resourceType, recordId, fields), {
      organizationId,
      resourceType,
    });
  };
  await add("person", id);
  for (let no = 0; no < screenings; no += 1) await add("screening", `${id}-${no}`, related);
  if (isReported) await add("customer_sar", id, related);
  const body = { person_id: id, reason: "asked for" };
  const asked = await client.send({ method: "DELETE", path: "/v2/person", token, body });
  const query = { deletion_request_id: String(asked.body.deletion_request_id) };
  clock.advanceMs(2 * graceSeconds * 1_000);
  const beganAt = performance.now();
  const done = await processDeletions(app, work);
  const completedAt = performance.now();
  const reply = await client.send({ method: "GET", path: "/v2/deletion_request", query, token });
  const repliedAt = performance.now();
  const kept = done.map((one) => one.deletion.kept["customer_sar"] ?? 0);
  assert.deepEqual(kept, [isReported ? 1 : 0]);
  assert.equal(reply.body.status, "completed", reply.text);
  // Evaluates the restricted set, so that the next measurement does not.
  assert.deepEqual(await processDeletions(app, work), []);
  return { completion: completedAt - beganAt, reply: repliedAt - completedAt };
}

function describe(name: string, { medianMs, control, effect }: Comparison): string {
  const [chance, report] = [control, effect].map(
    ({ superiority, p }) => `${superiority.toFixed(3)} (p ${p.toPrecision(2)})`,
  );
  return (
    `${name}, median ${medianMs.toFixed(2)} ms: one with a kept report is slower with a probability of ${report}, ` +
    `one of the control with ${chance}; 0.5 is not distinguishable`
  );
}
