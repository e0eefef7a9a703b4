// Whether a store needs a replay, while another process changes it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { holdRecord, releaseHold } from "../../../src/actions/retention/holds.ts";
import { catchUpLedger } from "../../../src/actions/ledger/keep-ledger.ts";
import { needsReplay } from "../../../src/actions/ledger/prepare-replay.ts";
import { keyOf } from "../../conformance/scene.ts";
import { makeCustomer } from "../../support/customer.ts";
import { startServer } from "../../support/server.ts";
import { addTransaction } from "../../receipt/scene.ts";

/** The app as it is for a process that is slow between its readings of the ledger and of the store. */
function withSlowReading(app: App, afterReading: () => Promise<void>): App {
  const { ledger } = app;
  let isFirst = true;
  async function* readParts() {
    yield* ledger.readParts();
    if (isFirst) await afterReading();
    isFirst = false;
  }
  return { ...app, ledger: { ...ledger, readParts } };
}

describe("a store whose hold is released while it is compared with its ledger", () => {
  it("needs no replay, as it does where the hold is missing", async (test) => {
    const server = await startServer();
    test.after(() => server.stop());
    await server.operate(async (app) => {
      const acme = await makeCustomer(app, server.client, { organizationId: "acme" });
      await addTransaction(server.client, acme, "held");
      const reason = "a case";
      const { holdId } = await holdRecord(
        app,
        { ...keyOf("transaction", "held"), organizationId: "acme" },
        { reason },
      );
      await catchUpLedger(app);
      const release = () => releaseHold(app, { holdId }).then(() => undefined);
      assert.equal(await needsReplay(withSlowReading(app, release), []), false);
      await app.ledger.note([{ kind: "hold_placed", hold: lostHold }]);
      assert.equal(await needsReplay(app, []), true);
    });
  });
});

const lostHold = {
  ...keyOf("transaction", "held"),
  organizationId: "acme",
  holdId: "hold_lost",
  reason: "a case",
  owner: undefined,
  reviewOn: undefined,
  endsOn: undefined,
  placedAt: 0,
  placedBy: "zoe",
};
