// How a store and its ledger are compared before the store is used.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { findLostLedger } from "../../../src/actions/ledger/keep-ledger.ts";
import type { LedgerState } from "../../../src/store/interface/ledger.ts";
import type { LedgerMark } from "../../../src/store/interface/replay.ts";
import { emptyState, withPart } from "../../../src/store/ledger/ledger-state.ts";

const mark: LedgerMark = { ledgerId: "ledger_1", end: 100, digest: "a", notedAt: 0 };

function makeApp(
  state: Partial<LedgerState>,
  { marks = [] }: { marks?: readonly LedgerMark[] } = {},
): App {
  const store = { replay: { listLedgerMarks: async () => marks } };
  const ledger = {
    path: "/data/ledger",
    exists: () => true,
    state: async () => ({ ...emptyState, ...state }),
  };
  return { store, ledger } as unknown as App;
}

/** Whether a ledger that ends there is not the one that the store knows. */
async function isLost(end: number, digest: string): Promise<boolean> {
  const state = { ledgerId: "ledger_1", lastFrame: { end, digest } };
  return (await findLostLedger(makeApp(state, { marks: [mark] }))) !== undefined;
}

describe("a ledger that the store knows", () => {
  it("is lost if it ends before what the store knows of it, or differs there", async () => {
    assert.deepEqual(await Promise.all([isLost(99, "a"), isLost(100, "b")]), [true, true]);
    assert.deepEqual(await Promise.all([isLost(100, "a"), isLost(101, "b")]), [false, false]);
  });

  it("is lost if nothing but a torn append is left", async () => {
    const torn = { bytes: 0, tornBytes: 7 };
    assert.match((await findLostLedger(makeApp(torn, { marks: [mark] }))) ?? "", /up to byte 100/);
    assert.equal(await findLostLedger(makeApp(torn)), undefined);
  });

  it("is not lost if the store knows only others", async () => {
    const state = { ledgerId: "ledger_2", bytes: 5, lastFrame: { end: 5, digest: "x" } };
    assert.equal(await findLostLedger(makeApp(state, { marks: [mark] })), undefined);
  });
});

it("a ledger is not lost where another process appends and marks between the two reads", async () => {
  let end = 100;
  const appendAfter = <Result>(seen: Result): Result => {
    end = 200;
    return seen;
  };
  const state = () => ({ ...emptyState, ledgerId: "ledger_1", lastFrame: { end, digest: "a" } });
  const app = {
    store: { replay: { listLedgerMarks: async () => appendAfter([{ ...mark, end }]) } },
    ledger: {
      path: "/data/ledger",
      exists: () => true,
      state: async () => appendAfter(state()),
    },
  };
  assert.equal(await findLostLedger(app as unknown as App), undefined);
});

it("a restore leaves a ledger without heads, so that all of the trail is noted again", () => {
  const link = { no: 7, hash: "a" };
  const about = { at: 0, storeId: "store_1", ledgerId: "ledger_1", ledger: "", keyId: "k" };
  const heads = { kind: "heads", ...about, audit: link, receipts: link, signature: "" } as const;
  const cut = { restored: link, known: link };
  const restore = { kind: "restore", at: 1, by: "jo", entry: { no: 8, hash: "b" } } as const;
  const entries = [heads, { ...restore, audit: cut, receipts: cut, shared: link }];
  const state = withPart(emptyState, { entries, end: 1, digest: "d" });
  assert.deepEqual([state.heads, state.auditAnchor?.no], [undefined, 8]);
});
