// The steps of the demonstration against a server that breaks one promise at a time: each has to notice.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { OperatorError } from "../../../src/actions/operator-error.ts";
import { Client } from "../../../src/cli/demo/client.ts";
import { deletions, nothingLeft } from "../../../src/cli/demo/deletion-steps.ts";
import { generateInput } from "../../../src/cli/demo/generator.ts";
import { existenceChecks } from "../../../src/cli/demo/look-steps.ts";
import { Meter } from "../../../src/cli/demo/meter.ts";
import { accessToken, transactions } from "../../../src/cli/demo/send-steps.ts";
import type { Step, World } from "../../../src/cli/demo/world.ts";

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const at = Date.UTC(2026, 0, 31);
const gone: Answer = { status: 404, body: { code: 40401, message: "gone" } };
const organization = { organization_id: "demo" };

/** What a server that keeps its promises answers, by method and path without the query. */
const honest: Readonly<Record<string, Answer>> = {
  "GET /v2/transaction?tx_id=tx-1": {
    status: 200,
    body: {
      tx_id: "tx-1",
      first_seen: "2026-01-31T00:00:00Z",
      last_seen: "2026-01-31T00:00:00Z",
      ...organization,
    },
  },
  "GET /v2/risk_assessment?assessment_id=a-1": {
    status: 200,
    body: { assessment_id: "a-1", ...organization },
  },
  "POST /v2/transactions/batch": {
    status: 200,
    body: { success: true, write_count: 3, message: "", ...organization },
  },
  "DELETE /v2/transaction": {
    status: 200,
    body: { tx_id: "tx-1", deletion_request_id: "del_1" },
  },
  "GET /v2/deletion_request?deletion_request_id=del_1": {
    status: 200,
    body: {
      deletion_request_id: "del_1",
      resource_type: "transaction",
      resource_id: "tx-1",
      status: "completed",
      erased: {
        transaction_check: 1,
        transaction: 1,
        transaction_alert: 1,
        transaction_suspicious_activity: 1,
      },
    },
  },
};

let answers = honest;
let address = "";
const server = createServer((request, response) => {
  const { status, body } = answers[`${request.method} ${request.url}`] ?? gone;
  request.resume().on("end", () => response.writeHead(status).end(JSON.stringify(body)));
});
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

async function perform(
  step: Step,
  dishonest: Readonly<Record<string, Answer>> = {},
): Promise<void> {
  answers = { ...honest, ...dishonest };
  const stopping = new AbortController().signal;
  const world: World = {
    client: new Client(address, { meter: new Meter(), stopping }),
    input: generateInput({ count: 3, seed: 1 }),
    organizationId: "demo",
    organizationName: "Demo",
    apiKey: "key",
    stopping,
    advance: () => undefined,
    chosen: [{ txId: "tx-1", at, lastAt: at }],
    assessmentIds: ["a-1"],
    deletionMs: [],
  };
  await step.run(world);
}

/** The answer to `request`, with some fields of its body replaced. */
function altered(
  request: string,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Answer>> {
  const { status, body } = honest[request] ?? gone;
  return { [request]: { status, body: { ...body, ...fields } } };
}

describe("a step of the demonstration", () => {
  it("is content with a server that keeps its promises", async () => {
    for (const step of [transactions, existenceChecks, deletions]) await perform(step);
    await perform(nothingLeft, { "GET /v2/transaction?tx_id=tx-1": gone });
  });

  const look = "GET /v2/transaction?tx_id=tx-1";
  const status = "GET /v2/deletion_request?deletion_request_id=del_1";
  const broken: readonly (readonly [
    what: string,
    Step,
    Readonly<Record<string, Answer>>,
    RegExp,
  ])[] = [
    ["data open to anybody", accessToken, {}, /should be answered with 401/],
    [
      "a batch of which one item was not written",
      transactions,
      altered("POST /v2/transactions/batch", { write_count: 2 }),
      /write_count 3/,
    ],
    [
      "a batch that went to another organization",
      transactions,
      altered("POST /v2/transactions/batch", { organization_id: "other" }),
      /organization_id "demo"/,
    ],
    ["a record that is not there", existenceChecks, { [look]: gone }, /answered with 200/],
    [
      "a first_seen that is a millisecond off",
      existenceChecks,
      altered(look, { first_seen: "2026-01-31T00:00:00.001Z" }),
      /first_seen 2026-01-31T00:00:00.000Z/,
    ],
    [
      "a last_seen that follows the order of arrival",
      existenceChecks,
      altered(look, { last_seen: "2026-01-31T01:00:00Z" }),
      /last_seen/,
    ],
    [
      "a record that never was",
      existenceChecks,
      { "GET /v2/transaction?tx_id=no-tx-1": { status: 200, body: {} } },
      /answered with 404/,
    ],
    [
      "a deletion of something else",
      deletions,
      altered(status, { resource_id: "tx-2" }),
      /resource_id/,
    ],
    [
      "a deletion that left an alert",
      deletions,
      altered(status, { erased: { transaction: 1 } }),
      /erased/,
    ],
    ["a deleted transaction that is still there", nothingLeft, {}, /answered with 404/],
    [
      "a check that outlived its transaction",
      nothingLeft,
      { [look]: gone, "GET /v2/transaction_check?check_id=check-tx-1": { status: 200, body: {} } },
      /transaction_check.*answered with 404/,
    ],
  ];
  for (const [what, step, dishonest, says] of broken) {
    it(`notices ${what}`, async () => {
      await assert.rejects(perform(step, dishonest), (error) => {
        assert.ok(error instanceof OperatorError);
        assert.equal(error.errorName, "broken_promise");
        assert.match(error.message, says);
        return true;
      });
    });
  }
});
