// What several ledgers know together, whichever is read first.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { readLedgers } from "../../../src/actions/ledger/read-ledgers.ts";
import type { AuditEntry, Hold } from "../../../src/domain/access.ts";
import type { ChainHead, LedgerEntry } from "../../../src/domain/deletion/ledger-entry.ts";
import type { MustHave } from "../../../src/store/interface/ledger.ts";
import { keyOf } from "../../conformance/scene.ts";

const link = (no: number): ChainHead => ({ no, hash: `hash ${no}` });

function heads(auditNo: number): LedgerEntry {
  const texts = { storeId: "store_1", ledgerId: "ledger_1", ledger: "", keyId: "", signature: "" };
  return { kind: "heads", at: 0, audit: link(auditNo), receipts: link(0), ...texts };
}

function completed(receiptNo: number): LedgerEntry {
  return {
    kind: "deletion",
    deletionRequestId: `del_${receiptNo}`,
    ...keyOf("transaction", "t"),
    requestedBy: "key_1",
    requestedAt: 0,
    completed: { at: 0, receiptNo, receiptHash: link(receiptNo).hash },
  };
}

function restore(entryNo: number, restoredNo: number): LedgerEntry {
  const cut = { restored: link(restoredNo), known: link(entryNo - 1) };
  const cuts = { audit: cut, receipts: cut, shared: link(0) };
  return { kind: "restore", at: 0, by: "zoe", entry: link(entryNo), ...cuts };
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
  return chain.includes(wanted.no) && wanted.hash === link(wanted.no).hash;
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
  const entries = [heads(10), completed(4)];
  const fewer = [heads(5), completed(2)];

  it("is the highest link of each chain, in whatever order they are read", async () => {
    const store = { audit: [5, 10], receipts: [2, 4] };
    for (const ledgers of [
      [entries, fewer],
      [fewer, entries],
    ]) {
      const { known, behind } = await read(store, ...ledgers);
      assert.deepEqual(known, { audit: link(10), receipts: link(4) });
      assert.equal(behind, false);
    }
  });

  it("shows that the store is behind if it lacks one of these links", async () => {
    assert.equal((await read({ audit: [5], receipts: [2, 4] }, entries)).behind, true);
    assert.equal((await read({ audit: [5, 10], receipts: [2] }, entries)).behind, true);
    assert.equal((await read({ audit: [10], receipts: [4] }, entries)).behind, false);
  });

  it("does not include links that a restore has removed", async () => {
    const restored = [...entries, restore(11, 2)];
    assert.equal((await read({ audit: [5, 11], receipts: [2] }, restored)).behind, false);
    const { known, behind } = await read({ audit: [5, 11], receipts: [] }, [
      ...entries,
      restore(11, 0),
    ]);
    assert.deepEqual(known, { audit: link(11), receipts: link(4) });
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
    const other = { ...heads(1), storeId: "store_2" } as LedgerEntry;
    await assert.rejects(read({ audit: [], receipts: [] }, [other]), { errorName: "other_store" });
  });
});
