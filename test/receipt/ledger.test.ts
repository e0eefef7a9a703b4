// The ledger as a file: its entries are read back in order; a torn end is cut off and any other
// damage is rejected; files of receipts can be read too.

import assert from "node:assert/strict";
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Hold } from "../../src/domain/access.ts";
import type {
  DeletionEntry,
  HeadsEntry,
  LedgerEntry,
} from "../../src/domain/deletion/ledger-entry.ts";
import type { DeletionLedger } from "../../src/store/interface/ledger.ts";
import { readLedgerParts } from "../../src/store/ledger/ledger-reader.ts";
import { openStoreLedger } from "../../src/store/open-store.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeChain } from "./scene.ts";
import { ledgerFrameBytesMax } from "../../src/store/ledger/ledger-file.ts";

function entry(number: number, completed = true, resourceId = `tx-${number}`): DeletionEntry {
  return {
    kind: "deletion",
    organizationId: "acme",
    deletionRequestId: `del_${number}`,
    resourceType: "transaction",
    resourceId,
    requestedBy: "key_1",
    requestedAt: 1_000,
    ...(completed
      ? { completed: { at: 2_000, receiptNo: number, receiptHash: `${number}`.padStart(64, "0") } }
      : {}),
  };
}

const hold: Hold = {
  holdId: "hold_1",
  organizationId: "acme",
  resourceType: "person",
  resourceId: "p-1",
  reason: 'court order 12/2026, "Zoë"\n',
  owner: undefined,
  reviewOn: "2026-12-31",
  endsOn: undefined,
  placedAt: 3_000,
  placedBy: "zoe",
};

const link = { no: 7, hash: "7".repeat(64) };

const others: readonly LedgerEntry[] = [
  { kind: "hold_placed", hold },
  {
    kind: "hold_placed",
    hold: { ...hold, holdId: "hold_2", owner: "legal", reviewOn: undefined, endsOn: undefined },
  },
  { kind: "deletion_cancelled", deletionRequestId: "del_9", at: 4_000, by: "zoe" },
  {
    kind: "settings",
    entryNo: 9,
    organizationId: "org_acme",
    settings: { retainDays: null, confidentialTypes: ["screening"], deletionApproval: false },
    at: 4_000,
    by: "zoe",
  },
  { kind: "hold_released", holdId: "hold_1", at: 4_000, by: "zoe", because: undefined },
  {
    kind: "restore",
    at: 5_000,
    by: "zoe",
    entry: { no: 8, hash: "8".repeat(64) },
    audit: { restored: { no: 3, hash: "3".repeat(64) }, known: link },
    receipts: { restored: { no: 0, hash: "0".repeat(64) }, known: link },
    shared: { no: 2, hash: "2".repeat(64) },
  },
];

function heads(ledgerId: string, ledger: string): HeadsEntry {
  const fixed = { kind: "heads", at: 6_000, storeId: "store_1", keyId: "k" } as const;
  return { ...fixed, ledgerId, ledger, audit: link, receipts: link, signature: "s".repeat(86) };
}

function openOne(): DeletionLedger {
  const folder = makeTempFolder();
  return openStoreLedger(join(folder, "data"), "store_1", { now: () => 500 });
}

/** The same file in another process. */
function reopen({ path }: DeletionLedger): DeletionLedger {
  const [folder = "", storeId = ""] = path.split("/deletion-ledger-");
  return openStoreLedger(folder, storeId.replace(".ndjson", ""), { now: () => 500 });
}

/** Without the header of every ledger. */
async function all(ledger: DeletionLedger): Promise<readonly LedgerEntry[]> {
  const parts = await Array.fromAsync(ledger.readParts());
  return parts.flatMap(({ entries }) => entries).filter(({ kind }) => kind !== "begin");
}

function writeReceipts(text: string): string {
  const folder = makeTempFolder();
  const path = join(folder, "receipts.ndjson");
  writeFileSync(path, text);
  return path;
}

