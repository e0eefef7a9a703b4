// Measures deletions of persons with and without a suspicious activity report, in turns, each alone in the worker: the time to the
// completion, and the time of a reply with the status. Compares the two series by their ranks; sets no limit, because any machine
// is busy at times.

import assert from "node:assert/strict";
import { processDeletions } from "../../src/actions/process-deletions.ts";
import type { Scope } from "../../src/domain/scope.ts";
import { draftOf, write } from "../conformance/scene.ts";
import { type Customer, fetchToken, makeCustomer } from "../support/customer.ts";
import { makeRandom } from "../support/random.ts";
import { type Service, startService } from "../support/service.ts";
import { compareRanks, type RankStatistic } from "./rank-statistic.ts";

export interface TimingCampaign {
  readonly seed: number;
  readonly pairsMax: number;
  readonly budgetMs: number;
}

export interface TimingReport {
  readonly pairs: number;
  readonly completion: RankStatistic;
  readonly reply: RankStatistic;
  /** Of the deletions without a report. */
  readonly medianMs: { readonly completion: number; readonly reply: number };
}

interface Series {
  readonly completion: number[];
  readonly reply: number[];
}

const graceSeconds = 60;
/** Of each person. */
const screenings = 6;
const warmUpPairs = 10;
const signal = new AbortController().signal;
const scopes: readonly Scope[] = ["person:write", "person:delete"];

export async function measureTiming(campaign: TimingCampaign): Promise<TimingReport> {
  const { seed, pairsMax, budgetMs } = campaign;
  const service = await startService({ environment: { DELETION_POLL_MS: "60000" } });
  const startedAt = performance.now();
  try {
    const random = makeRandom(seed);
    const caller = await makeCaller(service);
    const series: readonly [Series, Series] = [
      { completion: [], reply: [] },
      { completion: [], reply: [] },
    ];
    let pairs = -warmUpPairs;
    while (pairs < pairsMax && performance.now() - startedAt < budgetMs) {
      const kinds = random.chance(0.5) ? [0, 1] : [1, 0];
      for (const reports of kinds) {
        const id = `person-${pairs + warmUpPairs}-${reports}`;
        const measured = await measure(service, caller, { id, reports });
        if (pairs < 0) continue;
        series[reports === 0 ? 0 : 1].completion.push(measured.completion);
        series[reports === 0 ? 0 : 1].reply.push(measured.reply);
      }
      pairs += 1;
    }
    const [without, withReport] = series;
    return {
      pairs,
      completion: compareRanks(without.completion, withReport.completion),
      reply: compareRanks(without.reply, withReport.reply),
      medianMs: { completion: median(without.completion), reply: median(without.reply) },
    };
  } finally {
    await service.stop();
  }
}

async function makeCaller({ app, client }: Service): Promise<Customer> {
  const customer = await makeCustomer(app, client, { deletionGraceSeconds: graceSeconds });
  return { ...customer, token: await fetchToken(client, customer, { scopes }) };
}

interface Subject {
  readonly id: string;
  readonly reports: number;
}

async function measure(
  { app, client, clock }: Service,
  { organizationId, token }: Customer,
  { id, reports }: Subject,
): Promise<{ readonly completion: number; readonly reply: number }> {
  const related = { related_person_id: id };
  const add = async (resourceType: string, recordId: string, fields = {}) => {
    await write(app.store, draftOf(resourceType, recordId, fields), {
      organizationId,
      resourceType,
    });
  };
  await add("person", id);
  for (let no = 0; no < screenings; no += 1) await add("screening", `${id}-${no}`, related);
  for (let no = 0; no < reports; no += 1) await add("customer_sar", `${id}-${no}`, related);
  const body = { person_id: id, reason: "asked for" };
  const asked = await client.send({ method: "DELETE", path: "/v2/person", token, body });
  const query = { deletion_request_id: String(asked.body.deletion_request_id) };
  clock.advanceMs(2 * graceSeconds * 1_000);
  const beganAt = performance.now();
  const done = await processDeletions(app, { claimant: "timing", stopping: signal });
  const completedAt = performance.now();
  const reply = await client.send({ method: "GET", path: "/v2/deletion_request", query, token });
  const repliedAt = performance.now();
  assert.equal(done.length, 1);
  assert.equal(reply.body.status, "completed", reply.text);
  return { completion: completedAt - beganAt, reply: repliedAt - completedAt };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
