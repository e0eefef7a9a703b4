// From files to records, with the command line and a real store: what is mapped, refused, and
// skipped as existing, and that an export can be imported to the same state.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { makeStore } from "../../support/round-trip.ts";
import { check, importing, mapping, put, report } from "./importing.ts";

const rows = Array.from(
  { length: 2_500 },
  (_, index) => `${index},person-${index % 7},${index}.25,${index % 30}`,
);

describe("an import", () => {
  it("maps columns, constants, templates and days to records, also from a compressed file", async () => {
    const line = await makeStore();
    const text = gzipSync(`id,from,value,day\n${rows.join("\n")}\n`);
    const words = importing(put(line, "rows.csv.gz", text), "transaction", "--map", mapping);
    const { rows: read, written, refused } = await report(line, ...words);
    assert.deepEqual({ read, written, refused }, { read: 2_500, written: 2_500, refused: 0 });
    const shown = await line.ask("record show transaction tx-31 --organization acme");
    assert.deepEqual(shown["state"], {
      tx_id: "tx-31",
      type: "DEPOSIT",
      method: "WIRE",
      amount: 31.25,
      currency: "EUR",
      status: "SETTLED",
      is_test: false,
      sender_id: "person-3",
      sender_country: "DE",
      timestamp: "2026-01-02T00:00:00Z",
    });
  });

  it("divides rows into lists that the store accepts, however many references they have", async () => {
    const line = await makeStore();
    const related = Array.from({ length: 210 }, (_, index) => `tx-${index}`);
    const pending = { status: "PENDING", type: "INLINE_MONITORING", related_tx_ids: related };
    const checks = Array.from({ length: 300 }, (_, index) => {
      return { ...pending, check_id: `c-${index}`, timestamp: "2026-01-01T00:00:00Z" };
    });
    const words = importing(put(line, "checks.ndjson", checks), "transaction_check");
    assert.equal((await report(line, ...words)).written, 300);
  });

  it("takes times of before 1980 where TIMESTAMP_MIN says so, also in a check", async () => {
    const line = await makeStore({ TIMESTAMP_MIN: "1950-01-01" });
    const times = ["1949-12-31T00:00:00Z", "1950-01-01T00:00:00Z"];
    const person = { is_test_user: false, is_retail_customer: true };
    const lines = times.map((timestamp, no) => ({ ...person, person_id: `p${no}`, timestamp }));
    const words = importing(put(line, "persons.ndjson", lines), "person");
    for (const read of [check, report]) assert.equal((await read(line, ...words)).refused, 1);
  });
});
