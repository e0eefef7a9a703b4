// The steps that send updates in the wrong order and look at what is there.

import { type Reply } from "./client.ts";
import { brokenPromise, expectReply, textOf } from "./expect.ts";
import { inParallel } from "./in-parallel.ts";
import { sendLists } from "./send-steps.ts";
import { bounds, type Chosen, spared, type Step, timestamp, type World } from "./world.ts";

const hourMs = 3_600_000;

function updated(world: World): readonly Chosen[] {
  return spared(world).slice(0, bounds.updatedMax);
}

/** Settled after two hours is sent first, pending after one hour is sent second. */
export const lateUpdates: Step = {
  name: "updates out of order",
  total: (world) => updated(world).length * 2,
  run: async (world) => {
    for (const [status, afterMs] of [
      ["SETTLED", 2 * hourMs],
      ["PENDING", hourMs],
    ] as const) {
      const changes = updated(world).map(({ txId, at }) => ({
        tx_id: txId,
        status,
        timestamp: timestamp(at + afterMs),
      }));
      await sendLists(world, changes, {
        path: "/v2/transactions/batch",
        status: 200,
        method: "PUT",
      });
    }
    for (const chosen of updated(world)) chosen.lastAt = chosen.at + 2 * hourMs;
  },
};

type Look = (world: World) => Promise<void>;

/** Transactions and risk assessments that are there, with the times that they must have, and some that are not. */
export const existenceChecks: Step = {
  name: "existence checks",
  total: (world) => looks(world).length,
  run: (world) =>
    inParallel(looks(world), bounds.looksAtOnce, async (look) => {
      await look(world);
      world.advance(1);
    }),
};

function looks({ chosen, assessmentIds }: World): readonly Look[] {
  const some = chosen.slice(0, bounds.lookedUpMax);
  return [
    ...some.map(
      (one): Look =>
        (world) =>
          lookAtTransaction(world, one),
    ),
    ...some
      .filter((_, index) => index % 10 === 0)
      .map(
        ({ txId }): Look =>
          (world) =>
            expectGone(world, `/v2/transaction?tx_id=no-${txId}`),
      ),
    ...assessmentIds.map(
      (id): Look =>
        (world) =>
          lookAtAssessment(world, id),
    ),
  ];
}

async function lookAtTransaction(
  { client, organizationId }: World,
  { txId, at, lastAt }: Chosen,
): Promise<void> {
  const reply = await client.send("GET", `/v2/transaction?tx_id=${encodeURIComponent(txId)}`);
  expectReply(reply, 200, { tx_id: txId, organization_id: organizationId });
  expectTime(reply, "first_seen", at);
  expectTime(reply, "last_seen", lastAt);
}

async function lookAtAssessment({ client, organizationId }: World, id: string): Promise<void> {
  const reply = await client.send(
    "GET",
    `/v2/risk_assessment?assessment_id=${encodeURIComponent(id)}`,
  );
  expectReply(reply, 200, { assessment_id: id, organization_id: organizationId });
}

/** Throws OperatorError unless there is no such record. */
export async function expectGone({ client }: World, path: string): Promise<void> {
  expectReply(await client.send("GET", path), 404, { code: 40401 });
}

/** The same instant, however it is written. */
function expectTime(reply: Reply, field: string, unixMs: number): void {
  const seen = textOf(expectReply(reply, 200), field);
  if (Date.parse(seen) === unixMs) return;
  throw brokenPromise(
    `${reply.request} should be answered with ${field} ${timestamp(unixMs)}`,
    reply,
  );
}
