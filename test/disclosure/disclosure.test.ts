// A short run of the campaign over pairs of organizations that differ only in confidential records, and that it notices
// a service that discloses them.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Deletion, ErasedCounts } from "../../src/domain/deletion/deletion.ts";
import { offsetGone } from "../../src/http/openapi/error-responses.ts";
import { operations } from "../../src/process/operations.ts";
import type { Store } from "../../src/store/interface/store.ts";
import { startService } from "../support/service.ts";
import { serviceOptions, withMethods } from "./batch.ts";
import { compareOrganizations } from "./campaign.ts";
import { samples } from "../feature/samples.ts";
import { shortRun } from "../campaign/in-test.ts";

/** `reports`: of the organization, now. */
type Alter = (deletion: Deletion, reports: number) => Deletion;

/** What the service does to each deletion that it reads. */
let alter: Alter = (deletion) => deletion;

/** Whether events are later for each report of the organization. */
let delaysEvents = false;

/** Whether recipients are listed as informed of reports as if these were something else. */
let namesReports = false;

function altering(whole: Store): Store {
  const store = serviceOptions.wrapStore(whole);
  const findDeletion: Store["findDeletion"] = async (...args) => {
    const found = await store.findDeletion(...args);
    if (found === undefined) return undefined;
    return alter(found, countReports(await store.countRecords(found.organizationId)));
  };
  const list: Store["arrivals"]["list"] = async (query) => {
    const changes = await store.arrivals.list(query);
    const reports = delaysEvents ? countReports(await store.countRecords(query.organizationId)) : 0;
    return changes.map((change) => ({ ...change, receivedAt: change.receivedAt + reports }));
  };
  const listInformed: Store["listInformed"] = async (...args) =>
    (await store.listInformed(...args)).map((one) => ({
      ...one,
      resourceType: namesReports && isReport(one.resourceType) ? "transaction" : one.resourceType,
    }));
  return withMethods(store, { findDeletion, listInformed, arrivals: { ...store.arrivals, list } });
}

function countReports(counts: ErasedCounts): number {
  return (counts["customer_sar"] ?? 0) + (counts["transaction_suspicious_activity"] ?? 0);
}

function isReport(type: string): boolean {
  return type === "customer_sar" || type === "transaction_suspicious_activity";
}

function countOf({ erased, kept }: Deletion): number {
  return countReports(erased) + countReports(kept);
}

const leaks: readonly (readonly [what: string, seed: number, Alter])[] = [
  [
    "counts reports as something else",
    1_001,
    (deletion) => ({
      ...deletion,
      erased: { ...deletion.erased, person: (deletion.erased["person"] ?? 0) + countOf(deletion) },
    }),
  ],
  [
    "takes a millisecond longer for a report",
    2_001,
    (deletion) => {
      const { completedAt } = deletion;
      if (completedAt === undefined) return deletion;
      return { ...deletion, completedAt: completedAt + countOf(deletion) };
    },
  ],
  [
    "says that a deletion is due later because there is a report",
    3_001,
    (deletion, reports) => ({ ...deletion, dueAt: deletion.dueAt + reports }),
  ],
];

describe("two organizations that differ only in confidential records", async () => {
  const service = await startService({ ...serviceOptions, wrapStore: altering });
  after(() => service.stop());

  function run(seed: number, count: number) {
    return compareOrganizations(shortRun({ seed, count }), service);
  }

  it("are the same to callers without the scope", async () => {
    const { figures, findings } = await run(1, 48);
    const { pairs, affected, compared } = figures;
    assert.deepEqual({ pairs, findings }, { pairs: 48, findings: [] });
    assert.ok(affected > 5 && compared > 10 * pairs, `${affected} affected, ${compared} compared`);
  });

  it("are due at the same time if the organization has added a confidential type with a floor", async () => {
    assert.deepEqual((await run(438_592, 6)).findings, []);
  });

  it("have the notices of erased records in the same order", async () => {
    assert.deepEqual((await run(796, 48)).findings, []);
  });

  for (const [what, seed, leak] of leaks) {
    it(`differ if the service ${what}`, async () => {
      alter = leak;
      const { figures, findings } = await run(seed, 24);
      assert.ok(figures.pairs === 24 && findings.length > 0, `${findings.length} differences`);
    });
  }

  const isTold = samples.some((one) => one.isTold === true);

  it(
    "differ if a deletion names who was only informed of a report",
    { skip: !isTold },
    async () => {
      alter = (deletion) => deletion;
      namesReports = true;
      const { figures, findings } = await run(5_001, 24);
      namesReports = false;
      assert.ok(figures.pairs === 24 && findings.length > 0, `${findings.length} differences`);
    },
  );

  const tellsChanges = operations.some(({ errors }) => errors.includes(offsetGone));

  it(
    "differ if a change is dated later because there is a report",
    { skip: !tellsChanges },
    async () => {
      alter = (deletion) => deletion;
      delaysEvents = true;
      const { figures, findings } = await run(4_001, 24);
      assert.ok(figures.pairs === 24 && findings.length > 0, `${findings.length} differences`);
    },
  );
});
