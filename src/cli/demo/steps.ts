// The steps of the demonstration. Each uses the client of the SDK, and fails at the first reply that is not as promised.

import { isDeepStrictEqual } from "node:util";
import type { Sluice, Upload } from "../../../client/src/sluice.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import type { Payload } from "../../domain/record-type.ts";

type Records = AsyncIterable<Payload> | Iterable<Payload>;

export interface Demo {
  readonly client: Sluice;
  readonly transactions: Records;
  readonly assessments: Records;
  readonly signal: AbortSignal;
  /** Some of the transactions; the first of them are deleted in the end. */
  readonly sample: { readonly id: string; readonly at: number }[];
  /** How long each deletion took until it was completed. */
  readonly deletionMs: number[];
}

/** Resolves to the number of records that it was about. */
export type Step = (demo: Demo) => Promise<number>;

const sampleMax = 1_000;
const deletedMax = 10;
const hourMs = 3_600_000;
/** What is erased with a transaction, itself included. */
const erased = { transaction: 1, transaction_check: 1, transaction_alert: 1 };

export const steps: Readonly<Record<string, Step>> = {
  // The client fetches it with its first request.
  "access token": async ({ client, signal }) => {
    expect("existence of tx-1", await client.transactions.exists("tx-1", { signal }), undefined);
    return 1;
  },
  transactions: (demo) => send(demo, "transactions", sampled(demo)),
  "transaction checks": (demo) => send(demo, "transactionChecks", demo.sample.map(checkOf)),
  "transaction alerts": (demo) => send(demo, "transactionAlerts", doomed(demo).map(alertOf)),
  "risk assessments": (demo) => send(demo, "riskAssessments", demo.assessments),
  // What happened later is sent first.
  "updates out of order": async (demo) => {
    const update = (status: string, hours: number) =>
      demo.sample.map(({ id, at }) => ({ tx_id: id, status, timestamp: time(at, hours * hourMs) }));
    const settled = await send(demo, "transactions", update("SETTLED", 2), "updateAll");
    return settled + (await send(demo, "transactions", update("PENDING", 1), "updateAll"));
  },
  "existence checks": async ({ client, signal, sample }) => {
    for (const { id, at } of sample) {
      const found = await client.transactions.exists(id, { signal });
      const seen = [found?.first_seen, found?.last_seen].map((text) => Date.parse(text ?? ""));
      expect(`first_seen and last_seen of ${id}`, seen, [at, at + 2 * hourMs]);
      const none = await client.transactions.exists(`no-${id}`, { signal });
      expect(`existence of no-${id}`, none, undefined);
    }
    return sample.length * 2;
  },
  deletions: async (demo) => {
    await Promise.all(doomed(demo).map(({ id }) => deleteOne(demo, id)));
    return doomed(demo).length;
  },
  "check that all is gone": async (demo) => {
    const { client, signal, sample } = demo;
    for (const { id } of doomed(demo)) {
      const found = [
        await client.transactions.exists(id, { signal }),
        await client.transactionChecks.exists(`check-${id}`, { signal }),
        await client.transactionAlerts.exists(`alert-${id}`, { signal }),
      ];
      expect(
        `records left of ${id}`,
        found.filter((one) => one !== undefined),
        [],
      );
    }
    const kept = sample.slice(doomed(demo).length, 2 * deletedMax);
    for (const { id } of kept) {
      const found = await client.transactions.exists(id, { signal });
      expect(`id of ${id}, which was not deleted,`, found?.tx_id, id);
    }
    return doomed(demo).length + kept.length;
  },
};

type Sample = Demo["sample"][number];

/** The transactions that are deleted: the first few of the sample, but never all of it. */
function doomed({ sample }: Demo): readonly Sample[] {
  return sample.slice(0, Math.min(deletedMax, Math.ceil(sample.length / 2)));
}

type Verb = "addAll" | "updateAll";
type Send = (records: Records, options: object) => Upload<Payload>;

/** The client takes records of a type; what these hold is for the server to say. */
async function send(
  { client, signal }: Demo,
  name: "transactions" | "transactionChecks" | "transactionAlerts" | "riskAssessments",
  records: Records,
  verb: Verb = "addAll",
): Promise<number> {
  const collection = client[name] as unknown as Readonly<Record<Verb, Send>>;
  const upload = collection[verb](records, { batchSize: 500, signal });
  for await (const { index, message } of upload) {
    throw new OperatorError("broken_promise", `Record ${index + 1} was refused: ${message}`);
  }
  const { received, written } = upload.tally;
  expect(`number of ${name} written`, written, received);
  return received;
}

/** Remembers one transaction in twenty, up to a bound. */
async function* sampled({ transactions, sample }: Demo): AsyncGenerator<Payload> {
  let index = 0;
  for await (const transaction of transactions) {
    if (index % 20 === 0 && sample.length < sampleMax) {
      const at = Date.parse(String(transaction["timestamp"]));
      sample.push({ id: String(transaction["tx_id"]), at });
    }
    index += 1;
    yield transaction;
  }
  if (index === 0) throw new OperatorError("input", "There are no transactions to send.");
}

function checkOf({ id, at }: Sample): Payload {
  const common = { status: "COMPLETED", type: "INLINE_MONITORING", related_tx_ids: [id] };
  return { check_id: `check-${id}`, timestamp: time(at, 1_000), ...common };
}

function alertOf({ id, at }: Sample): Payload {
  const related = { related_check_id: `check-${id}`, related_tx_ids: [id] };
  const common = { status: "CREATED", check_type: "INLINE_MONITORING" };
  return { alert_id: `alert-${id}`, timestamp: time(at, 2_000), ...related, ...common };
}

async function deleteOne({ client, signal, deletionMs }: Demo, id: string): Promise<void> {
  const before = performance.now();
  const reason = "the demonstration deletes it";
  const accepted = await client.transactions.delete(id, reason, { signal });
  const ended = await client.deletions.wait(accepted.deletion_request_id, { signal });
  deletionMs.push(performance.now() - before);
  expect(`record of the deletion of ${id}`, ended.resource_id, id);
  expect(`status of the deletion of ${id}`, ended.status, "completed");
  expect(`count of what was erased with ${id}`, ended.erased, erased);
}

function time(at: number, laterMs: number): string {
  return new Date(at + laterMs).toISOString();
}

function expect(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  const [is, should] = [actual, expected].map((value) => JSON.stringify(value) ?? "nothing");
  throw new OperatorError("broken_promise", `The ${what} should be ${should}, but is ${is}.`);
}
