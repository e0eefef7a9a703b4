// What several ledgers know together, whichever is read first. How a store and its ledger are compared before the store
// is used. Whether a store needs a replay, while another process changes it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { readLedgers } from "../../../src/actions/ledger/read-ledgers.ts";
import type { AuditEntry, Hold } from "../../../src/domain/access.ts";
import type { ChainHead, LedgerEntry } from "../../../src/domain/deletion/ledger-entry.ts";
import type { LedgerState, MustHave } from "../../../src/store/interface/ledger.ts";
import { keyOf } from "../../conformance/scene.ts";
import { catchUpLedger, findLostLedger } from "../../../src/actions/ledger/keep-ledger.ts";
import type { LedgerMark } from "../../../src/store/interface/replay.ts";
import { emptyState, withPart } from "../../../src/store/ledger/ledger-state.ts";
import { holdRecord, releaseHold } from "../../../src/actions/retention/holds.ts";
import { needsReplay } from "../../../src/actions/ledger/prepare-replay.ts";
import { makeCustomer } from "../../support/customer.ts";
import { startServer } from "../../support/server.ts";
import { addTransaction } from "../../receipt/scene.ts";

const linkOf = (no: number): ChainHead => ({ no, hash: `hash ${no}` });

function headsAt(auditNo: number): LedgerEntry {
  const texts = { storeId: "store_1", ledgerId: "ledger_1", ledger: "", keyId: "", signature: "" };
  return { kind: "heads", at: 0, audit: linkOf(auditNo), receipts: linkOf(0), ...texts };
}

function completed(receiptNo: number): LedgerEntry {
  return {
    kind: "deletion",
    deletionRequestId: `del_${receiptNo}`,
    ...keyOf("transaction", "t"),
    requestedBy: "key_1",
    requestedAt: 0,
    completed: { at: 0, receiptNo, receiptHash: linkOf(receiptNo).hash },
  };
}

function restoreAt(entryNo: number, restoredNo: number): LedgerEntry {
  const cut = { restored: linkOf(restoredNo), known: linkOf(entryNo - 1) };
  const cuts = { audit: cut, receipts: cut, shared: linkOf(0) };
  return { kind: "restore", at: 0, by: "zoe", entry: linkOf(entryNo), ...cuts };
}

function placed(holdId: string): LedgerEntry {
  const times = {
    placedAt: 0,
    placedBy: "zoe",
    owner: undefined,
    reviewOn: undefined,
    endsOn: undefined,
  };
  return {
    kind: "hold_placed",
    hold: { ...keyOf("transaction", "t"), holdId, reason: "a case", ...times },
  };
}

/** A store whose chains have exactly these links. */
interface Stored {
  readonly knownEnd?: number;
  readonly audit: readonly number[];
  readonly receipts: readonly number[];
  readonly holds?: readonly string[];
  /** The entries of the trail about holds and settings. */
  readonly trail?: readonly Partial<AuditEntry>[];
}

function has(chain: readonly number[], wanted: ChainHead | undefined): boolean {
  if (wanted === undefined) return true;
  return chain.includes(wanted.no) && wanted.hash === linkOf(wanted.no).hash;
}

function read(stored: Stored, ...ledgers: readonly (readonly LedgerEntry[])[]) {
  const [own = [], ...others] = ledgers;
  const store = {
    receiptHead: async () => ({ storeId: "store_1" }),
    listAudit: async () => stored.trail ?? [],
    listOrganizations: async () => [{ organizationId: "org_acme", retainDays: 9 }],
    replay: {
      countUnreplayed: async () => 0,
      findUncancelled: async () => [],
      listLedgerMarks: async () => [{ ledgerId: "ledger_1", end: stored.knownEnd ?? 0 }],
      continues: async ({ auditAnchor, lastReceipt }: MustHave) =>
        has(stored.audit, auditAnchor) && has(stored.receipts, lastReceipt),
    },
    retention: { listRules: async () => [] },
    holds: { list: async () => (stored.holds ?? []).map((holdId) => ({ holdId }) as Hold) },
  };
  const ledger = {
    readParts: async function* () {
      yield { entries: own };
    },
  };
  const sources = others.map((entries, index) => ({
    name: `ledger ${index}`,
    read: async function* () {
      yield { entries, end: 100, digest: undefined };
    },
  }));
  return readLedgers({ store, ledger } as unknown as App, sources);
}

