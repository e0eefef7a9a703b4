// The latest end of the floors of a whole organization, read in small steps: the same as if each record were evaluated.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openReader } from "../../../../src/store/sqlite/connection.ts";
import {
  type FloorScan,
  isComplete,
  scanFloors,
} from "../../../../src/store/sql/plan/organization-obstacle.ts";
import type { Planning } from "../../../../src/store/sql/plan/plan.ts";
import { acme, draftOf, operator, organization } from "../../../conformance/scene.ts";
import { makeRandom } from "../../../support/random.ts";
import { makeTempFolder } from "../../../support/temp-folder.ts";
import { openTestStore } from "../../../support/test-store.ts";

const dayMs = 86_400_000;
const folder = makeTempFolder();
const path = join(folder, "sluice.db");
const planning: Omit<Planning, "requestedAt"> = {
  deletionRequestId: "del_1",
  organizationId: acme,
  restrictedOf: undefined,
  root: `organization/${acme}`,
  now: 0,
  isReplay: false,
  confidential: new Set(),
};
const records = 40;

describe("the retention floors of an organization", () => {
  it("end with that of the record whose floor ends last, however small the steps", async () => {
    const store = await openTestStore(`sqlite:${path}`, { role: "serve" });
    await store.createOrganization(organization(acme), operator);
    const random = makeRandom(7);
    const ends = { transaction: 0, company: 0 };
    const keep = { transaction: 9, company: 11 };
    for (const [resourceType, status] of [
      ["transaction", undefined],
      ["company", "CLOSED"],
    ] as const) {
      const drafts = Array.from({ length: records }, (_, index) => {
        const at = random.integer(1, 300) * dayMs;
        ends[resourceType] = Math.max(ends[resourceType], at + keep[resourceType] * dayMs);
        const fields = { timestamp: new Date(at).toISOString(), account_status: status };
        const own = status === undefined ? { timestamp: fields.timestamp } : fields;
        return draftOf(resourceType, `r${String(index).padStart(3, "0")}`, own);
      });
      await store.write(drafts, { resourceType });
    }
    for (const resourceType of ["company", "transaction"] as const) {
      const countedFrom = resourceType === "company" ? "closed" : "last_seen";
      const rule = { keepDays: keep[resourceType], countedFrom, redactable: false } as const;
      const change = { organizationId: acme, resourceType, rule };
      await store.retention.setFloor(change, operator);
    }
    assert.equal(scan({ rowsMax: 7, historiesMax: 2 }).until, Math.max(...Object.values(ends)));
    assert.ok(scan({ rowsMax: 7, historiesMax: 2 }).steps >= (2 * records) / 7);
    // A step ends with its histories; the first one alone is read again and again otherwise.
    assert.ok(scan({ rowsMax: 100, historiesMax: 1 }).steps > 2);

    const reopened = draftOf("company", "r020", {
      timestamp: new Date(301 * dayMs).toISOString(),
      account_status: "APPROVED",
    });
    await store.write(reopened, { resourceType: "company", mode: "update" });
    const requestedAt = 400 * dayMs;
    const { until, steps } = scan({ rowsMax: 7, historiesMax: 2 }, requestedAt);
    assert.equal(until, requestedAt + keep.company * dayMs);
    assert.ok(steps < records, `${steps}`);

    const change = { organizationId: acme, resourceType: "company", rule: undefined };
    const begun = step(undefined, { rowsMax: 7, historiesMax: 2 });
    await store.retention.setFloor(change, operator);
    const next = step(begun, { rowsMax: 7, historiesMax: 2 });
    assert.deepEqual([next.floors.length, next.done], [1, 0]);
    await store.close();
  });
});

interface Bounds {
  readonly rowsMax: number;
  readonly historiesMax: number;
}

function step(before: FloorScan | undefined, bounds: Bounds, requestedAt = 0): FloorScan {
  using reader = openReader(path);
  return reader.perform(scanFloors, { ...planning, requestedAt }, before, bounds);
}

function scan(bounds: Bounds, requestedAt = 0) {
  let [state, steps] = [step(undefined, bounds, requestedAt), 1];
  for (; !isComplete(state); steps += 1) state = step(state, bounds, requestedAt);
  return { until: state.latest?.until, steps };
}
