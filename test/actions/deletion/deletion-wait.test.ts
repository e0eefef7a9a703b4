// Why a deletion is not completed yet, as operators are told.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { withWaits } from "../../../src/actions/deletion/deletion-wait.ts";
import type { Hold } from "../../../src/domain/access.ts";
import type { Deletion } from "../../../src/domain/deletion/deletion.ts";
import { keyOf } from "../../conformance/scene.ts";

const now = Date.UTC(2026, 5, 1);
const key = keyOf("transaction", "t");
const held: Hold = {
  ...key,
  holdId: "hold_1",
  reason: "a case",
  owner: undefined,
  reviewOn: undefined,
  endsOn: undefined,
  placedAt: 0,
  placedBy: "operator",
};
const deletion = {
  ...key,
  deletionRequestId: "del_1",
  status: "pending",
  dueAt: now,
  waitingFor: undefined,
} as Deletion;

async function explain(of: Partial<Deletion>, holds: readonly Hold[] = []) {
  const clock = { read: async () => ({}) };
  const store = { holds: { ofRecords: async () => holds }, clock };
  const app = { store, ledger: { state: async () => undefined }, now: () => now, clockJumpMs: 0 };
  const [shown] = await withWaits(app as unknown as App, [{ ...deletion, ...of }]);
  return shown?.waitsFor;
}

describe("what an open deletion waits for", () => {
  it("is a hold on its record, which the worker need not have found, until it is processed", async () => {
    assert.equal(await explain({}, [held]), "a hold on this record: a case");
    assert.equal(
      await explain({ waitingFor: "another" }, [held, held]),
      "a hold on this record: a case, and 1 more hold",
    );
    assert.match((await explain({}, [held, held, held])) ?? "", /, and 2 more holds$/);
    assert.equal(await explain({ status: "processing" }, [held]), undefined);
    const waitingFor = "a full disk";
    assert.equal(await explain({ status: "processing", waitingFor }, [held]), waitingFor);
  });

  it("is its grace period before it is due, and nothing from then on", async () => {
    const dueAt = now + 1;
    const until = "its grace period, until 2026-06-01T00:00:00.001Z";
    assert.equal(await explain({ dueAt }), until);
    assert.equal(await explain({ dueAt: now }), undefined);
    assert.equal(await explain({ status: "completed", waitingFor: "x", dueAt }, [held]), undefined);
  });
});
