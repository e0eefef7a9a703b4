// The steps that delete transactions for good, and look that they and all that belonged to them are gone.

import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../../actions/operator-error.ts";
import { expectReply, textOf } from "./expect.ts";
import { inParallel } from "./in-parallel.ts";
import { expectGone } from "./look-steps.ts";
import { bounds, type Chosen, doomed, pairs, type Step, type World } from "./world.ts";

/** What goes with each of the transactions that are deleted, itself included. */
const erased = {
  transaction: 1,
  transaction_check: 1,
  transaction_alert: 1,
  transaction_suspicious_activity: 1,
};

export const deletions: Step = {
  name: "deletions",
  total: (world) => doomed(world).length,
  run: (world) =>
    inParallel(doomed(world), bounds.deletedMax, async (chosen) => {
      const before = performance.now();
      await waitUntilCompleted(world, await requestDeletion(world, chosen), chosen);
      world.deletionMs.push(performance.now() - before);
      world.advance(1);
    }),
};

async function requestDeletion({ client }: World, { txId }: Chosen): Promise<string> {
  const body = { tx_id: txId, reason: "the demonstration deletes it" };
  const reply = await client.send("DELETE", "/v2/transaction", body);
  return textOf(expectReply(reply, 200, { tx_id: txId }), "deletion_request_id");
}

async function waitUntilCompleted(
  { client, stopping }: World,
  id: string,
  { txId }: Chosen,
): Promise<void> {
  const path = `/v2/deletion_request?deletion_request_id=${encodeURIComponent(id)}`;
  const asked = { deletion_request_id: id, resource_type: "transaction", resource_id: txId };
  const until = performance.now() + bounds.deletionMsMax;
  while (performance.now() < until) {
    const reply = await client.send("GET", path);
    const { status } = expectReply(reply, 200, asked);
    if (status === "completed") {
      expectReply(reply, 200, { erased });
      return;
    }
    await sleep(bounds.deletionPollMs, undefined, { signal: stopping });
  }
  throw new OperatorError(
    "broken_promise",
    `The deletion request ${id} is not completed after ${bounds.deletionMsMax} ms.`,
  );
}

/** The alert that a deleted transaction shared with one that stays has to stay as well. */
export const nothingLeft: Step = {
  name: "check that all is gone",
  total: (world) => doomed(world).length + pairs(world).length,
  run: async (world) => {
    for (const { txId } of doomed(world)) {
      await expectGone(world, `/v2/transaction?tx_id=${txId}`);
      await expectGone(world, `/v2/transaction_check?check_id=check-${txId}`);
      await expectGone(world, `/v2/transaction_alert?alert_id=alert-${txId}`);
      await expectGone(
        world,
        `/v2/transaction_suspicious_activity?suspicious_activity_id=suspicion-${txId}`,
      );
      world.advance(1);
    }
    for (const [gone, stays] of pairs(world)) {
      const shared = `/v2/transaction_alert?alert_id=alert-${gone.txId}-${stays.txId}`;
      expectReply(await world.client.send("GET", shared), 200);
      expectReply(await world.client.send("GET", `/v2/transaction?tx_id=${stays.txId}`), 200);
      world.advance(1);
    }
  },
};
