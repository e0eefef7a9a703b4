// The steps of the demonstration against a server that breaks one promise at a time: each has to notice.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Sluice } from "../../../client/src/sluice.ts";
import { openInput } from "../../../src/feature/demo/input.ts";
import { stepsOf } from "../../../src/feature/demo/steps.ts";

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

type Answers = Readonly<Record<string, Answer>>;

const at = Date.UTC(2026, 0, 31);
const gone: Answer = { status: 404, body: { code: 40401, message: "gone" } };
const there: Answer = { status: 200, body: { tx_id: "tx-1", first_seen: "" } };

/** What a server that keeps its promises answers. */
const honest: Answers = {
  "POST /auth/token": { status: 200, body: { token: "token" } },
  "GET /v2/transaction?tx_id=tx-1": {
    status: 200,
    body: {
      tx_id: "tx-1",
      first_seen: "2026-01-31T00:00:00Z",
      last_seen: "2026-01-31T02:00:00Z",
    },
  },
  "POST /v2/transactions/batch": { status: 200, body: { write_count: 3, results: [] } },
  "POST /v2/deletion_request": { status: 200, body: { deletion_request_id: "del_1" } },
  "GET /v2/deletion_request?deletion_request_id=del_1": {
    status: 200,
    body: {
      deletion_request_id: "del_1",
      resource_id: "tx-1",
      status: "completed",
      erased: {
        transaction: 1,
        transaction_check: 1,
        transaction_alert: 1,
      },
    },
  },
};

function clientOf(answers: Answers): Sluice {
  const answer: typeof fetch = (url, { method = "GET" } = {}) => {
    const { pathname, search } = new URL(url as string);
    const { status, body } = answers[`${method} ${pathname}${search}`] ?? gone;
    const headers = { "content-type": "application/json" };
    return Promise.resolve(new Response(JSON.stringify(body), { status, headers }));
  };
  return new Sluice({
    baseUrl: "http://sluice.invalid",
    apiKey: "key",
    organizationId: "demo",
    retryForMs: 0,
    fetch: answer,
  });
}

async function perform(name: string, dishonest: Answers = {}): Promise<void> {
  const steps = stepsOf({
    client: clientOf({ ...honest, ...dishonest }),
    ...(await openInput({ count: 3, seed: 1 })),
    signal: new AbortController().signal,
    sample: [{ id: "tx-1", at }],
  });
  const step = steps[name];
  assert.ok(step !== undefined);
  await step();
}

/** The answer to `request`, with some fields of its body replaced. */
function altered(request: string, fields: Readonly<Record<string, unknown>>): Answers {
  const { status, body } = honest[request] ?? gone;
  return { [request]: { status, body: { ...body, ...fields } } };
}

describe("a step of the demonstration", () => {
  const existence = "GET /v2/transaction?tx_id=tx-1";
  const batch = "POST /v2/transactions/batch";
  const status = "GET /v2/deletion_request?deletion_request_id=del_1";

  it("accepts a server that keeps its promises", async () => {
    for (const name of ["transactions", "existence checks", "deletions"]) await perform(name);
    await perform("check that all is gone", { [existence]: gone });
  });

  const broken: readonly (readonly [what: string, name: string, Answers, RegExp])[] = [
    [
      "a batch of which one item was not written",
      "transactions",
      altered(batch, { write_count: 2 }),
      /written should be 3, but is 2/,
    ],
    [
      "a refused item",
      "transactions",
      altered(batch, {
        write_count: 2,
        results: [{ index: 1, status: "refused", code: 42201, message: "Not so." }],
      }),
      /Record 2 was refused: Not so\./,
    ],
    ["a record that is not there", "existence checks", { [existence]: gone }, /first_seen/],
    [
      "a first_seen that is a millisecond off",
      "existence checks",
      altered(existence, { first_seen: "2026-01-31T00:00:00.001Z" }),
      /first_seen/,
    ],
    [
      "a last_seen that follows the order of arrival",
      "existence checks",
      altered(existence, { last_seen: "2026-01-31T01:00:00Z" }),
      /last_seen/,
    ],
    [
      "a record that never was",
      "existence checks",
      { "GET /v2/transaction?tx_id=no-tx-1": there },
      /existence of no-tx-1/,
    ],
    [
      "a deletion of something else",
      "deletions",
      altered(status, { resource_id: "tx-2" }),
      /should be .*"tx-1".*, but is .*"tx-2"/,
    ],
    [
      "a deletion that left an alert",
      "deletions",
      altered(status, { erased: { transaction: 1 } }),
      /erased/,
    ],
    ["a deleted transaction that is still there", "check that all is gone", {}, /left of tx-1/],
    [
      "a check that outlived its transaction",
      "check that all is gone",
      { [existence]: gone, "GET /v2/transaction_check?check_id=check-tx-1": there },
      /left of tx-1/,
    ],
  ];
  for (const [what, name, dishonest, says] of broken) {
    it(`notices ${what}`, async () => {
      await assert.rejects(perform(name, dishonest), {
        errorName: "broken_promise",
        message: says,
      });
    });
  }
});
