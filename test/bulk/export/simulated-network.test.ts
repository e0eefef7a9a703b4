// Accounts and transfers as simulators of money laundering write them, with columns that match no
// field: imported with mapping files, exported, imported into another store, with the same result.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { CommandLine } from "../../cli/command-line.ts";
import { typeNamed } from "../../conformance/scene.ts";
import { makeRandom } from "../../support/random.ts";
import { removeFolder } from "../../support/temp-folder.ts";
import {
  acme,
  contentOf,
  exportTo,
  type FileReport,
  formats,
  importFrom,
  makeStore,
} from "./round-trip.ts";

const [accounts, transfers] = [250, 1_500];
const kinds = ["person", "transaction"].map(typeNamed);

const mappings: Readonly<Record<string, unknown>> = {
  person: {
    person_id: { template: "account-{nodeid}" },
    is_test_user: { value: false },
    is_retail_customer: { value: true },
    account_status: { column: "isFraud", values: { "0": "APPROVED", "1": "BLOCKED" } },
    "additional_properties.init_balance": { column: "init_balance", type: "NUMBER" },
    "additional_properties.fraud_step": { column: "fraudStep", type: "NUMBER" },
    timestamp: { value: "2025-01-01T00:00:00Z" },
  },
  transaction: {
    tx_id: { template: "transfer-{#}" },
    type: { value: "WITHDRAWAL" },
    method: { value: "WIRE" },
    amount: "value",
    currency: { value: "USD" },
    status: { value: "SETTLED" },
    sender_id: { template: "account-{sourceNodeId}" },
    sender_country: { value: "US" },
    receiver_id: { template: "account-{targetNodeId}" },
    receiver_country: { value: "US" },
    timestamp: { column: "time", time: "days:2025-01-01" },
  },
};

/** By the type of record that their rows become. */
function makeSample(): Readonly<Record<string, readonly string[]>> {
  const random = makeRandom(7);
  const money = () => (random.integer(100, 50_000) / 100).toFixed(2);
  const account = () => random.integer(0, accounts - 1);
  const person = Array.from({ length: accounts }, (_, id) => {
    const isFraud = random.chance(0.1);
    return [id, Number(isFraud), money(), isFraud ? random.integer(0, 200) : -1].join(",");
  });
  const transaction = Array.from({ length: transfers }, (_, index) =>
    [account(), account(), Number(money()), 1 + Math.floor(index / 8)].join(","),
  );
  return {
    person: ["nodeid,isFraud,init_balance,fraudStep", ...person],
    transaction: ["sourceNodeId,targetNodeId,value,time", ...transaction],
  };
}

describe("a simulated network of accounts, imported with mapping files", () => {
  const sample = makeSample();
  let source: CommandLine;
  before(async () => {
    source = await makeStore();
    for (const { resourceType } of kinds) {
      const rows = sample[resourceType] ?? [];
      const file = join(source.folder, `${resourceType}s.csv.gz`);
      writeFileSync(file, gzipSync(`${rows.join("\n")}\n`));
      const mapping = join(source.folder, `${resourceType}.json`);
      writeFileSync(mapping, JSON.stringify({ fields: mappings[resourceType] }));
      const words = ["import", file, "--type", resourceType, "--organization", acme];
      const { files } = await source.ask(...words, "--mapping", mapping);
      const [{ written, refused } = { written: 0, refused: 0 }] = files as readonly FileReport[];
      assert.deepEqual({ written, refused }, { written: rows.length - 1, refused: 0 });
    }
  });
  after(() => removeFolder(source.folder));

  it("has the mapped values of each row", async () => {
    const [, first = ""] = sample["transaction"] ?? [];
    const [from, to, value, day] = first.split(",");
    const { state } = await source.ask("record show transaction transfer-1 --organization acme");
    assert.deepEqual(state, {
      tx_id: "transfer-1",
      type: "WITHDRAWAL",
      method: "WIRE",
      amount: Number(value),
      currency: "USD",
      status: "SETTLED",
      is_test: false,
      sender_id: `account-${from}`,
      sender_country: "US",
      receiver_id: `account-${to}`,
      receiver_country: "US",
      timestamp: `2025-01-0${1 + Number(day)}T00:00:00Z`,
    });
  });

  for (const format of formats) {
    it(`is the same in another store after an export as ${format} and an import`, async () => {
      const target = await makeStore();
      try {
        for (const type of kinds) {
          const file = await exportTo(source, { type, format });
          const { written } = await importFrom(target, type, file);
          const [given, taken] = [await contentOf(source, type), await contentOf(target, type)];
          assert.equal(written, type.resourceType === "person" ? accounts : transfers);
          assert.deepEqual(taken.states, given.states);
          const again = await exportTo(target, { type, format });
          assert.ok(readFileSync(again).equals(readFileSync(file)));
        }
      } finally {
        removeFolder(target.folder);
      }
    });
  }
});
