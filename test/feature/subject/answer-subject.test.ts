// The answer to an authority about a subject that was erased, that is in a closed organization, or of which a
// confidential report has to be kept.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { setRule } from "../../../src/actions/retention/retention-rules.ts";
import type { RecordKey } from "../../../src/domain/record/record-write.ts";
import { makeKey, replaceKey } from "../../../src/data-folder/receipt-key.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { draftOf } from "../../conformance/scene.ts";
import { processDue } from "../../receipt/kill-scene.ts";
import { operate } from "../../support/server.ts";
import { withActs } from "../../support/test-store.ts";
import { makeCommandLine } from "../../cli/command-line.ts";

const line = makeCommandLine();
replaceKey(readConfig(line.environment), makeKey());
const seen = { first_stated: "2026-01-31T09:30:00Z", last_stated: "2026-01-31T09:30:00Z" };

function add(
  { store }: App,
  key: Pick<RecordKey, "organizationId" | "resourceType">,
  fields: object,
) {
  const draft = draftOf(key.resourceType, "p", { timestamp: seen.first_stated, ...fields });
  return withActs(store).write(draft, key);
}

async function prepare(organizationId: string): Promise<void> {
  await line.ask("organization create --name A --id", organizationId);
  await operate(line.environment, (app) =>
    add(app, { organizationId, resourceType: "person" }, { name: "Ada" }),
  );
}

function answer(organization: string, ...words: readonly string[]) {
  return line.ask("subject answer person p --reason why --organization", organization, ...words);
}

function answerOfficer(organization: string) {
  return answer(organization, "--include-confidential");
}

interface Erasure {
  readonly of: string;
  readonly deletion_request_id: string;
  readonly completed_at?: string;
  readonly receipt_no?: number;
}

