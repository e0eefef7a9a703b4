// The ledger as a file: its entries are read back in order; a torn end is cut off and any other
// damage is rejected; ledgers of earlier versions and files of receipts can be read too.

import assert from "node:assert/strict";
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { Hold } from "../../src/domain/access.ts";
import type {
  DeletionEntry,
  HeadsEntry,
  LedgerEntry,
} from "../../src/domain/deletion/ledger-entry.ts";
import type { DeletionLedger } from "../../src/store/ledger.ts";
import { readLedgerFile } from "../../src/store/ledger/ledger-reader.ts";
import { openStoreLedger } from "../../src/store/open-store.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
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
  placedAt: 3_000,
  placedBy: "zoe",
};

const link = { no: 7, hash: "7".repeat(64) };

const others: readonly LedgerEntry[] = [
  { kind: "hold_placed", hold },
  { kind: "hold_placed", hold: { ...hold, holdId: "hold_2", owner: "legal", reviewOn: undefined } },
  { kind: "hold_released", holdId: "hold_1", at: 4_000, by: "zoe" },
  {
    kind: "restore",
    at: 5_000,
    by: "zoe",
    entry: { no: 8, hash: "8".repeat(64) },
    audit: { restored: { no: 3, hash: "3".repeat(64) }, known: link },
    receipts: { restored: { no: 0, hash: "0".repeat(64) }, known: link },
  },
];

function heads(ledgerId: string, ledger: string): HeadsEntry {
  const fixed = { kind: "heads", at: 6_000, storeId: "store_1", keyId: "k" } as const;
  return { ...fixed, ledgerId, ledger, audit: link, receipts: link, signature: "s".repeat(86) };
}

