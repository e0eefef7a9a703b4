// What the command line and the console say that a rule would erase is compared with what retention erases once it is
// set, for rules that change the floor, the ceiling, both, or what they count from.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { processDeletions } from "../../../src/actions/deletion/process-deletions.ts";
import {
  applyRetention,
  type RetentionPlace,
} from "../../../src/actions/retention/apply-retention.ts";
import { previewRule, type RuleSetting } from "../../../src/actions/retention/retention-rules.ts";
import { type OpenApp, openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import { draftOf, operator, organization, transaction } from "../../conformance/scene.ts";
import { type TestStore, withActs } from "../../support/test-store.ts";

const now = Date.UTC(2026, 2, 1);
/** 106 days ago. */
const old = { timestamp: "2025-11-15T00:00:00Z" };
const recent = { timestamp: "2026-02-15T00:00:00Z" };

/** The rules of an organization, and one that replaces one of them: by the command line, and as the console asks. */
interface Case {
  readonly rules: readonly string[];
  readonly retainDays?: number;
  readonly change: string;
  readonly form: Omit<RuleSetting, "organizationId">;
  /** By type. */
  readonly erased: Readonly<Record<string, number>>;
}

const [person, screening, transactions] = ["person", "screening", "transaction"] as const;
const none = { keepDays: null, deleteAfterDays: null, countedFrom: "last_seen" } as const;
const closing = { resourceType: person, countedFrom: "closed" } as const;

const cases: Readonly<Record<string, Case>> = {
  "a shorter floor at whose end records are erased": {
    rules: ["transaction --keep-days 3653"],
    change: "transaction --keep-days 60 --delete",
    form: { ...none, resourceType: transactions, keepDays: 60, deleteAfterDays: 60 },
    erased: { transaction: 3 },
  },
  "a longer floor at whose end records are erased": {
    rules: ["transaction --keep-days 60"],
    change: "transaction --keep-days 200 --delete",
    form: { ...none, resourceType: transactions, keepDays: 200, deleteAfterDays: 200 },
    erased: {},
  },
  "a ceiling only": {
    rules: ["transaction --keep-days 60"],
    change: "transaction --delete-after-days 90",
    form: { ...none, resourceType: transactions, keepDays: 60, deleteAfterDays: 90 },
    erased: { transaction: 3 },
  },
  "a ceiling without the floor that was there": {
    rules: ["transaction --keep-days 3653"],
    change: "transaction --keep-days none --delete-after-days 90",
    form: { ...none, resourceType: transactions, deleteAfterDays: 90 },
    erased: { transaction: 3 },
  },
  "a floor above which there is a common ceiling": {
    rules: [],
    retainDays: 100,
    change: "person --keep-days 90 --from closed",
    form: { ...none, ...closing, keepDays: 90 },
    erased: { transaction: 2 },
  },
  "no floor below a common ceiling": {
    rules: ["person --keep-days 90 --from closed"],
    retainDays: 100,
    change: "person --keep-days none",
    form: { ...none, ...closing },
    erased: { transaction: 2, person: 1 },
  },
  "another beginning": {
    rules: ["person --keep-days 90"],
    change: "person --keep-days 90 --delete --from closed",
    form: { ...none, ...closing, keepDays: 90, deleteAfterDays: 90 },
    erased: { person: 1 },
  },
  "another beginning of a shorter floor": {
    rules: ["person --keep-days 3653"],
    change: "person --keep-days 90 --delete --from closed",
    form: { ...none, ...closing, keepDays: 90, deleteAfterDays: 90 },
    erased: { person: 1 },
  },
  "a floor that kept what belongs to records above their ceiling": {
    rules: ["screening --keep-days 3653", "transaction --delete-after-days 90"],
    change: "screening --keep-days 5",
    form: { ...none, resourceType: screening, keepDays: 5 },
    erased: { transaction: 3 },
  },
  "a floor that keeps what belongs to records above their ceiling": {
    rules: ["transaction --delete-after-days 90"],
    change: "screening --keep-days 3653",
    form: { ...none, resourceType: screening, keepDays: 3_653 },
    erased: { transaction: 2 },
  },
};

async function fill(store: TestStore, id: string, retainDays: number | undefined): Promise<void> {
  await store.createOrganization(organization(id), operator);
  if (retainDays !== undefined) await store.changeOrganization(id, { retainDays }, operator);
  const write = (resourceType: string, ...drafts: ReturnType<typeof draftOf>[]) =>
    store.write(drafts, { organizationId: id, resourceType });
  await write(
    transactions,
    ...["t0", "t1", "t2"].map((name) => transaction(name, old)),
    transaction("t-new", recent),
  );
  await write(screening, draftOf(screening, "s", { ...recent, related_tx_id: "t0" }));
  const closed = draftOf(person, "closed", { ...old, account_status: "CLOSED" });
  const open = { ...old, account_status: "APPROVED" };
  await write(person, closed, draftOf(person, "open", open));
  const again = { ...recent, account_status: "CLOSED" };
  await store.write(draftOf(person, "closed", again), {
    organizationId: id,
    resourceType: person,
    mode: "update",
  });
}

async function work(app: OpenApp): Promise<void> {
  let place: RetentionPlace | undefined;
  do place = (await applyRetention(app, place)).next;
  while (place !== undefined);
  const stopping = new AbortController().signal;
  while ((await processDeletions(app, { claimant: "test", stopping })).length > 0);
}

describe("what is said of a planned rule", async () => {
  const line = makeCommandLine({ now: () => now });

  const config = readConfig(line.environment);
  const app = await openApp(config, { role: "command", now: () => now });
  const store = withActs(app.store);
  after(() => app.close());

  const countErased = async (organizationId: string) => {
    const query = { organizationId, status: "completed", limit: 50 } as const;
    const counts: Record<string, number> = {};
    for (const { resourceType } of await store.listDeletions(query)) {
      counts[resourceType] = (counts[resourceType] ?? 0) + 1;
    }
    return counts;
  };

  for (const [index, [title, one]] of Object.entries(cases).entries()) {
    it(`is what retention then erases: ${title}`, async () => {
      const id = `org_${index}`;
      await fill(store, id, one.retainDays);
      const set = (rule: string, ...more: readonly string[]) =>
        line.ask(`retention set --organization ${id} --type ${rule}`, ...more);
      for (const rule of one.rules) await set(rule, "--yes");
      const { preview } = await set(one.change, "--dry-run");
      const { due_by_type: said } = preview as { due_by_type: Record<string, number> };
      const { due } = await previewRule(app, { organizationId: id, ...one.form });
      await set(one.change, "--yes");
      await work(app);
      assert.deepEqual(await countErased(id), one.erased);
      assert.deepEqual(said, one.erased);
      assert.equal(due, one.erased[one.form.resourceType] ?? 0);
    });
  }
});