describe("subject answer", () => {
  it("says when a subject was erased, and names the receipt of the deletion", async () => {
    await prepare("acme");
    await line.ask("deletion request person p --organization acme --reason r");
    const [open] = (await answer("acme"))["to_be_erased"] as readonly Erasure[];
    assert.ok(open);
    await operate(line.environment, processDue);
    const found = await answer("acme");
    assert.deepEqual(
      [found["relationship"], found["from"], found["records"], found["to_be_erased"]],
      ["erased", null, [], []],
    );
    const [erased] = found["erased"] as readonly Erasure[];
    const { deletion_request_id: id, receipt_no } = erased ?? open;
    assert.equal(id, open.deletion_request_id);
    const receipt = await operate(line.environment, ({ store }) => store.findReceipt(id, "acme"));
    assert.equal(receipt_no, receipt?.receipt_no);
    assert.equal(receipt_no, 1);
  });

  it("says of a subject that is being erased that there was a record", async () => {
    await prepare("erasing");
    await line.ask("deletion request person p --organization erasing --reason r");
    await operate(line.environment, async ({ store }) => {
      const { claim, eraseOne } = withActs(store);
      const { deletionRequestId = "" } = (await claim(Date.now())) ?? {};
      await eraseOne(deletionRequestId, 100);
    });
    const { relationship, to_be_erased } = await answer("erasing");
    assert.deepEqual([relationship, (to_be_erased as unknown[]).length], ["erased", 1]);
    await operate(line.environment, processDue);
  });

  it("begins with the earliest record, also by a fraction of a second", async () => {
    await line.ask("organization create --name A --id early");
    const later = { timestamp: "2026-01-31T09:30:00.5Z", account_status: "APPROVED" };
    await operate(line.environment, async (app) => {
      await add(app, { organizationId: "early", resourceType: "person" }, later);
      const about = { related_person_id: "p", related_tx_id: null };
      await add(app, { organizationId: "early", resourceType: "screening" }, about);
    });
    assert.equal((await answer("early"))["from"], seen.first_stated);
  });

  it("says of somebody who has only applied that no account was approved, and names what was stated", async () => {
    await line.ask("organization create --name A --id applying");
    const key = { organizationId: "applying", resourceType: "person" };
    const fields = { account_status: "REJECTED", is_retail_customer: false, is_director: true };
    await operate(line.environment, (app) => add(app, key, fields));
    const rejected = await answer("applying");
    assert.deepEqual([rejected["relationship"], rejected["until"]], ["applied", null]);
    const roles = rejected["roles"] as readonly { value: string }[];
    assert.ok(roles.some(({ value }) => value === "is_director"));
    const { out } = await line.type("subject answer person p --organization applying --reason why");
    assert.match(out, /There is a record, and no account was approved\./);
    assert.match(out, /^Role +Director +31 January 2026 +31 January 2026$/m);
    await operate(line.environment, ({ store }) => {
      const later = {
        timestamp: "2026-02-01T00:00:00Z",
        account_status: "APPROVED",
        is_director: true,
      };
      return withActs(store).write(draftOf("person", "p", later), { ...key, mode: "update" });
    });
    assert.equal((await answer("applying"))["relationship"], "exists");
  });

  it("says that somebody has only applied, or had an account, by all statuses that were stated", async () => {
    await line.ask("organization create --name A --id statuses");
    const cases = [
      { statuses: ["PENDING", "REJECTED", "CLOSED"], is: "applied" },
      { statuses: ["PENDING", "CLOSED"], is: "applied" },
      { statuses: ["PENDING", null], is: "applied" },
      { statuses: ["PENDING", "CLOSED", null], is: "applied" },
      { statuses: ["PENDING", "APPROVED", "CLOSED"], is: "existed" },
      { statuses: ["PENDING", "BLOCKED", "CLOSED"], is: "existed" },
      { statuses: ["CLOSED"], is: "existed" },
      { statuses: ["CLOSED", "PENDING", "CLOSED"], is: "existed" },
      { statuses: ["CLOSED", "PENDING"], is: "exists" },
      { statuses: ["APPROVED", "CLOSED", "APPROVED"], is: "exists" },
      { statuses: ["APPROVED", "CLOSED", null], is: "exists" },
      { statuses: ["APPROVED", null], is: "exists" },
      { statuses: [null], is: "exists" },
      { statuses: [undefined], is: "exists" },
    ];
    const kind = { organizationId: "statuses", resourceType: "person" };
    await operate(line.environment, async ({ store }) => {
      for (const [no, { statuses }] of cases.entries()) {
        for (const [at, account_status] of statuses.entries()) {
          const fields = { timestamp: `2026-01-0${at + 1}T00:00:00Z`, account_status };
          const mode = at === 0 ? "add" : "update";
          await withActs(store).write(draftOf("person", `p${no}`, fields), { ...kind, mode });
        }
      }
    });
    const found = [];
    for (const [no, { statuses }] of cases.entries()) {
      const words = `subject answer person p${no} --organization statuses --reason why`;
      found.push({ statuses, is: (await line.ask(words))["relationship"] });
    }
    assert.deepEqual(found, cases);
  });

  it("says that products are left out if there are very many", async () => {
    await prepare("products");
    await operate(line.environment, async (app) => {
      const key = { organizationId: "products", resourceType: "person" };
      for (let product = 1; product <= 100; product += 1) {
        await withActs(app.store).write(
          draftOf("person", "p", { product_type: `product ${product}` }),
          { ...key, mode: "update" },
        );
      }
    });
    assert.equal((await answer("products"))["complete"], true);
    await operate(line.environment, async ({ store }) =>
      withActs(store).write(draftOf("person", "p", { product_type: "one more" }), {
        organizationId: "products",
        resourceType: "person",
        mode: "update",
      }),
    );
    const found = await answer("products");
    assert.equal(found["complete"], false);
    assert.equal((found["products"] as readonly unknown[]).length, 100);
  });

  it("says that a relationship exists until the day of a closing that was stated ahead", async () => {
    await line.ask("organization create --name A --id ahead");
    const timestamp = new Date(Date.now() + 86_400_000).toISOString();
    await operate(line.environment, (app) =>
      add(
        app,
        { organizationId: "ahead", resourceType: "person" },
        { timestamp, account_status: "CLOSED" },
      ),
    );
    const found = await answer("ahead");
    const until = Date.parse(String(found["until"]));
    assert.deepEqual([found["relationship"], until], ["exists", Date.parse(timestamp)]);
  });

  it("says that a relationship with a company exists while its account is open, whatever a register says", async () => {
    await line.ask("organization create --name A --id inactive");
    const key = { organizationId: "inactive", resourceType: "company" };
    const words = "subject answer company p --organization inactive --reason why";
    await operate(line.environment, (app) =>
      add(app, key, { account_status: "APPROVED", registered_as_inactive: true }),
    );
    const open = await line.ask(words);
    assert.deepEqual([open["relationship"], open["until"]], ["exists", null]);
    assert.deepEqual(open["roles"], [{ value: "registered_as_inactive", ...seen }]);
    await operate(line.environment, ({ store }) => {
      const later = { timestamp: "2026-02-01T00:00:00Z", account_status: "CLOSED" };
      return withActs(store).write(draftOf("company", "p", later), { ...key, mode: "update" });
    });
    const closed = await line.ask(words);
    assert.deepEqual(
      [closed["relationship"], closed["until"]],
      ["existed", "2026-02-01T00:00:00Z"],
    );
  });

  it("names the records that have to be kept only to somebody who asks for confidential ones", async () => {
    await prepare("keeps");
    const rule = {
      resourceType: "customer_sar",
      keepDays: 36_500,
      countedFrom: "last_seen",
    } as const;
    await operate(line.environment, async (app) => {
      await setRule(app, { organizationId: "keeps", ...rule });
      await add(
        app,
        { organizationId: "keeps", resourceType: "customer_sar" },
        { related_person_id: "p" },
      );
    });
    const before = await answer("keeps");
    await line.ask("deletion request person p --organization keeps --reason r");
    await operate(line.environment, processDue);
    const plain = await answer("keeps");
    assert.deepEqual([before["relationship"], plain["relationship"]], ["exists", "erased"]);
    assert.deepEqual([plain["records"], plain["to_be_erased"]], [[], []]);
    assert.doesNotMatch(JSON.stringify(plain), /customer_sar|restricted|kept/);
    const all = await answerOfficer("keeps");
    assert.equal(all["relationship"], "erased");
    const types = (all["records"] as readonly { resource_type: string }[]).map(
      (one) => one.resource_type,
    );
    assert.deepEqual(types, ["customer_sar"]);
  });

  it("says of a closed organization that all of its records were erased", async () => {
    await prepare("closed");
    await line.ask("organization close --yes --organization closed --reason ended");
    const [open] = (await answerOfficer("closed"))["to_be_erased"] as readonly Erasure[];
    assert.equal(open?.of, "organization");
    await operate(line.environment, processDue);
    const { relationship, erased, to_be_erased } = await answerOfficer("closed");
    assert.deepEqual([relationship, to_be_erased], ["none", []]);
    const [done] = erased as readonly Erasure[];
    assert.equal(done?.deletion_request_id, open.deletion_request_id);
    assert.equal(done.receipt_no, undefined);
    const { relationship: stated, erased: shown } = await answer("closed");
    assert.deepEqual([stated, shown], ["not_stated", []]);
  });
});
