// One form of a fact, wherever it was read, and one comparison.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { Facts } from "../../../src/actions/ledger/fact.ts";
import { factsOfAudit, factsOfLedger, storedFacts } from "../../../src/actions/ledger/facts.ts";
import { type AuditEntry, describeHold, type Hold } from "../../../src/domain/access.ts";
import type { FloorEntry } from "../../../src/domain/deletion/ledger-entry.ts";
import { subjectOfRecord } from "../../../src/domain/trail-action.ts";
import { keyOf } from "../../conformance/scene.ts";

const hold: Hold = {
  ...keyOf("transaction", "t"),
  holdId: "hold_1",
  reason: "a case",
  owner: undefined,
  reviewOn: "2030-01-01",
  endsOn: undefined,
  placedAt: 7,
  placedBy: "zoe",
};
const { organizationId } = hold;
const rule = { keepDays: 30, countedFrom: "last_seen", redactable: false } as const;
const floor = { kind: "floor", organizationId, resourceType: "person", at: 0, by: "zoe" } as const;

function audited(entryNo: number, action: string, detail: object): AuditEntry {
  const subject = subjectOfRecord(hold, (text) => hash("sha256", text));
  const chained = { previousHash: "", hash: "" };
  // As the store reads it, from JSON.
  const read = JSON.parse(JSON.stringify(detail)) as AuditEntry["detail"];
  return {
    entryNo,
    at: 0,
    actor: "zoe",
    action,
    organizationId,
    subject,
    detail: read,
    ...chained,
  };
}

const placed = (entryNo: number) =>
  factsOfAudit(audited(entryNo, "hold.place", { ...describeHold(hold), because: "restore" }));
const released = (entryNo: number) =>
  factsOfAudit(audited(entryNo, "hold.release", { holdId: "hold_1" }));

const set = (entryNo: number, settings: object) =>
  factsOfAudit(audited(entryNo, "organization.change", settings));

async function compare(
  facts: readonly ReturnType<typeof factsOfAudit>[],
  stored: {
    readonly holds?: readonly Hold[];
    readonly floors?: readonly object[];
    readonly organizations?: readonly object[];
  },
): Promise<readonly string[]> {
  const { holds = [], floors = [], organizations = [] } = stored;
  const store = {
    holds: { list: async () => holds },
    retention: { listRules: async () => floors },
    listOrganizations: async () => organizations,
  };
  const collected = new Facts();
  facts.forEach((fact) => collected.add(fact));
  const found: string[] = [];
  for await (const { is, fact } of collected.differences(
    storedFacts({ store } as unknown as App),
  )) {
    found.push(`${is}: ${fact.name}`);
  }
  return found;
}

describe("a fact", () => {
  it("is the same in the store, the audit trail and the ledger", async () => {
    const setFloor = audited(3, "retention.set", { resourceType: "person", ...rule });
    const stored = { holds: [hold], floors: [{ organizationId, resourceType: "person", ...rule }] };
    assert.deepEqual(await compare([placed(2), factsOfAudit(setFloor)], stored), []);
    const noted: FloorEntry = { ...floor, entryNo: 3, rule };
    const ledger = [{ kind: "hold_placed", hold } as const, noted].map(factsOfLedger);
    assert.deepEqual(await compare(ledger, stored), []);
  });

  it("differs in any of what was stated of it", async () => {
    for (const change of [{ owner: "eve" }, { reason: "" }, { resourceId: "u" }, { placedAt: 8 }]) {
      const stored = { holds: [{ ...hold, ...change }] };
      assert.deepEqual(await compare([placed(2)], stored), ["altered: Hold hold_1"]);
    }
    const noted: FloorEntry = { ...floor, entryNo: 3, rule };
    for (const change of [{ keepDays: 29 }, { redactable: true }]) {
      const floors = [{ organizationId, resourceType: "person", ...rule, ...change }];
      assert.deepEqual(await compare([factsOfLedger(noted)], { floors }), [
        `altered: The retention floor of person of organization ${organizationId}`,
      ]);
    }
  });

  it("is missing, unstated or ended", async () => {
    assert.deepEqual(await compare([placed(2)], {}), ["missing: Hold hold_1"]);
    assert.deepEqual(await compare([], { holds: [hold] }), ["unstated: Hold hold_1"]);
    assert.deepEqual(await compare([placed(2), released(4)], { holds: [hold] }), [
      "ended: Hold hold_1",
    ]);
    assert.deepEqual(await compare([placed(2), released(4)], {}), []);
  });

  it("of the trail is in force by its number, in whatever order the entries are read", async () => {
    const again = [placed(6), released(4), placed(2)];
    assert.deepEqual(await compare(again, { holds: [hold] }), []);
    assert.deepEqual(await compare(again, {}), ["missing: Hold hold_1"]);
  });

  it("is each setting of an organization, in force by the last entry that states it", async () => {
    const stated = [set(5, { retainDays: null }), set(2, { retainDays: 30, strictScopes: true })];
    const differing = async (settings: object) => {
      const found = await compare(stated, { organizations: [{ organizationId, ...settings }] });
      return found.map((text) => text.replace(` of ${organizationId}`, ""));
    };
    assert.deepEqual(await differing({ strictScopes: true }), []);
    assert.deepEqual(await differing({ strictScopes: true, retainDays: 30 }), [
      "ended: The setting retainDays",
    ]);
    assert.deepEqual(await differing({ deletionApproval: true }), [
      "unstated: The setting deletionApproval",
      "missing: The setting strictScopes",
    ]);
  });

  it("is no fact in an entry that states none", () => {
    assert.deepEqual(factsOfAudit(audited(2, "record.show", {})), []);
    const invalid = { resourceType: "person", keepDays: "30", countedFrom: "last_seen" };
    assert.deepEqual(factsOfAudit(audited(2, "retention.set", invalid)), []);
    assert.deepEqual(factsOfLedger({ kind: "begin", ledgerId: "", storeId: "", at: 0 }), []);
  });
});
