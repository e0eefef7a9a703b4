// What the demonstration sends: from CSV files, and generated.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { findType } from "../../../src/actions/find-target.ts";
import { OperatorError } from "../../../src/actions/operator-error.ts";
import {
  generateAssessments,
  generateTransactions,
  readAccounts,
  readTransactions,
} from "../../../src/cli/demo/input.ts";
import type { Payload } from "../../../src/domain/record-type.ts";
import { validatePayload } from "../../../src/domain/validation/validate.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const folder = makeTempFolder();
const header = "sourceNodeId,targetNodeId,value,time";

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function read(path: string, rowsMax = 1_000): Promise<readonly Payload[]> {
  return Array.fromAsync(await readTransactions(path, rowsMax));
}

function assertValid(typeName: string, records: readonly Payload[]): void {
  const options = { now: Date.UTC(2026, 6, 1) };
  for (const record of records) {
    assert.deepEqual(validatePayload(findType(typeName), "add", record, options), []);
  }
}

describe("transactions from CSV", () => {
  const csv = `${header}\n216,14730,163.3,1\n322,5431,143.11,2\n78,19972,192.33,2\n`;

  it("are mapped to valid transactions", async () => {
    const records = await read(file("plain.csv", csv));
    assert.equal(records.length, 3);
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
      timestamp: "2025-01-03T00:00:00Z",
    });
    assertValid("transaction", records);
  });

  it("are the same from a gzipped file, with a byte order mark and with CRLF", async () => {
    const expected = await read(file("a.csv", csv));
    assert.deepEqual(await read(file("a.csv.gz", gzipSync(csv))), expected);
    assert.deepEqual(await read(file("b.csv", `\uFEFF${csv.replaceAll("\n", "\r\n")}`)), expected);
  });

  it("stop at the requested number", async () => {
    assert.equal((await read(file("some.csv", csv), 2)).length, 2);
  });

  const fieldErrors: readonly (readonly [
    name: string,
    content: string | Uint8Array,
    says: RegExp,
  ])[] = [
    ["columns.csv", "from,to,value\n1,2,3\n", /no column "sourceNodeId"/],
    ["number.csv", `${header}\n1,2,3,1\n1,2,three,1\n`, /row 2: amount must be a number/],
    ["time.csv", `${header}\n1,2,3,99999999999\n`, /row 1: timestamp must be days since/],
    ["ragged.csv", `${header}\n1,2,3\n`, /row 1: has 3 cells/],
    ["cut.csv.gz", gzipSync(csv).subarray(0, 30), /damaged or truncated/],
  ];
  for (const [name, content, says] of fieldErrors) {
    it(`are refused: ${name}`, async () => {
      await assert.rejects(read(file(name, content)), (error) => {
        assert.ok(error instanceof OperatorError);
        assert.match(error.message, says);
        return true;
      });
    });
  }
});

describe("accounts from CSV", () => {
  it("become valid risk assessments, HIGH where there is fraud", async () => {
    const csv = "nodeid,isFraud,init_balance,fraudStep\n0,0,184.44,-1\n7,1,175.80,30\n8,true,1,2\n";
    const records = await Array.fromAsync(await readAccounts(file("accounts.csv", csv)));
    assert.deepEqual(
      records.map(({ assessment_id: id, outcome, additional_properties: more }) => [
        id,
        outcome,
        more,
      ]),
      [
        ["assessment-0", "LOW", balance("184.44")],
        ["assessment-7", "HIGH", balance("175.80")],
        ["assessment-8", "HIGH", balance("1")],
      ],
    );
    assertValid("risk_assessment", records);
  });
});

function balance(value: string): readonly Payload[] {
  return [{ key: "init_balance", value, type: "NUMBER" }];
}

describe("generated records", () => {
  it("are valid, and the same for the same seed only", () => {
    const records = [...generateTransactions(500, 7)];
    assertValid("transaction", records);
    assertValid("risk_assessment", [...generateAssessments(500, 7)]);
    assert.deepEqual([...generateTransactions(500, 7)], records);
    assert.notDeepEqual([...generateTransactions(500, 8)], records);
    assert.equal(new Set(records.map(({ tx_id: id }) => id)).size, 500);
  });
});
