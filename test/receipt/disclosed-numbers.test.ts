// What a deletion that erased a suspicious activity report discloses: to a caller without the scope, to one with it,
// and to operators.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { verifyDisclosures } from "../../src/actions/receipt/receipt-counts.ts";
import type { Receipt } from "../../src/domain/deletion/receipt.ts";
import { type Customer, fetchToken } from "../support/customer.ts";
import type { Reply } from "../support/http-client.ts";
import { waitFor } from "../support/wait-for.ts";
import { startProofScene } from "./proof-scene.ts";
import { awaitCompletion } from "./scene.ts";

const scene = await startProofScene();
const officer = scene.customer;
const scopes = ["person:write", "person:delete"];
const clerk = { ...officer, token: await fetchToken(scene.server.client, officer, { scopes }) };
await addPerson("p-1");
const key = { "idempotency-key": "key-1" };
await addReport("sar-1", "p-1", key);
const deletionId = await deletePerson("p-1");
after(() => scene.stop());

function send(
  { token }: Customer,
  method: string,
  path: string,
  more: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Reply> {
  return scene.server.client.send({ method, path, token, ...more });
}

async function add(type: string, fields: object, more: Parameters<typeof send>[3] = {}) {
  const body = { ...fields, timestamp: "2026-01-31T09:30:00Z" };
  const reply = await send(officer, "POST", `/v2/${type}`, { ...more, body });
  assert.equal(reply.status, 201, reply.text);
}

function statusFor(caller: Customer, id = deletionId): Promise<Reply> {
  return send(caller, "GET", `/v2/deletion_request?deletion_request_id=${id}`);
}

async function addPerson(id: string, headers = {}): Promise<void> {
  await add(
    "person",
    { person_id: id, is_test_user: false, is_retail_customer: true },
    { headers },
  );
}

async function addReport(id: string, personId: string, headers = {}): Promise<void> {
  const report = { sar_id: id, status: "FILED", related_person_id: personId };
  await add("customer_sar", report, { headers });
}

/** As the clerk; waits until it is completed. */
async function deletePerson(id: string): Promise<string> {
  const body = { person_id: id, reason: "asked" };
  const asked = await send(clerk, "DELETE", "/v2/person", { body });
  const requestId = String(asked.body.deletion_request_id);
  await awaitCompletion(scene.server.client, clerk, requestId);
  return requestId;
}

describe("a deletion that erased a report", () => {
  it("has no number of reports for a caller without the scope", async () => {
    const { body } = await statusFor(clerk);
    assert.deepEqual(body["erased"], { person: 1 });
    assert.deepEqual(Object.keys(body["disclosures"] as object), ["person"]);
    assert.doesNotMatch(JSON.stringify(body["receipt"]), /"(?:count|erased)"/);
  });

  it("has the number and its salt for a caller with the scope", async () => {
    const { body } = await statusFor(officer);
    assert.deepEqual(body["erased"], { person: 1, customer_sar: 1 });
    const receipt = body["receipt"] as Receipt;
    const { faults, undisclosed } = verifyDisclosures(receipt, [body["disclosures"]]);
    assert.deepEqual([faults, undisclosed], [[], []]);
  });

  it("is shown without the number to operators, unless they ask for it", async () => {
    const plain = await scene.line.ask("deletion show", deletionId);
    assert.deepEqual(plain["erased"], { person: 1 });
    assert.doesNotMatch((await scene.line.type("deletion show", deletionId)).out, /1 customer_sar/);
    const full = await scene.line.ask("deletion show", deletionId, "--include-confidential");
    assert.deepEqual(full["erased"], { person: 1, customer_sar: 1 });
    const { deletions } = await scene.line.ask("deletion list");
    assert.doesNotMatch(JSON.stringify(deletions), /"customer_sar":1/);
  });

  it("is in metrics, the log and the audit trail without the number, and so are requests about reports", async () => {
    const text = await waitFor("the deletion to be counted", async () => {
      const reply = await scene.server.client.send({ method: "GET", path: "/metrics" });
      return /^sluice_deletions_completed_total 1$/m.test(reply.text) ? reply.text : undefined;
    });
    assert.match(text, /^sluice_records_erased_total 1$/m);
    assert.match(text, /^sluice_records_written_total\{resource_type="person"\} 1$/m);
    assert.doesNotMatch(text, /customer_?sar/i);
    const { out } = await scene.line.type("audit export");
    const entries = out.split("\n").filter((entry) => entry.includes(deletionId));
    assert.ok(entries.length >= 3);
    for (const entry of entries) assert.doesNotMatch(entry, /customer_sar|toErase|erased/);
  });

  it("lets the idempotency keys of reports be used for anything else", async () => {
    const headers = { "idempotency-key": "key-1" };
    await addPerson("p-2", headers);
    const person = { person_id: "p-3", is_test_user: false, is_retail_customer: true };
    const body = { ...person, timestamp: "2026-01-31T09:30:00Z" };
    assert.equal((await send(officer, "POST", "/v2/person", { body, headers })).status, 422);
  });

  it("is one that does not exist, to callers without the scope, if it is of the report itself", async () => {
    await addReport("sar-2", "p-2");
    const { deletion_request_id: id } = await scene.line.ask(
      "deletion request customer_sar sar-2 --reason asked --organization",
      officer.organizationId,
    );
    const unknown = await statusFor(clerk, "del_unknown");
    const { status, text } = await statusFor(clerk, String(id));
    assert.deepEqual([status, text], [unknown.status, unknown.text]);
    assert.equal((await statusFor(officer, String(id))).status, 403);
  });
});

describe("a deletion that has to keep a report", () => {
  it("does not count it as erased for callers who may know of it, and not at all for others", async () => {
    const organization = ["--organization", officer.organizationId] as const;
    const floor = "retention set --type customer_sar --keep-days 3650";
    await scene.line.ask(floor, ...organization);
    await addPerson("p-9");
    await addReport("sar-9", "p-9");
    const id = await deletePerson("p-9");
    const { body: seen } = await statusFor(officer, id);
    assert.deepEqual(seen["erased"], { person: 1 });
    const { customer_sar: numbers } = seen["disclosures"] as {
      customer_sar: Readonly<Record<string, { readonly count: number }>>;
    };
    assert.deepEqual([numbers["removed"]?.count, numbers["kept"]?.count], [1, 1]);
    assert.deepEqual((await statusFor(clerk, id)).body["erased"], { person: 1 });
    const shown = await scene.line.ask("deletion show --include-confidential", id);
    assert.deepEqual([shown["erased"], shown["kept"]], [{ person: 1 }, { customer_sar: 1 }]);
    await scene.line.ask(
      "retention set --type customer_sar --keep-days none --yes",
      ...organization,
    );
  });
});

describe("sluice receipt disclose", () => {
  it("is in the audit trail, with what was asked for", async () => {
    await scene.line.ask("receipt disclose --include-confidential", deletionId);
    assert.match(
      (await scene.line.type("audit export")).out,
      /"receipt\.disclose".*"types":\[.*"customer_sar".*\],"includeConfidential":true/,
    );
  });

  it("leaves out what is confidential unless it is asked for", async () => {
    const { disclosures } = await scene.line.ask("receipt disclose", deletionId);
    assert.deepEqual((disclosures as Record<string, unknown>)["customer_sar"], undefined);
    assert.doesNotMatch(JSON.stringify(disclosures), /kept/);
  });

  it("refuses what is not completed or does not exist", async () => {
    assert.match(
      (await scene.line.fail("receipt disclose del_none")).message,
      /no deletion request/,
    );
  });
});

describe("sluice organization set --confidential-types", () => {
  it("hides further types, refuses sets that would disclose them, and changes nothing then", async () => {
    const set = ["organization set", officer.organizationId, "--confidential-types"];
    const changed = await scene.line.ask(...set, "screening,transaction_alert");
    assert.deepEqual(changed["confidential_types"], [
      "transaction_suspicious_activity",
      "customer_sar",
      "screening",
      "transaction_alert",
    ]);
    for (const [types, expected] of [
      ["transaction_check", /together with .*transaction_alert/],
      ["person", /deleted by request/],
      ["sreening", /did you mean screening/],
    ] as const) {
      assert.match((await scene.line.fail(...set, types)).message, expected);
    }
    const shown = await scene.line.ask("organization show", officer.organizationId);
    assert.deepEqual(shown["confidential_types"], changed["confidential_types"]);
    await scene.line.ask(...set, "none");
  });
});