describe("the ledger", () => {
  it("returns its entries in order, and is readable by its owner only", async () => {
    const ledger = openOne();
    assert.equal(ledger.exists(), false);
    assert.deepEqual(await all(ledger), []);
    const noted = [entry(1, false), entry(1), ...others, entry(2)];
    for (const one of noted) await ledger.note([one]);
    assert.deepEqual(await all(ledger), noted);
    assert.deepEqual(await all(reopen(ledger)), noted);
    assert.equal(statSync(ledger.path).mode & 0o777, 0o600);
  });

  it("knows from its end what the store has to contain", async () => {
    const ledger = openOne();
    assert.equal((await ledger.state()).lastReceiptNo, 0);
    await ledger.note([entry(1, false), entry(1), entry(2, false)], ({ ledgerId, digest }) =>
      heads(ledgerId, digest),
    );
    for (const one of [ledger, reopen(ledger)]) {
      const state = await one.state();
      assert.equal(state.lastReceiptNo, 7);
      assert.deepEqual(state.lastReceipt, { no: 1, hash: "1".padStart(64, "0") });
      assert.deepEqual(state.auditAnchor, link);
      assert.deepEqual(state.inProgress, [entry(2, false)]);
      assert.match(state.ledgerId ?? "", /^ledger_[0-9a-f]{24}$/);
    }
    await ledger.note(others);
    const { lastReceipt, auditAnchor } = await reopen(ledger).state();
    assert.equal(lastReceipt, undefined);
    assert.deepEqual(auditAnchor, { no: 8, hash: "8".repeat(64) });
  });

  it("contains ids, types and times of deletions, and no reason", async () => {
    const ledger = openOne();
    await ledger.note([entry(1)]);
    const json = /^v2 \d+ [0-9a-f]{64} (.*)\n$/.exec(readFileSync(ledger.path, "utf8"))?.[1];
    const [, written] = JSON.parse(json ?? "") as readonly object[];
    assert.deepEqual(Object.keys(written ?? {}), [
      "kind",
      "organization_id",
      "deletion_request_id",
      "resource_type",
      "resource_id",
      "requested_by",
      "requested_at",
      "completed",
    ]);
  });

  it("is read in bounded parts, and its end without the whole of it", async () => {
    const ledger = openOne();
    await ledger.note(Array.from({ length: 5_000 }, (_, index) => entry(index + 1)));
    const parts = await Array.fromAsync(ledger.readParts());
    assert.ok(parts.length > 20);
    assert.equal((await all(ledger)).length, 5_000);
    const frames = readFileSync(ledger.path, "utf8").split("\n");
    for (const frame of frames) assert.ok(frame.length < ledgerFrameBytesMax + 100);
    assert.equal((await reopen(ledger).state()).lastReceiptNo, 5_000);
  });

  it("loses no line when several processes append to it at once", async () => {
    const ledger = openOne();
    const ledgers = [ledger, reopen(ledger), reopen(ledger)];
    const writes = ledgers.flatMap((one, which) =>
      Array.from({ length: 20 }, (_, count) => one.note([entry(1 + which * 100 + count)])),
    );
    await Promise.all(writes);
    assert.equal((await all(reopen(ledger))).length, 60);
  });
});

describe("a torn end of the ledger after a crash", () => {
  /** Cut in the id, after a bracket in it, and at every position of the last line. */
  it("is cut off before the next append, wherever the line was cut", async () => {
    const ledger = openOne();
    await ledger.note([entry(1)]);
    const before = readFileSync(ledger.path);
    await ledger.note([entry(2, true, 'a}"}\\{}{b}')]);
    const whole = readFileSync(ledger.path);
    for (let length = before.length + 1; length < whole.length - 1; length += 1) {
      writeFileSync(ledger.path, whole.subarray(0, length));
      const again = reopen(ledger);
      assert.deepEqual(await all(again), [entry(1)], `cut at ${length}`);
      assert.equal((await again.state()).tornBytes, length - before.length);
      if (length % 7 !== 0) continue;
      await again.note([entry(3)]);
      assert.deepEqual(await all(reopen(ledger)), [entry(1), entry(3)]);
    }
  });

  it("is a complete entry where only the newline is missing", async () => {
    const ledger = openOne();
    await ledger.note([entry(1)]);
    await ledger.note([entry(2)]);
    truncateSync(ledger.path, statSync(ledger.path).size - 1);
    const again = reopen(ledger);
    assert.deepEqual(await all(again), [entry(1), entry(2)]);
    await again.note([entry(3)]);
    assert.deepEqual(await all(reopen(ledger)), [entry(1), entry(2), entry(3)]);
  });

  const left: readonly (readonly [string, (line: Buffer) => Buffer])[] = [
    ["zeros instead of the line", (line) => Buffer.alloc(line.length)],
    ["zeros before the rest of it", (line) => Buffer.concat([Buffer.alloc(70), line.subarray(70)])],
    ["zeros in its middle", (line) => Buffer.from(line).fill(0, 90, 140)],
    [
      "garbage with newlines in it",
      () => Buffer.from('\u0001}\n\n{"a"\nv2 9 x\n\u00ff'.repeat(9), "latin1"),
    ],
    [
      "zeros after a newline",
      (line) => Buffer.concat([Buffer.from("\n"), Buffer.alloc(line.length)]),
    ],
  ];
  for (const [what, corrupt] of left) {
    it(`can be ${what}`, async () => {
      const ledger = openOne();
      await ledger.note([entry(1)]);
      const before = readFileSync(ledger.path);
      await ledger.note([entry(2)]);
      const line = readFileSync(ledger.path).subarray(before.length);
      writeFileSync(ledger.path, Buffer.concat([before, corrupt(line)]));
      const again = reopen(ledger);
      assert.deepEqual(await all(again), [entry(1)]);
      await again.note([entry(3)]);
      assert.deepEqual(await all(reopen(ledger)), [entry(1), entry(3)]);
      assert.equal((await reopen(ledger).state()).tornBytes, 0);
    });
  }
});

