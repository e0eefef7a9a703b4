// The receipt of a deletion from end to end: in the status operation and in `deletion show`, before and after the key
// is rotated. If the deletion states a basis, or a second person has approved it, the receipt commits to that and names
// nobody; the status and `receipt disclose` open it.

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { findStatedFaults } from "../../src/actions/receipt/receipt-counts.ts";
import { keepReceiptKey, type PublishedKeys } from "../../src/actions/receipt/receipt-keys.ts";
import { verifyReceipts } from "../../src/actions/receipt/verify-receipt.ts";
import { makeKey } from "../../src/data-folder/receipt-key.ts";
import type { Receipt } from "../../src/domain/deletion/receipt.ts";
import { missingPython } from "../clients/subject.ts";
import type { Customer } from "../support/customer.ts";
import { deleteApproved, inGuide, keysPath, startProofScene } from "./proof-scene.ts";
import { addTransaction, deleteOne, requestDeletion } from "./scene.ts";

type Members = Readonly<Record<string, unknown>>;

const skip = (await missingPython()) ?? false;

const scene = await startProofScene();
after(() => scene.stop());

async function receiptOf(id: string): Promise<Receipt> {
  const { server, customer } = scene;
  return (await deleteOne(server.client, customer, id))["receipt"] as Receipt;
}

async function statusOf({ token }: Customer, id: string): Promise<Members> {
  const path = `/v2/deletion_request?deletion_request_id=${id}`;
  return (await scene.server.client.send({ method: "GET", path, token })).body;
}