describe("what ledgers know together", () => {
  const entries = [headsAt(10), completed(4)];
  const fewer = [headsAt(5), completed(2)];

  it("is the highest link of each chain, in whatever order they are read", async () => {
    const store = { audit: [5, 10], receipts: [2, 4] };
    for (const ledgers of [
      [entries, fewer],
      [fewer, entries],
    ]) {
      const { known, behind } = await read(store, ...ledgers);
      assert.deepEqual(known, { audit: linkOf(10), receipts: linkOf(4) });
      assert.equal(behind, false);
    }
  });

  it("shows that the store is behind if it lacks one of these links", async () => {
    assert.equal((await read({ audit: [5], receipts: [2, 4] }, entries)).behind, true);
    assert.equal((await read({ audit: [5, 10], receipts: [2] }, entries)).behind, true);
    assert.equal((await read({ audit: [10], receipts: [4] }, entries)).behind, false);
  });

  it("does not include links that a restore has removed", async () => {
    const restored = [...entries, restoreAt(11, 2)];
    assert.equal((await read({ audit: [5, 11], receipts: [2] }, restored)).behind, false);
    const { known, behind } = await read({ audit: [5, 11], receipts: [] }, [
      ...entries,
      restoreAt(11, 0),
    ]);
    assert.deepEqual(known, { audit: linkOf(11), receipts: linkOf(4) });
    assert.equal(behind, false);
  });

  it("is not read from a ledger that ends before what the store knows of it", async () => {
    const begin: LedgerEntry = { kind: "begin", ledgerId: "ledger_1", storeId: "store_1", at: 0 };
    const cut = [begin, ...fewer];
    await read({ audit: [5], receipts: [2], knownEnd: 100 }, [], cut);
    await assert.rejects(read({ audit: [5], receipts: [2], knownEnd: 101 }, [], cut), {
      errorName: "ledger_short",
    });
  });

  it("includes the holds that none of them says were released", async () => {
    const released: LedgerEntry = {
      kind: "hold_released",
      holdId: "hold_b",
      at: 0,
      by: "zoe",
      because: undefined,
    };
    const store = { audit: [], receipts: [], holds: ["hold_b", "hold_c"] };
    const own = ["hold_a", "hold_b", "hold_c"].map(placed);
    for (const ledgers of [
      [own, [released]],
      [[released], own],
    ]) {
      const { holds } = await read(store, ...ledgers);
      assert.deepEqual(
        holds.place.map(({ holdId }) => holdId),
        ["hold_a"],
      );
      assert.deepEqual(holds.release, ["hold_b"]);
    }
  });

  it("does not include what the store has changed since, after a replay with another ledger", async () => {
    const settings = { retainDays: 30, deletionApproval: true };
    const change: LedgerEntry = {
      kind: "settings",
      entryNo: 5,
      organizationId: "org_acme",
      settings,
      at: 0,
      by: "zoe",
    };
    const common = { at: 0, actor: "zoe", organizationId: "org_acme" };
    const trail = [
      { ...common, entryNo: 7, action: "organization.change", detail: { retainDays: 9 } },
      { ...common, entryNo: 8, action: "hold.release", detail: { holdId: "hold_a" } },
    ];
    const ledger = [change, placed("hold_a"), placed("hold_b")];
    const found = await read({ audit: [], receipts: [], trail }, ledger);
    assert.deepEqual(found.settings, [
      { organizationId: "org_acme", settings: { deletionApproval: true } },
    ]);
    assert.deepEqual(
      found.holds.place.map(({ holdId }) => holdId),
      ["hold_b"],
    );
  });

  it("is not read from the ledger of another store", async () => {
    const other = { ...headsAt(1), storeId: "store_2" } as LedgerEntry;
    await assert.rejects(read({ audit: [], receipts: [] }, [other]), { errorName: "other_store" });
  });
});

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
