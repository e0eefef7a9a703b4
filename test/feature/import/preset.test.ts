// Presets: each reads a sample of its export, with made-up names.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { presetNames } from "../../../src/feature/import/map/mapping.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import { check, importing, put } from "./importing.ts";

const paypal = `"Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","From Email Address","To Email Address","Transaction ID","Country Code","Balance Impact"
"31/01/2026","09:30:00","CET","Ada Example","Website Payment","Completed","EUR","1,250.50","-3.00","1,247.50","ada@example.com ","shop@example.org","7AB","fr","Credit"
`;

const adyen = `Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC)
Example,ExampleShop,8815001,order-1,visa,2026-01-31 09:30:00,CET,Settled,8815002,EUR,0.00,1250.50,1,EUR,,1248.10
Example,ExampleShop,,,,2026-01-31 23:00:00,CET,MerchantPayout,,EUR,1248.10,,1,EUR,1248.10,
`;

const revolut = `Date started (UTC),Date completed (UTC),ID,Type,State,Description,Reference,Payer,Orig currency,Orig amount,Payment currency,Amount,Fee,Balance,Account
2026-01-31,2026-02-01,65b-1,CARD_PAYMENT,COMPLETED,Example Stationery,,Ada Example,EUR,-12.50,EUR,-12.50,0.00,87.50,Main
2026-01-31,2026-01-31,65b-2,TOPUP,COMPLETED,Payment from Example,,,EUR,100.00,EUR,100.00,0.00,100.00,Main
`;

const ibm = `Timestamp,From Bank,Account,To Bank,Account,Amount Received,Receiving Currency,Amount Paid,Payment Currency,Payment Format,Is Laundering
2026/01/31 09:30,010,8000EB,0119,8000F4,1250.50,US Dollar,1250.50,US Dollar,Cheque,0
2026/01/31 09:31,010,8000EB,0119,8000F4,1,Bitcoin,1,Bitcoin,Bitcoin,1
`;

const paysim = `step,type,amount,nameOrig,oldbalanceOrg,newbalanceOrig,nameDest,oldbalanceDest,newbalanceDest,isFraud,isFlaggedFraud
25,CASH_IN,1250.5,C1,2000,3250.5,M1,0,0,0,0
`;

const amlsim = `TX_ID,SENDER_ACCOUNT_ID,RECEIVER_ACCOUNT_ID,TX_TYPE,TX_AMOUNT,TIMESTAMP,IS_FRAUD,ALERT_ID
1,501,502,TRANSFER,1250.5,31,False,-1
`;

const charge = {
  id: "ch_1",
  object: "charge",
  amount: 125_050,
  currency: "eur",
  created: 1_769_851_800,
  customer: "cus_1",
  livemode: true,
  status: "succeeded",
  billing_details: { address: { country: "FR" } },
  payment_method_details: { type: "card" },
};

/** The sample, what a person adds, and parts of the record of its first row; the other rows are refused. */
const samples: Readonly<
  Record<
    (typeof presetNames)[number],
    readonly [sample: string, added: string, record: Readonly<Record<string, unknown>>]
  >
> = {
  adyen: [
    adyen,
    "receiver_country==NL",
    { tx_id: "8815002", method: "CARD", timestamp: "2026-01-31T09:30:00+01:00" },
  ],
  amlsim: [
    amlsim,
    "",
    { tx_id: "amlsim-1", receiver_id: "502", timestamp: "2025-02-01T00:00:00Z" },
  ],
  "ibm-aml": [
    ibm,
    "",
    { sender_id: "010-8000EB", receiver_id: "0119-8000F4", currency: "USD", is_test: true },
  ],
  paypal: [
    paypal,
    "receiver_country==DE",
    { sender_id: "ada@example.com", sender_country: "FR", timestamp: "2026-01-31T09:30:00+01:00" },
  ],
  paysim: [paysim, "", { type: "DEPOSIT", timestamp: "2026-01-02T01:00:00Z" }],
  revolut: [
    revolut,
    "sender_id==acme,sender_country==LT",
    { tx_id: "65b-1", type: "WITHDRAWAL", amount: -12.5, timestamp: "2026-01-31T00:00:00Z" },
  ],
  stripe: [
    JSON.stringify({ object: "list", data: [charge, { ...charge, customer: null }] }),
    "",
    { tx_id: "ch_1", currency: "EUR", is_test: false, timestamp: "2026-01-31T09:30:00Z" },
  ],
};

describe("a preset", () => {
  it("has a file for each name", () => {
    const folder = new URL("../../../src/feature/import/map/preset/", import.meta.url);
    assert.deepEqual(
      readdirSync(folder).sort(),
      presetNames.map((name) => `${name}.json`),
    );
  });

  for (const [name, [sample, added, record]] of Object.entries(samples)) {
    it(`${name} reads what the product exports`, async () => {
      const line = makeCommandLine();
      const file = put(line, name === "stripe" ? "sample.json" : "sample.csv", sample);
      const words = importing(file, "transaction", "--preset", name, "--map", added);
      const { shown, refused, rows } = await check(line, ...words);
      assert.deepEqual(shown[0]?.errors, []);
      const [found = {}] = shown[0].records;
      const part = Object.keys(record).map((field) => [field, found[field]]);
      assert.deepEqual(Object.fromEntries(part), record);
      assert.equal(Math.abs(Number(found["amount"])), "amount" in record ? 12.5 : 1250.5);
      assert.equal(refused, rows - 1);
    });
  }
});
