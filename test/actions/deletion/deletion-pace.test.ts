// The pace of erasing everything of an organization: small steps with rests while others write, large ones without
// rests otherwise.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DeletionPace, type PaceClock } from "../../../src/actions/deletion/deletion-pace.ts";
import { limits } from "../../../src/domain/limits.ts";
import type { EngineTraits } from "../../../src/store/interface/engine-traits.ts";
import { postgresTraits } from "../../../src/store/postgres/traits.ts";
import { sqliteTraits } from "../../../src/store/sqlite/traits.ts";

const { organizationStepRowsMax: small, organizationStepRowsAloneMax: large } = limits;

interface Steps {
  readonly traits: EngineTraits;
  /** The number of the latest change after the steps so far. */
  readonly arrivalAfter: (steps: number) => number;
  readonly isLast: (rows: readonly number[]) => boolean;
}

/** A clock on which only rests and the work of steps take time. */
class PaceTime implements PaceClock {
  nowMs = 0;
  readonly now = (): number => this.nowMs;
  readonly sleep = (ms: number): Promise<void> => Promise.resolve(void (this.nowMs += ms));
}

/** The rows that each step was allowed, and how long all of them took. */
async function erase({ traits, arrivalAfter, isLast }: Steps) {
  const rows: number[] = [];
  const time = new PaceTime();
  const pace = new DeletionPace({ store: { traits } }, time);
  const { signal } = new AbortController();
  while (!isLast(rows)) {
    rows.push(pace.rowsMax);
    time.nowMs += 5;
    const step = { done: [], workMs: 5, latestArrival: arrivalAfter(rows.length) };
    await pace.restOfOrganization(step, signal);
  }
  return { rows, tookMs: time.nowMs };
}

const after =
  (steps: number): Steps["isLast"] =>
  (rows) =>
    rows.length > steps;

describe("erasing an organization", () => {
  it("takes small steps and rests as long as others write, however long that is", async () => {
    const others = { arrivalAfter: (steps: number) => steps, isLast: after(40) };
    const { rows, tookMs } = await erase({ traits: sqliteTraits, ...others });
    assert.deepEqual([...new Set(rows)], [small]);
    // At most 24,000 rows a second, although a step works for only 5 ms.
    assert.ok(tookMs > 40 * 35, `${tookMs}`);
  });

  it("takes large steps once nobody has written for a while", async () => {
    const { rows } = await erase({
      traits: sqliteTraits,
      arrivalAfter: () => 7,
      isLast: (all) => all.filter((one) => one === large).length === 20,
    });
    assert.equal(rows[0], small);
    assert.equal(rows.at(-1), large);
  });

  it("takes large steps on PostgreSQL, where nobody waits for one", async () => {
    const others = { arrivalAfter: (steps: number) => steps, isLast: after(5) };
    const { rows } = await erase({ traits: postgresTraits, ...others });
    assert.deepEqual([...new Set(rows)], [large]);
  });
});

const step = (latestArrival: number) => ({ done: [], workMs: 0, latestArrival });

describe("the notices of completed deletions", () => {
  const { signal } = new AbortController();

  async function quietPace(): Promise<DeletionPace> {
    const pace = new DeletionPace({ store: { traits: sqliteTraits } }, new PaceTime());
    while (pace.rowsMax === small) await pace.restOfOrganization(step(7), signal);
    return pace;
  }

  it("are not others that write, whether or not a step sees them before the completion ends", async () => {
    const pace = await quietPace();
    pace.beginCompleting(5);
    await pace.restOfOrganization(step(10), signal);
    pace.endCompleting(5);
    assert.equal(pace.rowsMax, large);
    await pace.restOfOrganization(step(12), signal);
    assert.equal(pace.rowsMax, large);
  });

  it("do not hide others that write", async () => {
    const pace = await quietPace();
    pace.beginCompleting(5);
    await pace.restOfOrganization(step(13), signal);
    assert.equal(pace.rowsMax, small);
    pace.endCompleting(5);
    const other = await quietPace();
    other.beginCompleting(5);
    await other.restOfOrganization(step(12), signal);
    assert.equal(other.rowsMax, large);
    other.endCompleting(0);
    await other.restOfOrganization(step(12), signal);
    assert.equal(other.rowsMax, small);
  });
});

describe("completing deletions of records", () => {
  it("rests while others write, so that at most 1,000 are completed in a second", async () => {
    const time = new PaceTime();
    const pace = new DeletionPace({ store: { traits: sqliteTraits } }, time);
    await pace.restOfCompleted({ count: 120, tookMs: 20 }, new AbortController().signal);
    assert.equal(time.nowMs, 100);
  });
});
