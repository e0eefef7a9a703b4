// What the demonstration reads from files.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { findType } from "../../../src/actions/find-target.ts";
import { OperatorError } from "../../../src/actions/operator-error.ts";
import { openAccounts, openTransactions } from "../../../src/cli/demo/csv-input.ts";
import { validatePayload } from "../../../src/domain/validate.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const folder = makeTempFolder();
const header = "sourceNodeId,targetNodeId,value,time";

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("transactions from CSV", () => {
  const csv = `${header}\n216,14730,163.3,1\n322,5431,143.11,2\n78,19972,192.33,2\n`;

  it("are mapped to valid transactions", async () => {
    const source = await openTransactions(file("plain.csv", csv), 1_000);
    const records = await Array.fromAsync(source.read());
    assert.equal(source.count, 3);
    assert.deepEqual(records[1], {
      tx_id: "tx-2",
      type: "DEPOSIT",
      method: "INTERNAL_TRANSFER",
      amount: 143.11,
      currency: "USD",
      status: "CREATED",
      sender_id: "person-322",
      sender_country: "US",
      receiver_id: "person-5431",
      receiver_country: "US",
      timestamp: "2025-01-03T02:11:59.000Z",
    });
    for (const record of records) {
      assert.deepEqual(validatePayload(findType("transaction"), "add", record), []);
    }
  });

  it("are the same from a gzipped file, with a byte order mark and with CRLF", async () => {
    const plain = await openTransactions(file("a.csv", csv), 1_000);
    const gzipped = await openTransactions(file("a.csv.gz", gzipSync(csv)), 1_000);
    const windows = await openTransactions(
      file("b.csv", `\uFEFF${csv.replaceAll("\n", "\r\n")}`),
      1_000,
    );
    const expected = await Array.fromAsync(plain.read());
    assert.deepEqual(await Array.fromAsync(gzipped.read()), expected);
    assert.deepEqual(await Array.fromAsync(windows.read()), expected);
  });

  it("stop at the number that is asked for", async () => {
    const source = await openTransactions(file("some.csv", csv), 2);
    assert.equal(source.count, 2);
    assert.equal((await Array.fromAsync(source.read())).length, 2);
  });

  const faults: readonly (readonly [name: string, content: string | Uint8Array, says: RegExp])[] = [
    ["empty.csv", "", /has no rows/],
    ["header-only.csv", `${header}\n`, /has no rows/],
    [
      "columns.csv",
      "from,to,value\n1,2,3\n",
      /has no columns sourceNodeId, targetNodeId, time; its columns are from, to, value/,
    ],
    ["number.csv", `${header}\n1,2,3,1\n1,2,three,1\n`, /row 2: value is "three" and not a number/],
    ["missing.csv", `${header}\n1,,3,1\n`, /row 1: targetNodeId is empty/],
    [
      "time.csv",
      `${header}\n1,2,3,99999999999\n`,
      /row 1: time is 99999999999 and must be in days/,
    ],
    ["ragged.csv", `${header}\n1,2,3\n`, /is not CSV/],
    ["quote.csv", `${header}\n"1,2,3,4\n`, /is not CSV/],
    ["not-gzip.csv.gz", csv, /is not valid gzip data/],
    ["cut.csv.gz", gzipSync(csv).subarray(0, 30), /is not valid gzip data/],
  ];
  for (const [name, content, says] of faults) {
    it(`are refused before anything is sent: ${name}`, async () => {
      const path = file(name, content);
      await assert.rejects(openTransactions(path, 1_000), (error) => {
        assert.ok(error instanceof OperatorError);
        assert.ok(error.message.includes(path));
        assert.match(error.message, says);
        return true;
      });
    });
  }

  it("are refused when there is no such file", async () => {
    await assert.rejects(
      openTransactions(join(folder, "none.csv"), 1),
      /There is no file .*none\.csv/,
    );
  });
});

describe("accounts from CSV", () => {
  it("become valid risk assessments, HIGH where there is fraud", async () => {
    const csv = "nodeid,isFraud,init_balance,fraudStep\n0,0,184.44,-1\n7,1,175.80,30\n8,true,1,2\n";
    const source = await openAccounts(file("accounts.csv", csv));
    const records = await Array.fromAsync(source.read());
    assert.deepEqual(
      records.map((record) => [
        record["assessment_id"],
        record["outcome"],
        record["related_person_id"],
      ]),
      [
        ["assessment-0", "LOW", "person-0"],
        ["assessment-7", "HIGH", "person-7"],
        ["assessment-8", "HIGH", "person-8"],
      ],
    );
    for (const record of records) {
      assert.deepEqual(validatePayload(findType("risk_assessment"), "add", record), []);
    }
  });
});
