// When a retention floor ends, and since when a person or a company is closed, compared with folding
// the whole history at each of its timestamps.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { mergeChanges } from "../../../src/domain/record/merge.ts";
import type { Payload, RecordType } from "../../../src/domain/record-type.ts";
import type { Change } from "../../../src/domain/record/record-write.ts";
import { ClosedSince, FiledAt } from "../../../src/domain/retention/floor-origin.ts";
import { describeFloor, sayOrigin, floorEnd } from "../../../src/domain/retention/floor.ts";
import { normaliseTimestamp, unixMsOf } from "../../../src/domain/timestamp.ts";
import { anyTimestamp } from "../arbitrary.ts";
import { arrived } from "../record/arrived.ts";
import { typeNamed } from "../../conformance/scene.ts";

const day = 86_400_000;

describe("the end of a retention floor", () => {
  it("is the given number of days of 24 hours after the value that it counts from", () => {
    const end = floorEnd({ keepDays: 365 }, "2025-03-30T00:30:00", 0);
    assert.equal(new Date(end).toISOString(), "2026-03-30T00:30:00.000Z");
    assert.equal(floorEnd({ keepDays: 36_500 }, undefined, 5), 36_500 * day + 5);
  });

  it("is never earlier than the exact instant, and less than a millisecond later", () => {
    assert.equal(unixMsOf("1970-01-01T00:00:00.0001"), 1);
    assert.equal(unixMsOf("1970-01-01T00:00:00.1"), 100);
    assert.equal(unixMsOf("2016-12-31T23:59:60"), Date.UTC(2017, 0, 1));
    assert.equal(unixMsOf("2016-12-31T23:59:60.25"), Date.UTC(2017, 0, 1) + 250);
    fc.assert(
      fc.property(anyTimestamp, fc.stringMatching(/^\d{1,12}$/), (timestamp, digits) => {
        const [toSecond = ""] = (normaliseTimestamp(timestamp) ?? "").split(".");
        if (toSecond === "") return;
        const normalised = normaliseTimestamp(`${toSecond}.${digits}Z`) ?? "";
        const picoseconds = Number(digits.padEnd(12, "0"));
        const roundedUp = Math.ceil(picoseconds / 1_000_000_000);
        assert.equal(unixMsOf(normalised), Date.parse(`${toSecond}Z`) + roundedUp);
      }),
    );
  });

  it("is described with the record, the rule and the day", () => {
    const rule = {
      resourceType: "transaction",
      keepDays: 1_825,
      countedFrom: "last_seen",
    } as const;
    assert.equal(
      describeFloor(rule, "tx-1", Date.UTC(2031, 2, 1, 12)),
      "the retention floor of transaction tx-1: 1,825 days from last_seen, until 2031-03-01",
    );
    assert.match(sayOrigin(describeFloor(rule, "t", 0)), /1,825 days from when it was last seen, /);
    assert.equal(sayOrigin("kept for 1 day from closed"), "kept for 1 day from its closing");
    assert.equal(
      sayOrigin("removed from closed, 1 day from now"),
      "removed from closed, 1 day from now",
    );
    const report = describeFloor({ ...rule, resourceType: "customer_sar" }, "sar-1", 0);
    assert.match(report, /^the retention floor of customer SAR sar-1: /);
  });
});

const at = (second: number) => `2026-01-01T00:00:0${second}Z`;

function closedSince(type: RecordType, changes: readonly Change[]): string | undefined {
  const closed = new ClosedSince(type);
  closed.addAll(changes);
  return closed.end();
}

/** By folding all changes up to each timestamp. */
function closedByFolding(type: RecordType, changes: readonly Change[]): string | undefined {
  const dated = changes.map((change) => {
    const { timestamp } = JSON.parse(change.payload) as { timestamp: string };
    return { change, timestamp: normaliseTimestamp(timestamp) ?? "" };
  });
  let since: string | undefined;
  for (const now of [...new Set(dated.map(({ timestamp }) => timestamp))].sort()) {
    const until = dated.filter(({ timestamp }) => timestamp <= now).map(({ change }) => change);
    const state = mergeChanges(type, until);
    const { account_status: account, registered_as_inactive: isInactive } = state;
    const isClosed = account === "CLOSED" || (account === undefined && isInactive === true);
    since = isClosed ? (since ?? now) : undefined;
  }
  return since;
}

function filed(report_filed_at: string | null, second: number): Payload {
  return { suspicious_activity_id: "s", report_filed_at, timestamp: at(second) };
}

describe("the filing time of a report", () => {
  const type = typeNamed("transaction_suspicious_activity");
  const filedAt = (...payloads: readonly Payload[]) => {
    const found = new FiledAt();
    found.addAll(arrived(type, payloads));
    return found.end();
  };

  it("is that of the latest change that says one, and missing once it was cleared", () => {
    assert.equal(filedAt(filed(at(8), 2), filed(at(9), 1)), "2026-01-01T00:00:08");
    assert.equal(filedAt(filed(at(8), 1), filed(at(9), 1)), "2026-01-01T00:00:09");
    assert.equal(filedAt(filed(at(8), 1), filed(null, 2)), undefined);
    assert.equal(filedAt({ suspicious_activity_id: "s", timestamp: at(1) }), undefined);
  });
});

describe("the closing of a person or a company", () => {
  it("agrees with folding the history at each timestamp, in any order of arrival", () => {
    const fields = fc.record(
      {
        account_status: fc.constantFrom("CLOSED", "APPROVED", null),
        registered_as_inactive: fc.constantFrom(true, false, null),
      },
      { requiredKeys: [] },
    );
    const change = fc
      .tuple(fields, fc.nat(6))
      .map(([given, second]) => ({ ...given, timestamp: at(second) }));
    const history = fc.array(change, { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(fc.constantFrom("person", "company"), history, (name, payloads) => {
        const type = typeNamed(name);
        const own = payloads.map((payload) =>
          Object.fromEntries(
            Object.entries({ [type.idField]: "x", ...payload }).filter(([field]) =>
              type.fieldNames.includes(field),
            ),
          ),
        );
        const changes = arrived(type, own);
        assert.equal(closedSince(type, changes), closedByFolding(type, changes));
      }),
      { numRuns: 400 },
    );
  });
});
