// The steps that send records in: a token first, then transactions, what belongs to them, and risk assessments.

import type { Payload } from "../../domain/record-type.ts";
import { expectReply, textOf } from "./expect.ts";
import { inBatches, inParallel } from "./in-parallel.ts";
import { bounds, type Chosen, doomed, pairs, type Step, timestamp, type World } from "./world.ts";

export const accessToken: Step = {
  name: "access token",
  total: () => 1,
  run: async (world) => {
    const { client, organizationId, organizationName, apiKey } = world;
    const refused = await client.send("GET", "/v2/transaction?tx_id=tx-1");
    expectReply(refused, 401, { code: 40101 });
    client.authorize(apiKey);
    const scopes = { organization_id: organizationId, scopes: ["transactions:write"] };
    const reply = await client.send("POST", "/auth/token", { expiry_seconds: 3_600, scopes });
    const token = expectReply(reply, 200, {
      organization_id: organizationId,
      organization_name: organizationName,
      scopes,
    });
    client.authorize(`Bearer ${textOf(token, "token")}`);
    world.advance(1);
  },
};

export const transactions: Step = {
  name: "transactions",
  total: ({ input }) => input.transactions.count,
  run: async (world) => {
    const { count } = world.input.transactions;
    const oneIn = Math.max(bounds.chosenOneIn, Math.ceil(count / bounds.chosenMax));
    await sendLists(world, choosing(world, oneIn), { path: "/v2/transactions/batch", status: 200 });
  },
};

export const checks: Step = {
  name: "transaction checks",
  total: ({ chosen }) => chosen.length,
  run: (world) =>
    sendLists(world, world.chosen.map(checkOf), { path: "/v2/transaction_check", status: 201 }),
};

export const alerts: Step = {
  name: "transaction alerts",
  total: (world) => alertsOf(world).length,
  run: (world) => sendLists(world, alertsOf(world), { path: "/v2/transaction_alert", status: 201 }),
};

export const suspicions: Step = {
  name: "suspicious activity",
  total: (world) => doomed(world).length,
  run: (world) =>
    sendLists(world, doomed(world).map(suspicionOf), {
      path: "/v2/transaction_suspicious_activity",
      status: 201,
    }),
};

export const assessments: Step = {
  name: "risk assessments",
  total: ({ input }) => input.assessments.count,
  run: (world) =>
    sendLists(world, remembering(world), { path: "/v2/risk_assessment", status: 201 }),
};

/** Sends records in lists, each of which has to be taken whole. */
export async function sendLists(
  world: World,
  records: AsyncIterable<Payload> | Iterable<Payload>,
  { path, status, method = "POST" }: { path: string; status: number; method?: "POST" | "PUT" },
): Promise<void> {
  const { client, organizationId } = world;
  await inParallel(inBatches(records, bounds.batchItems), bounds.batchesAtOnce, async (list) => {
    const reply = await client.send(method, path, list);
    expectReply(reply, status, {
      success: true,
      write_count: list.length,
      organization_id: organizationId,
    });
    world.advance(list.length);
  });
}

async function* choosing({ input, chosen }: World, oneIn: number): AsyncGenerator<Payload> {
  let index = 0;
  for await (const transaction of input.transactions.read()) {
    if (index % oneIn === 0) {
      const at = Date.parse(String(transaction["timestamp"]));
      chosen.push({ txId: String(transaction["tx_id"]), at, lastAt: at });
    }
    index += 1;
    yield transaction;
  }
}

async function* remembering({ input, assessmentIds }: World): AsyncGenerator<Payload> {
  for await (const assessment of input.assessments.read()) {
    if (assessmentIds.length < bounds.assessmentsRememberedMax) {
      assessmentIds.push(String(assessment["assessment_id"]));
    }
    yield assessment;
  }
}

function checkOf({ txId, at }: Chosen): Payload {
  return {
    check_id: `check-${txId}`,
    status: "COMPLETED",
    type: "INLINE_MONITORING",
    related_tx_ids: [txId],
    timestamp: timestamp(at + 1_000),
  };
}

/** One for each transaction that will be deleted, and one for each pair, which belongs to both. */
function alertsOf(world: World): readonly Payload[] {
  const common = { status: "CREATED", check_type: "INLINE_MONITORING" };
  return [
    ...doomed(world).map(({ txId, at }) => ({
      alert_id: `alert-${txId}`,
      ...common,
      related_check_id: `check-${txId}`,
      related_tx_ids: [txId],
      timestamp: timestamp(at + 2_000),
    })),
    ...pairs(world).map(([gone, stays]) => ({
      alert_id: `alert-${gone.txId}-${stays.txId}`,
      ...common,
      related_tx_ids: [gone.txId, stays.txId],
      timestamp: timestamp(stays.at + 2_000),
    })),
  ];
}

function suspicionOf({ txId, at }: Chosen): Payload {
  return {
    suspicious_activity_id: `suspicion-${txId}`,
    detection_date: timestamp(at + 86_400_000),
    related_alert_id: `alert-${txId}`,
    timestamp: timestamp(at + 86_400_000),
  };
}
