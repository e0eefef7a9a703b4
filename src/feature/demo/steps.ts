// The steps of the demonstration, through the client library. Each fails at the first reply that breaks a promise.

import { hourMs } from "../../basics/duration.ts";
import { isDeepStrictEqual } from "node:util";
import type {
  RiskAssessment,
  Sluice,
  Transaction,
  TransactionAlert,
  TransactionCheck,
  Upload,
} from "../../../client/src/sluice.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";

export interface Demo {
  readonly client: Sluice;
  readonly transactions: AsyncIterable<Transaction>;
  readonly assessments: AsyncIterable<RiskAssessment>;
  readonly signal: AbortSignal;
  readonly sample: { readonly id: string; readonly at: number }[];
}

type Sample = Demo["sample"][number];

const sampleMax = 1_000;
const deletedMax = 10;
const erased = { transaction: 1, transaction_check: 1, transaction_alert: 1 };

/** Each step resolves to the number of records that it wrote, read or deleted. */
export function stepsOf(demo: Demo): Readonly<Record<string, () => Promise<number>>> {
  const { client, signal, sample } = demo;
  const { transactions, transactionChecks, transactionAlerts, riskAssessments } = client;
  const options = { batchSize: 500, signal };
  const update = (status: "SETTLED" | "PENDING", hours: number) => {
    const updates = sample.map(({ id, at }) => ({ tx_id: id, status, timestamp: time(at, hours) }));
    return send(transactions.updateAll(updates, options));
  };
  return {
    // The client fetches the token with its first request.
    "access token": async () => {
      expect("existence of tx-1", await transactions.exists("tx-1", options), undefined);
      return 1;
    },
    transactions: () => send(transactions.addAll(sampled(demo), options)),
    "transaction checks": () => send(transactionChecks.addAll(sample.map(checkOf), options)),
    "transaction alerts": () =>
      send(transactionAlerts.addAll(toDelete(sample).map(alertOf), options)),
    "risk assessments": () => send(riskAssessments.addAll(demo.assessments, options)),
    // The later change is sent first.
    "updates out of order": async () => (await update("SETTLED", 2)) + (await update("PENDING", 1)),
    "existence checks": async () => {
      for (const { id, at } of sample) {
        const sighting = await transactions.exists(id, options);
        const seen = [sighting?.first_seen, sighting?.last_seen].map((text) =>
          Date.parse(text ?? ""),
        );
        expect(`first_seen and last_seen of ${id}`, seen, [at, at + 2 * hourMs]);
        const none = await transactions.exists(`no-${id}`, options);
        expect(`existence of no-${id}`, none, undefined);
      }
      return sample.length * 2;
    },
    deletions: async () => {
      await Promise.all(toDelete(sample).map(({ id }) => deleteOne(demo, id)));
      return toDelete(sample).length;
    },
    "check that all is gone": async () => {
      const checked = sample.slice(0, 2 * deletedMax);
      for (const [index, { id }] of checked.entries()) {
        const sightings = {
          transaction: await transactions.exists(id, options),
          check: await transactionChecks.exists(`check-${id}`, options),
          alert: await transactionAlerts.exists(`alert-${id}`, options),
        };
        const left = Object.entries(sightings).flatMap(([name, one]) => (one ? [name] : []));
        const isDeleted = index < toDelete(sample).length;
        expect(`records left of ${id}`, left, isDeleted ? [] : ["transaction", "check"]);
      }
      return checked.length;
    },
  };
}

/** The first transactions of the sample, which alone have an alert. Never all of them, unless there is only one. */
function toDelete(sample: readonly Sample[]): readonly Sample[] {
  return sample.slice(0, Math.min(deletedMax, Math.ceil(sample.length / 2)));
}

async function send<Item>(upload: Upload<Item>): Promise<number> {
  for await (const { index, message } of upload) {
    throw new OperatorError("broken_promise", `Record ${index + 1} was refused: ${message}`);
  }
  const { received, written } = upload.tally;
  expect("number of records written", written, received);
  return received;
}

/** Passes all transactions on, and adds one in twenty to the sample. */
async function* sampled({ transactions, sample }: Demo): AsyncGenerator<Transaction> {
  let index = 0;
  for await (const transaction of transactions) {
    if (index % 20 === 0 && sample.length < sampleMax) {
      sample.push({ id: transaction.tx_id, at: new Date(transaction.timestamp).getTime() });
    }
    index += 1;
    yield transaction;
  }
  if (index === 0) throw new OperatorError("input", "There are no transactions to send.");
}

function checkOf({ id, at }: Sample): TransactionCheck {
  const related = { check_id: `check-${id}`, related_tx_ids: [id], timestamp: time(at, 0.1) };
  return { ...related, status: "COMPLETED", type: "INLINE_MONITORING" };
}

function alertOf({ id, at }: Sample): TransactionAlert {
  const { check_id: related_check_id, related_tx_ids, type: check_type } = checkOf({ id, at });
  const related = { related_check_id, related_tx_ids, check_type };
  return { alert_id: `alert-${id}`, ...related, status: "CREATED", timestamp: time(at, 0.2) };
}

async function deleteOne({ client, signal }: Demo, id: string): Promise<void> {
  const accepted = await client.transactions.delete(id, "deleted by the demonstration", { signal });
  const ended = await client.deletions.wait(accepted.deletion_request_id, { signal });
  const actual = { id: ended.resource_id, status: ended.status, erased: ended.erased };
  expect(`deletion of ${id}`, actual, { id, status: "completed", erased });
}

function time(at: number, hoursLater: number): string {
  return new Date(at + hoursLater * hourMs).toISOString();
}

function expect(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  const [is, should] = [actual, expected].map((value) => JSON.stringify(value) ?? "nothing");
  throw new OperatorError("broken_promise", `The ${what} should be ${should}, but is ${is}.`);
}