function openOne(test: TestContext): DeletionLedger {
  const folder = makeTempFolder();
  test.after(() => removeFolder(folder));
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

function oldLine(fields: object): string {
  const fixed = { organization_id: "acme", deletion_request_id: "del_1", resource_type: "person" };
  const times = { requested_by: "key_1", requested_at: "1970-01-01T00:00:01.000Z" };
  return JSON.stringify({ ...fixed, resource_id: "p{1}", ...times, ...fields });
}

async function openOld(test: TestContext, text: string): Promise<DeletionLedger> {
  const ledger = openOne(test);
  await ledger.note([entry(1)]);
  writeFileSync(ledger.path, text);
  return reopen(ledger);
}

function writeReceipts(test: TestContext, text: string): string {
  const folder = makeTempFolder();
  test.after(() => removeFolder(folder));
  const path = join(folder, "receipts.ndjson");
  writeFileSync(path, text);
  return path;
}

describe("the ledger", () => {
  it("returns its entries in order, and is readable by its owner only", async (test) => {
    const ledger = openOne(test);
    assert.equal(ledger.exists(), false);
    assert.deepEqual(await all(ledger), []);
    const noted = [entry(1, false), entry(1), ...others, entry(2)];
    for (const one of noted) await ledger.note([one]);
    assert.deepEqual(await all(ledger), noted);
    assert.deepEqual(await all(reopen(ledger)), noted);
    assert.equal(statSync(ledger.path).mode & 0o777, 0o600);
  });

  it("knows from its end what the store has to contain", async (test) => {
    const ledger = openOne(test);
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

  it("contains ids, types and times of deletions, and no reason", async (test) => {
    const ledger = openOne(test);
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
      "completed_at",
      "receipt_no",
      "receipt_hash",
    ]);
  });

  it("is read in bounded parts, and its end without the whole of it", async (test) => {
    const ledger = openOne(test);
    await ledger.note(Array.from({ length: 5_000 }, (_, index) => entry(index + 1)));
    const parts = await Array.fromAsync(ledger.readParts());
    assert.ok(parts.length > 20);
    assert.equal((await all(ledger)).length, 5_000);
    const frames = readFileSync(ledger.path, "utf8").split("\n");
    for (const frame of frames) assert.ok(frame.length < ledgerFrameBytesMax + 100);
    assert.equal((await reopen(ledger).state()).lastReceiptNo, 5_000);
  });

  it("loses no line when several processes append to it at once", async (test) => {
    const ledger = openOne(test);
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
  it("is cut off before the next append, wherever the line was cut", async (test) => {
    const ledger = openOne(test);
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

  it("is a complete entry where only the newline is missing", async (test) => {
    const ledger = openOne(test);
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
    it(`can be ${what}`, async (test) => {
      const ledger = openOne(test);
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
  it("is rejected with its line number, for any byte of any line but the last", async (test) => {
    const ledger = openOne(test);
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

  it("can be a line that is missing, duplicated, or moved", async (test) => {
    const ledger = openOne(test);
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

  it("is more at the end than one append can be", async (test) => {
    const ledger = openOne(test);
    await ledger.note([entry(1)]);
    appendFileSync(ledger.path, Buffer.alloc(300 * 1_024));
    await assert.rejects(reopen(ledger).state(), /is damaged at/);
    await assert.rejects(all(ledger), /is damaged at line 2/);
  });
});

describe("a ledger of an earlier version", () => {
  const completed = {
    completed_at: "1970-01-01T00:00:02.000Z",
    receipt_no: 1,
    receipt_hash: "1".repeat(64),
  };

  it("is read, and continues in the new form, which signs the old lines too", async (test) => {
    const old = `${oldLine({})}\n${oldLine(completed)}\n`;
    const ledger = await openOld(test, old);
    assert.equal((await ledger.state()).lastReceiptNo, 1);
    await ledger.note([entry(2)]);
    await ledger.note([entry(3)]);
    const entries = (await all(reopen(ledger))) as readonly DeletionEntry[];
    assert.deepEqual(
      entries.map((one) => [one.resourceId, one.completed?.receiptNo]),
      [
        ["p{1}", undefined],
        ["p{1}", 1],
        ["tx-2", 2],
        ["tx-3", 3],
      ],
    );
    const changed = readFileSync(ledger.path, "utf8").replace('"p{1}"', '"p{2}"');
    writeFileSync(ledger.path, changed);
    await assert.rejects(all(reopen(ledger)), /is damaged at line 3/);
  });

  it("can contain lines that a crash had cut, in an id with a bracket too, and continues", async (test) => {
    const line = oldLine(completed);
    const cuts = [1, 30, line.indexOf("}") + 1, line.length - 2];
    for (const cut of cuts) {
      const torn = line.slice(0, cut);
      for (const text of [
        `${line}\n${torn}`,
        `${line}\n${torn}\n${line}\n`,
        `${line}\n\0\0\0${torn}`,
      ]) {
        const ledger = await openOld(test, text);
        const before = (await all(ledger)).length;
        assert.equal(before, text.endsWith(`${line}\n`) && text.split("\n").length > 3 ? 2 : 1);
        await ledger.note([entry(2)]);
        assert.equal((await all(reopen(ledger))).length, before + 1);
      }
    }
  });

  it("is rejected where a line in it is damaged", async (test) => {
    for (const bad of ['{"resource_type": }', '{"hello": "world"}']) {
      const ledger = await openOld(test, `${oldLine({})}\n${bad}\n${oldLine(completed)}\n`);
      await assert.rejects(all(ledger), /damaged at line 2/);
      await assert.rejects(ledger.state(), /damaged at line 2/);
    }
  });
});

describe("a file that is passed in addition to the ledger", () => {
  const { receipts } = makeChain(2);

  it("can contain receipts", async (test) => {
    const lines = receipts.map((receipt) => JSON.stringify(receipt));
    for (const end of ["\n", ""]) {
      const path = writeReceipts(test, lines.join("\n") + end);
      const entries = (await Array.fromAsync(readLedgerFile(path))) as readonly DeletionEntry[];
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

  it("is rejected where its end is missing: what is missing would not be erased", async (test) => {
    const text = receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join("");
    const path = writeReceipts(test, text.slice(0, -40));
    await assert.rejects(
      Array.fromAsync(readLedgerFile(path)),
      /its end is missing: line 2 .*Copy it again/,
    );
  });

  it("is rejected where it is something else", async (test) => {
    const path = writeReceipts(test, "tx_id,amount\n1,2\n");
    await assert.rejects(Array.fromAsync(readLedgerFile(path)), /line 1/);
  });

  it("can be a ledger that was copied while it was written to", async (test) => {
    const ledger = openOne(test);
    await ledger.note([entry(1)]);
    await ledger.note([entry(2)]);
    const path = writeReceipts(test, readFileSync(ledger.path, "utf8").slice(0, -40));
    const entries = await Array.fromAsync(readLedgerFile(path));
    assert.deepEqual(entries.slice(1), [entry(1)]);
  });
});