describe("damage that no crash explains", () => {
  it("is refused with its line number, for any byte of any line but the last", async () => {
    const ledger = openOne();
    for (const number of [1, 2, 3]) await ledger.note([entry(number)]);
    const whole = readFileSync(ledger.path);
    const [first = "", second = ""] = whole.toString().split("\n");
    const end = first.length + 1 + second.length;
    for (let at = 0; at < end; at += 1) {
      const corrupted = Buffer.from(whole);
      corrupted[at] = (corrupted[at] ?? 0) ^ 1;
      writeFileSync(ledger.path, corrupted);
      await assert.rejects(all(reopen(ledger)), /damaged at line [12]: .*with an undamaged copy/s);
      await assert.rejects(reopen(ledger).state(), /is damaged at/);
      if (at % 50 === 0) await assert.rejects(reopen(ledger).note([entry(4)]), /is damaged at/);
    }
    assert.ok(end > 500);
  });

  it("can be a line that is missing, duplicated, or moved", async () => {
    const ledger = openOne();
    for (const number of [1, 2, 3, 4]) await ledger.note([entry(number)]);
    const lines = readFileSync(ledger.path, "utf8").split("\n");
    const [a = "", b = "", c = "", d = ""] = lines;
    for (const left of [
      [b, c, d],
      [a, c, d],
      [a, b, b, c, d],
      [a, c, b, d],
    ]) {
      writeFileSync(ledger.path, `${left.join("\n")}\n`);
      await assert.rejects(all(reopen(ledger)), /is damaged at line/);
    }
  });

  it("is more at the end than one append can be", async () => {
    const ledger = openOne();
    await ledger.note([entry(1)]);
    appendFileSync(ledger.path, Buffer.alloc(300 * 1_024));
    await assert.rejects(reopen(ledger).state(), /is damaged at/);
    await assert.rejects(all(ledger), /is damaged at line 2/);
  });
});

describe("a ledger", () => {
  it("has only frames, from its beginning on: anything else is damage", async () => {
    const { receipts } = makeChain(1);
    for (const line of [JSON.stringify(receipts[0]), '{"organization_id":"acme"}', ""]) {
      const ledger = openOne();
      await ledger.note([entry(1)]);
      const frames = readFileSync(ledger.path, "utf8");
      writeFileSync(ledger.path, `${line}\n${frames}`);
      await assert.rejects(all(reopen(ledger)), /is damaged at line 1/, line);
      await assert.rejects(reopen(ledger).state(), /is damaged at line 1/, line);
    }
  });
});

async function readLedgerFile(path: string): Promise<readonly LedgerEntry[]> {
  const parts = await Array.fromAsync(readLedgerParts(path, "other"));
  return parts.flatMap(({ entries }) => entries);
}

describe("a file that is passed in addition to the ledger", () => {
  const { receipts } = makeChain(2);

  it("can contain receipts", async () => {
    const lines = receipts.map((receipt) => JSON.stringify(receipt));
    for (const end of ["\n", ""]) {
      const path = writeReceipts(lines.join("\n") + end);
      const entries = (await readLedgerFile(path)) as readonly DeletionEntry[];
      assert.deepEqual(
        entries.map(({ deletionRequestId, completed }) => [
          deletionRequestId,
          completed?.receiptNo,
        ]),
        [
          ["del_1", 1],
          ["del_2", 2],
        ],
      );
      assert.equal(entries[0]?.completed?.receiptHash, receipts[1]?.previous_receipt);
    }
  });

  it("is refused where its end is missing: what is missing would not be erased", async () => {
    const text = receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join("");
    const path = writeReceipts(text.slice(0, -40));
    await assert.rejects(readLedgerFile(path), /its end is missing: line 2 .*Copy it again/);
  });

  it("is refused where a ledger follows receipts", async () => {
    const ledger = openOne();
    await ledger.note([entry(1)]);
    const frames = readFileSync(ledger.path, "utf8");
    const path = writeReceipts(`${JSON.stringify(receipts[0])}\n${frames}`);
    await assert.rejects(readLedgerFile(path), /line 2/);
  });

  it("is refused where it is something else", async () => {
    const path = writeReceipts("tx_id,amount\n1,2\n");
    await assert.rejects(readLedgerFile(path), /line 1/);
  });

  it("is refused where it is empty: it has at least its first entry, or its manifest", async () => {
    for (const text of ["", "\n"]) {
      await assert.rejects(readLedgerFile(writeReceipts(text)), /is empty: .*Copy it again/);
    }
  });

  it("can be a ledger that was copied while it was written to", async () => {
    const ledger = openOne();
    await ledger.note([entry(1)]);
    await ledger.note([entry(2)]);
    const path = writeReceipts(readFileSync(ledger.path, "utf8").slice(0, -40));
    const entries = await readLedgerFile(path);
    assert.deepEqual(entries.slice(1), [entry(1)]);
  });
});
