// What the demonstration sends: from CSV files, and generated.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { findType } from "../../../src/actions/record/find-named-record.ts";
import { OperatorError } from "../../../src/actions/operator/operator-error.ts";
import { type InputOptions, openInput } from "../../../src/feature/demo/input.ts";
import { validatePayload } from "../../../src/domain/validation/validate.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const folder = makeTempFolder();
const header = "sourceNodeId,targetNodeId,value,time";

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

type Records = readonly object[];

async function read(options: Partial<InputOptions>): Promise<Records> {
  const { transactions } = await openInput({ seed: 1, ...options });
  return Array.fromAsync(transactions);
}

async function readAccounts(options: Partial<InputOptions>) {
  const { assessments } = await openInput({ seed: 1, ...options });
  return Array.fromAsync(assessments);
}

function assertValid(typeName: string, records: Records): void {
  const options = { now: Date.UTC(2026, 6, 1) };
  for (const record of records) {
    assert.deepEqual(validatePayload(findType(typeName), "add", record, options), []);
  }
}

describe("transactions from CSV", () => {
  const csv = `${header}\n216,14730,163.3,1\n322,5431,143.11,2\n78,19972,192.33,2\n`;

  it("are mapped to valid transactions", async () => {
    const records = await read({ transactions: file("plain.csv", csv) });
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
    const expected = await read({ transactions: file("a.csv", csv) });
    assert.deepEqual(await read({ transactions: file("a.csv.gz", gzipSync(csv)) }), expected);
    assert.deepEqual(
      await read({ transactions: file("b.csv", `\uFEFF${csv.replaceAll("\n", "\r\n")}`) }),
      expected,
    );
  });

  it("stop at the number that is asked for", async () => {
    assert.equal((await read({ transactions: file("some.csv", csv), count: 2 })).length, 2);
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
      await assert.rejects(read({ transactions: file(name, content) }), (error) => {
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
    const records = await readAccounts({ accounts: file("accounts.csv", csv) });
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

function balance(value: string): Records {
  return [{ key: "init_balance", value, type: "NUMBER" }];
}

describe("generated records", () => {
  it("are valid, and the same for the same seed only", async () => {
    const records = await read({ count: 500, seed: 7 });
    assertValid("transaction", records);
    assertValid("risk_assessment", await readAccounts({ count: 500, seed: 7 }));
    assert.deepEqual(await read({ count: 500, seed: 7 }), records);
    assert.notDeepEqual(await read({ count: 500, seed: 8 }), records);
    assert.equal(new Set(records.map((record) => Object.values(record)[0])).size, 500);
  });
});
