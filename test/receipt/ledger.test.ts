// The ledger of deletions as a file: what a crash leaves of a line, what is damaged, and how a store that was taken back in time
// is told by it.

import assert from "node:assert/strict";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { openLedger, readLedgerFile } from "../../src/store/receipt-ledger.ts";
import type { LedgerEntry } from "../../src/domain/ledger-entry.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { makeChain } from "./scene.ts";

function entry(number: number, completed = true): LedgerEntry {
  return {
    organizationId: "acme",
    deletionRequestId: `del_${number}`,
    resourceType: "transaction",
    resourceId: `tx-${number}`,
    requestedBy: "key_1",
    requestedAt: 1_000,
    ...(completed
      ? { completed: { at: 2_000, receiptNo: number, receiptHash: `${number}`.padStart(64, "0") } }
      : {}),
  };
}

function openOne(test: TestContext) {
  const folder = makeTempFolder();
  test.after(() => removeFolder(folder));
  return openLedger(join(folder, "data"), "store_1");
}

async function all(path: string): Promise<readonly LedgerEntry[]> {
  return Array.fromAsync(readLedgerFile(path));
}

describe("the ledger of deletions", () => {
  it("gives back what was noted, in order, and is its owner's alone", async (test) => {
    const ledger = openOne(test);
    assert.deepEqual(await ledger.readTail(), []);
    assert.deepEqual(await Array.fromAsync(ledger.read()), []);
    const noted = [entry(1, false), entry(1), entry(2)];
    for (const one of noted) await ledger.note([one]);
    assert.deepEqual(await ledger.readTail(), noted);
    assert.deepEqual(await Array.fromAsync(ledger.read()), noted);
    assert.equal(statSync(ledger.path).mode & 0o777, 0o600);
  });

  it("holds ids, types and times, and no reason", async (test) => {
    const ledger = openOne(test);
    await ledger.note([entry(1)]);
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(ledger.path, "utf8")) as object), [
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

  it("passes over a line that a crash has cut short, wherever it was cut, and goes on after it", async (test) => {
    const ledger = openOne(test);
    await ledger.note([entry(1)]);
    const line = readFileSync(ledger.path);
    for (const length of [1, 30, line.length - 2]) {
      writeFileSync(ledger.path, Buffer.concat([line, line.subarray(0, length)]));
      assert.deepEqual(await ledger.readTail(), [entry(1)]);
      await ledger.note([entry(2)]);
      assert.deepEqual(await all(ledger.path), [entry(1), entry(2)]);
    }
  });

  it("reads its end from a long file without the whole of it", async (test) => {
    const ledger = openOne(test);
    await ledger.note(Array.from({ length: 5_000 }, (_, index) => entry(index + 1)));
    const tail = await ledger.readTail();
    assert.ok(tail.length < 5_000);
    assert.deepEqual(tail.at(-1), entry(5_000));
    assert.equal((await all(ledger.path)).length, 5_000);
  });

  it("says at which line it is damaged", async (test) => {
    const ledger = openOne(test);
    await ledger.note([entry(1)]);
    for (const bad of ['{"resource_type": }', '{"hello": "world"}']) {
      writeFileSync(ledger.path, "");
      await ledger.note([entry(1)]);
      appendFileSync(ledger.path, `${bad}\n`);
      await assert.rejects(all(ledger.path), /line 2: it is neither an entry nor a receipt/);
    }
  });

  it("may be a file of receipts instead", async (test) => {
    const ledger = openOne(test);
    await ledger.note([]);
    const { receipts } = makeChain(2);
    const folder = makeTempFolder();
    test.after(() => removeFolder(folder));
    const path = join(folder, "receipts.ndjson");
    writeFileSync(path, receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join(""));
    const entries = await all(path);
    assert.deepEqual(
      entries.map(({ deletionRequestId, completed }) => [deletionRequestId, completed?.receiptNo]),
      [
        ["del_1", 1],
        ["del_2", 2],
      ],
    );
    assert.equal(entries[0]?.completed?.receiptHash, receipts[1]?.previous_receipt);
  });
});
