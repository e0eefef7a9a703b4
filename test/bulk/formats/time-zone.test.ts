// Offsets of time zones at local times: when clocks change, and the same from the runtime's
// Temporal and the polyfill.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { offsetIn } from "../../../src/bulk/formats/time-zone.ts";

type Case = readonly [zone: string, local: string, offset: string | undefined];

const cases: readonly Case[] = [
  ["Europe/Berlin", "2026-01-31T09:30:00", "+01:00"],
  ["Europe/Berlin", "2026-07-31T09:30:00", "+02:00"],
  // Forward: from 02:00 to 03:00.
  ["Europe/Berlin", "2026-03-29T01:59:59", "+01:00"],
  ["Europe/Berlin", "2026-03-29T02:00:00", undefined],
  ["Europe/Berlin", "2026-03-29T02:59:59", undefined],
  ["Europe/Berlin", "2026-03-29T03:00:00", "+02:00"],
  // Back: from 03:00 to 02:00.
  ["Europe/Berlin", "2026-10-25T01:59:59", "+02:00"],
  ["Europe/Berlin", "2026-10-25T02:00:00", "+02:00"],
  ["Europe/Berlin", "2026-10-25T02:59:59", "+02:00"],
  ["Europe/Berlin", "2026-10-25T03:00:00", "+01:00"],
  // By half an hour.
  ["Australia/Lord_Howe", "2026-10-04T02:15:00", undefined],
  ["Australia/Lord_Howe", "2026-10-04T02:30:00", "+11:00"],
  ["Australia/Lord_Howe", "2026-04-05T01:45:00", "+11:00"],
  // At midnight, so that a day begins at 01:00, or the previous day has an hour twice.
  ["Asia/Beirut", "2026-03-29T00:30:00", undefined],
  ["Asia/Beirut", "2026-03-29T01:00:00", "+03:00"],
  ["Asia/Beirut", "2026-10-24T23:30:00", "+03:00"],
  ["Asia/Beirut", "2026-10-25T00:00:00", "+02:00"],
  // From 23:00 to midnight, so that the last hour of the day is skipped.
  ["America/Godthab", "2024-03-30T23:30:00", undefined],
  ["America/Godthab", "2024-03-31T00:00:00", "-01:00"],
  // At one minute past midnight.
  ["America/Goose_Bay", "1990-04-01T00:00:59", "-04:00"],
  ["America/Goose_Bay", "1990-04-01T00:01:00", undefined],
  ["America/Goose_Bay", "1990-04-01T01:01:00", "-03:00"],
  // A day that was skipped.
  ["Pacific/Apia", "2011-12-29T23:59:59", "-10:00"],
  ["Pacific/Apia", "2011-12-30T12:00:00", undefined],
  ["Pacific/Apia", "2011-12-31T00:00:00", "+14:00"],
];

describe("the offset of a time zone", () => {
  for (const [zone, local, offset] of cases) {
    it(`in ${zone} at ${local} is ${offset ?? "undefined: the time does not exist"}`, () => {
      assert.equal(offsetIn(zone, local), offset);
    });
  }

  it("is the same on a Node without its own Temporal", () => {
    const module = join(import.meta.dirname, "../../../src/bulk/formats/time-zone.ts");
    const script =
      `const { offsetIn } = await import(${JSON.stringify(module)});` +
      'const offsets = JSON.parse(process.argv[1]).map(([zone, local]) => offsetIn(zone, local) ?? "none");' +
      "process.stdout.write(JSON.stringify([typeof Temporal, ...offsets]));";
    const words = ["--no-harmony-temporal", "--input-type=module", "-e", script];
    const out = execFileSync(process.execPath, [...words, JSON.stringify(cases)], {
      encoding: "utf8",
    });
    assert.deepEqual(JSON.parse(out), [
      "undefined",
      ...cases.map(([, , offset]) => offset ?? "none"),
    ]);
  });
});