describe("the receipt of a deletion", () => {
  it("is part of the status, and states the request and its result", async () => {
    const { server, customer, line } = scene;
    const status = await deleteOne(server.client, customer, "tx-1");
    const receipt = status["receipt"] as Receipt;
    assert.equal(receipt.deletion_request_id, status["deletion_request_id"]);
    assert.equal(receipt.organization_id, customer.organizationId);
    assert.deepEqual(receipt.asked, {
      resource_type: "transaction",
      resource_id: "tx-1",
      reason: "no longer needed: tx-1",
      by: customer.keyId,
      at: status["requested_at"],
    });
    assert.deepEqual(status["erased"], { transaction: 1 });
    assert.equal(receipt.completed_at, status["completed_at"]);
    assert.equal(receipt.verification.engine, "sqlite");
    const id = receipt.deletion_request_id;
    assert.deepEqual((await line.ask("deletion show", id))["receipt"], receipt);
    assert.match((await line.type("deletion show", id)).out, /"signature": "/);
  });

  it("does not exist before the deletion is completed", async () => {
    const { server, customer, line } = scene;
    await addTransaction(server.client, customer, "tx-held");
    const of = ["--organization", customer.organizationId, "--reason", "a case"];
    await line.ask("deletion hold transaction tx-held", ...of);
    const id = await requestDeletion(server.client, customer, "tx-held");
    const status = await statusOf(customer, id);
    assert.equal(status["status"], "pending");
    assert.ok(!("receipt" in status));
  });

  it("stays genuine when the key is rotated, and later ones are signed with the new key", async () => {
    const old = await receiptOf("tx-5");
    const { key_id: next } = await scene.line.ask("receipt rotate");
    const fresh = await receiptOf("tx-6");
    assert.notEqual(old.key_id, next);
    assert.equal(fresh.key_id, next);
    const published = JSON.parse(await scene.fetch(keysPath)) as PublishedKeys;
    assert.deepEqual(
      published.keys.map(({ kid, retired_at }) => [kid, retired_at === undefined]),
      [
        [old.key_id, false],
        [fresh.key_id, true],
      ],
    );
    const verdicts = verifyReceipts([old, fresh], published);
    assert.deepEqual(
      verdicts.map(({ faults }) => faults),
      [[], []],
    );
  });

  it("may be signed with the key of another process after this one is rotated", async () => {
    const { keyId } = await scene.server.operate((app) => keepReceiptKey(app, makeKey()));
    const { key_id: next } = await scene.line.ask("receipt rotate");
    const published = JSON.parse(await scene.fetch(keysPath)) as PublishedKeys;
    const inUse = published.keys.filter(({ retired_at }) => retired_at === undefined);
    assert.deepEqual(inUse.map(({ kid }) => kid).toSorted(), [String(next), keyId].toSorted());
  });

  it("is signed with a key that only its owner can read, and that is in no log and no store", () => {
    const { folder } = scene.server;
    const file = join(folder, "receipt-key.pem");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const secret = readFileSync(file, "utf8").split("\n")[1] ?? "";
    assert.equal(secret.length, 64);
    assert.ok(!readFileSync(join(folder, "sluice.db")).includes(secret));
  });
});

describe("the receipt of an approved deletion", async () => {
  const status = await deleteApproved(scene);
  const people = () => status["disclosed_approval"] as Readonly<Record<string, Members>>;
  const basis = () => status["disclosed_basis"] as Members;

  it("has hashes of both people and of the basis, which the status and a disclosure open", async () => {
    const { line } = scene;
    const { approval, ...others } = status["receipt"] as Members;
    const { requester, approver, approved_at } = approval as Members;
    const { asked } = status["receipt"] as { readonly asked: Members };
    for (const hash of [requester, approver, asked["basis"]]) {
      assert.match(String(hash), /^[\w-]{43}$/);
    }
    assert.match(String(approved_at), /Z$/);
    assert.doesNotMatch(JSON.stringify({ approval, others }), /Müller/);
    assert.equal(people()["approver"]?.["name"], "Zoë Müller");
    assert.match(String(people()["requester"]?.["name"]), /^key_/);
    assert.deepEqual([status["basis"], basis()["basis"]], ["objection", "objection"]);
    assert.deepEqual(findStatedFaults(status["receipt"] as Receipt, status), []);
    const id = String(status["deletion_request_id"]);
    const disclosed = await line.ask(`receipt disclose ${id}`);
    assert.deepEqual(disclosed["disclosed_approval"], people());
    assert.deepEqual((await scene.verdict<{ findings: unknown }>("check")).findings, []);
    const { deletions } = await line.ask("deletion list");
    const listed = (deletions as Members[]).find((one) => one["deletion_request_id"] === id);
    assert.equal(listed?.["basis"], "objection");
  });

  it("is verified by the program of the guide", { skip }, async () => {
    const keys = scene.write("keys.json", await scene.fetch(keysPath));
    const run = (change: object) =>
      inGuide(keys, scene.write("status.json", { ...status, ...change }));
    assert.match(await run({}), /^0 Everything is genuine/);
    const id = String(status["deletion_request_id"]);
    assert.match(
      await run(await scene.line.ask(`deletion show ${id}`)),
      /^0 Everything is genuine/,
    );
    const { requester, approver } = people();
    const other = { disclosed_approval: { requester, approver: { ...approver, name: "Zoe" } } };
    assert.match(await run(other), /^1 .*the approver is another person/s);
    const altered = { disclosed_basis: { ...basis(), basis: "other" } };
    assert.match(await run(altered), /^1 .*the basis is another one/s);
    const { erased } = status as { readonly erased: Members };
    for (const [name, value] of [
      ["deletion_request_id", "del_other"],
      ["organization_id", "other"],
      ["resource_type", "person"],
      ["resource_id", "tx-9"],
      ["reason", "other"],
      ["basis", "other"],
      ["requested_at", "2020-01-01T00:00:00.000Z"],
      ["started_at", "2020-01-01T00:00:00.000Z"],
      ["completed_at", "2020-01-01T00:00:00.000Z"],
      ["status", "pending"],
      ["erased", {}],
      ["erased", { ...erased, transaction: 2 }],
      ["erased", { ...erased, screening: 1 }],
    ] as const) {
      const says = new RegExp(
        `^1 receipt 1: (${name}|\\w+) of the status is another (one|number)$`,
      );
      assert.match(await run({ [name]: value }), says, name);
    }
    const { disclosures: _numbers, disclosed_basis: _basis, ...closed } = status;
    const claim = { disclosures: undefined, disclosed_basis: undefined, due_at: "2026-01-31" };
    const unproved = /^Not verified in the status: basis, due_at, erased\.transaction\.$/m;
    assert.match(await run({ ...closed, ...claim }), unproved);
  });

  it("is refused by this program without a stack trace if it can't be read", { skip }, async () => {
    const keys = scene.write("keys.json", await scene.fetch(keysPath));
    const text = JSON.stringify(status);
    for (const [content, says] of [
      [text.slice(0, -40), /line 1: not JSON, or cut off$/],
      [`${text}\n${text.slice(0, 40)}`, /line 2: not JSON, or cut off$/],
      ["certificate", /line 1: not JSON, or cut off$/],
      ["[7]\n{}", /nothing in it can be verified$/],
      ["7", /line 1: not in the form/],
      [{ ...status, receipt: {} }, /line 1: not in the form/],
    ] as const) {
      const printed = await inGuide(keys, scene.write("unread.json", content));
      assert.match(printed, says);
      assert.match(printed, /^1 /);
      assert.doesNotMatch(printed, /Traceback/);
    }
    const given = scene.write("status.json", status);
    assert.match(await inGuide(scene.write("none.json", "{"), given), /^1 .*not JSON, or cut off$/);
    assert.match(await inGuide(keys, `${given}.none`), /^1 .*can't be read/);
  });
});
