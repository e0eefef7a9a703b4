// The answer to an authority on the command line: since when a relationship exists, of what nature it is, and what is
// left out.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { makeDraft } from "../../../src/domain/record/payload.ts";
import type { Payload } from "../../../src/domain/record-type.ts";
import { recordTypeByName } from "../../../src/domain/record-types.ts";
import { makeKey, replaceKey } from "../../../src/data-folder/receipt-key.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { operate } from "../../support/server.ts";
import { makeCommandLine } from "../../cli/command-line.ts";

const line = makeCommandLine();
await line.ask("organization create --name A --id acme");
replaceKey(readConfig(line.environment), makeKey());
await operate(line.environment, async (app) => {
  await add(app, "person", "p1", { name: "Jo" });
  await add(app, "person", "p3", { first_name: "Petra", last_name: "Lang" });
  await update(app, "p3", { last_name: "Kurz" });
  await add(app, "person", "p4", { name: "Ada" });
  await add(app, "company", "c1", { legal_name: "Müller Bau GmbH" });
});

function add(app: App, type: string, id: string, fields: Payload): Promise<unknown> {
  return write(app, { type, id, fields: { ...exampleOf(type), ...fields }, mode: "add" });
}

function update(app: App, id: string, fields: Payload): Promise<unknown> {
  const later = { timestamp: "2026-02-15T11:58:00Z", ...fields };
  return write(app, { type: "person", id, fields: later, mode: "update" });
}

function exampleOf(type: string): Payload {
  const own =
    type === "person"
      ? { is_test_user: false, is_retail_customer: true }
      : { is_test_company: false, registration_number: { type: "HRB", value: "HRB 12-34" } };
  return { timestamp: "2026-01-15T11:58:00Z", ...own };
}

async function write(
  app: App,
  options: {
    readonly type: string;
    readonly id: string;
    readonly fields: Payload;
    readonly mode: "add" | "update";
  },
): Promise<void> {
  const { type: resourceType, id, fields, mode } = options;
  const type = recordTypeByName(resourceType);
  assert.ok(type);
  const drafts = [makeDraft(type, { ...fields, [type.idField]: id }, mode)];
  const one = { organizationId: "acme", resourceType, mode, lenient: false, receivedAt: 1_000 };
  assert.equal((await app.store.writeRecords({ ...one, drafts })).written, 1);
}

function answer(what: string) {
  return line.ask(`subject answer ${what} --organization acme --reason`, "Inquiry 17/26");
}

async function typesIn(flags: string): Promise<readonly string[]> {
  const records = (await answer(`person p1 ${flags}`))["records"];
  return (records as readonly { resource_type: string }[]).map((one) => one.resource_type);
}

describe("subject answer", () => {
  it("says since when a relationship exists, and of what nature", async () => {
    const found = await answer("person p3");
    assert.deepEqual(
      [found["relationship"], found["from"], found["until"]],
      ["exists", "2026-01-15T11:58:00Z", null],
    );
    assert.deepEqual(found["records"], [
      {
        resource_type: "person",
        records: 1,
        first_seen: "2026-01-15T11:58:00Z",
        last_seen: "2026-02-15T11:58:00Z",
      },
    ]);
    assert.equal(found["confidential"], false);
  });

  it("says when a relationship has ended", async () => {
    await operate(line.environment, (app) => update(app, "p4", { account_status: "CLOSED" }));
    const found = await answer("person p4");
    assert.deepEqual([found["relationship"], found["until"]], ["existed", "2026-02-15T11:58:00Z"]);
    const stated = { first_stated: "2026-02-15T11:58:00Z", last_stated: "2026-02-15T11:58:00Z" };
    assert.deepEqual(found["statuses"], [{ value: "CLOSED", ...stated }]);
  });

  it("says that nothing is known, and which deletion is open", async () => {
    assert.equal((await answer("company unknown"))["relationship"], "none");
    await line.ask("deletion request company c1 --organization acme --reason r");
    const open = (await answer("company c1"))["to_be_erased"];
    assert.equal((open as readonly unknown[]).length, 1);
  });

  it("leaves out confidential reports unless somebody asks for them", async () => {
    await operate(line.environment, (app) =>
      write(app, {
        type: "customer_sar",
        id: "sar",
        fields: { status: "PENDING", related_person_id: "p1", timestamp: "2026-01-15T11:58:00Z" },
        mode: "add",
      }),
    );
    assert.deepEqual(await typesIn(""), ["person"]);
    assert.deepEqual(await typesIn("--include-confidential"), ["customer_sar", "person"]);
  });

  it("is a text, too, and in the audit trail without the id", async () => {
    const { out } = await line.type("subject answer person p3 --organization acme --reason why");
    assert.match(out, /A business relationship exists\./);
    const trail = await operate(line.environment, (app) => app.store.listAudit(0, 1_000));
    const own = trail.filter(({ action }) => action === "subject.answer");
    assert.ok(own.length > 0);
    assert.doesNotMatch(JSON.stringify(own), /"p3"/);
  });

  it("is a text in which no value of a record begins a line of its own", async () => {
    const product_type = "Loan\nErased\u001b[2K\u009b31m";
    await operate(line.environment, (app) => update(app, "p3", { product_type }));
    const { out } = await line.type("subject answer person p3 --organization acme --reason why");
    assert.match(out, /^ {2}Product Loan\uFFFDErased\uFFFD\[2K\uFFFD31m: stated/m);
    assert.ok(!out.includes("\u001b"));
  });

  it("is refused for a type that is neither a person nor a company", async () => {
    const failed = await line.fail("subject answer transaction t --organization acme --reason r");
    assert.equal(failed.name, "invalid");
  });
});
