// What operators see of records.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeFakeClock } from "../support/fake-clock.ts";
import { makeCommandLine } from "./command-line.ts";
import { addTransaction, updateTransaction } from "./write-transactions.ts";

const clock = makeFakeClock();
const line = makeCommandLine({ now: clock.now });
await line.ask("organization create --name Acme --id acme");
await line.beside(async (app) => {
  await addTransaction(app, "acme", {
    tx_id: "tx-1",
    status: "SETTLED",
    timestamp: "2026-02-02T00:00:00+01:00",
  });
  clock.advanceMs(1_500);
  await addTransaction(app, "acme", {
    tx_id: "tx-1",
    amount: 12,
    timestamp: "2026-01-31T09:30:00.5Z",
  });
});

describe("record show", () => {
  it("prints exactly state, changes, first_seen and last_seen as JSON", async () => {
    const shown = await line.ask("record show transaction tx-1 --organization acme");
    assert.deepEqual(Object.keys(shown), ["state", "changes", "first_seen", "last_seen"]);
    assert.equal(shown["first_seen"], "2026-01-31T09:30:00.5Z");
    assert.equal(shown["last_seen"], "2026-02-01T23:00:00Z");
  });

  it("names the rules that a state breaks after updates that were each valid", async () => {
    await line.beside(async (app) => {
      await addTransaction(app, "acme", { tx_id: "tx-cleared", timestamp: "2026-01-01T00:00:00Z" });
      await updateTransaction(app, "acme", {
        tx_id: "tx-cleared",
        sender_id: null,
        timestamp: "2026-01-02T00:00:00Z",
      });
    });
    const show = ["record", "show", "transaction", "tx-cleared", "--organization", "acme"];
    const shown = await line.ask(...show);
    const rule = "At least one of sender_id and receiver_id is required.";
    assert.deepEqual(shown["broken_rules"], [rule]);
    assert.ok((await line.type(...show)).out.includes(`The state breaks a rule: ${rule}`));
  });

  it("lists the changes in the order of arrival, as they were sent", async () => {
    const shown = await line.ask("record show transaction tx-1 --organization acme");
    const changes = shown["changes"] as readonly {
      received_at: string;
      payload: { amount: number };
    }[];
    assert.deepEqual(
      changes.map(({ received_at: receivedAt, payload }) => [receivedAt, payload.amount]),
      [
        [new Date(clock.now() - 1_500).toISOString(), 10],
        [new Date(clock.now()).toISOString(), 12],
      ],
    );
    assert.ok(changes.every((change) => Object.keys(change).join() === "received_at,payload"));
  });

  it("shows the same in human-readable form", async () => {
    const { out } = await line.type("record show transaction tx-1 --organization acme");
    assert.match(out, /^first seen +2026-01-31T09:30:00\.5Z$/m);
    assert.match(out, /^status +SETTLED$/m);
    assert.match(out, /^\d{4}-.*Z +\{"tx_id":"tx-1".*"amount":12/m);
  });

  const wrong: readonly (readonly [string, readonly string[], string, RegExp])[] = [
    [
      "a type",
      ["transactions", "tx-1", "--organization", "acme"],
      "no_such_type",
      /did you mean transaction\?.*customer_sar/,
    ],
    [
      "a type that is like no other",
      ["x", "tx-1", "--organization", "acme"],
      "no_such_type",
      /"x"\. The types are: transaction, /,
    ],
    [
      "an organization",
      ["transaction", "tx-1", "--organization", "x"],
      "no_such_organization",
      /There are: acme/,
    ],
    [
      "an id",
      ["transaction", "tx-2", "--organization", "acme"],
      "no_such_record",
      /no transaction "tx-2" of organization "acme"/,
    ],
  ];
  for (const [what, words, expected, says] of wrong) {
    it(`reports an unknown ${what}`, async () => {
      const { code, name, message } = await line.fail("record show", ...words);
      assert.deepEqual({ code, name }, { code: 1, name: expected });
      assert.match(message, says);
    });
  }
});

describe("organization show", () => {
  it("counts the records by type", async () => {
    assert.deepEqual((await line.ask("organization show acme"))["records"], {
      transaction: 2,
    });
    const { out } = await line.type("organization show acme");
    assert.match(out, /^transaction +2$/m);
  });
});
