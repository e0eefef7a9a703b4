// The receipt of a deletion from end to end: in the status operation and in `deletion show`, verified offline against
// the published keys, before and after the key is rotated. If the deletion states a basis, or a second person has
// approved it, the receipt commits to that and names nobody; the status and `receipt disclose` open it.

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Receipt } from "../../src/domain/deletion/receipt.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { missingPython } from "../clients/subject.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { inGuide, keysPath, startProofScene } from "./proof-scene.ts";
import { addTransaction, awaitCompletion, deleteOne, requestDeletion } from "./scene.ts";

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

async function isGenuine(content: unknown): Promise<boolean> {
  const file = scene.write("given.json", content);
  return (await scene.verdict<{ ok: boolean }>("receipt verify", file)).ok;
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

  it("is genuine by the published keys alone, on a machine without a store", async () => {
    const { server, customer, keys, write } = scene;
    const file = write("status.json", await deleteOne(server.client, customer, "tx-2"));
    const elsewhere = makeCommandLine();
    const verdict = await elsewhere.ask("receipt verify", file, "--keys", keys);
    assert.equal(verdict["ok"], true);
    const lost = await elsewhere.fail("receipt verify", file);
    assert.match(lost.message, /--keys/);
    assert.throws(() => statSync(join(elsewhere.folder, "sluice.db")), /ENOENT/);
  });

  it("is refused where it was changed, or readers could interpret it differently", async () => {
    const { line, write } = scene;
    const receipt = await receiptOf("tx-3");
    const { signature, asked } = receipt;
    const text = JSON.stringify(receipt);
    for (const [content, says] of [
      [text.replace('"store_id":', '"receipt_no":1,"store_id":'), /the field "receipt_no" twice/],
      [text.replace('"by":', '"by":"x","b\\u0079":'), /the field "by" twice/],
      [`${text}\n${text.replace('"by":', '"by":"x","by":')}\n`, /line 2, has the field "by" twice/],
      ["[]", /contains no receipt/],
      ["", /is not JSON, or is truncated/],
      [text.slice(0, -40), /is not JSON, or is truncated/],
      [`${text} true`, /is not JSON, or is truncated/],
      [`${text}${text}`, /is not JSON, or is truncated/],
    ] as const) {
      const { code, message } = await line.fail("receipt verify", write("corrupted", content));
      assert.equal(code, 1);
      assert.match(message, says);
    }
    // The same bytes, except for unused bits of the last character.
    const last = "AQgw".indexOf(signature.at(-1) ?? "");
    const other = signature.slice(0, -1) + ["B", "R", "h", "x"][last];
    for (const [change, says] of [
      [{ completed_at: "2020-01-01T00:00:00.000Z" }, /not genuine:\n {2}It has no valid signature/],
      [{ signature: other }, /signature is not 86 characters/],
      [{ signature: `${signature}==` }, /signature is not 86 characters/],
      [{ asked: { ...asked, note: "x" } }, /asked\.note is not part of a receipt/],
    ] as const) {
      const { code, out } = await line.type(
        "receipt verify",
        write("other.json", { ...receipt, ...change }),
      );
      assert.equal(code, 3);
      assert.match(out, says);
    }
  });

  it("is verified with keys in their one canonical form", async () => {
    const { line, published, write } = scene;
    const file = write("one.json", await receiptOf("tx-4"));
    const [key] = published.keys;
    const at = "AEIMQUYcgkosw048".indexOf(key?.x.at(-1) ?? "");
    const other = `${key?.x.slice(0, -1)}${"BFJNRVZdhlptx159"[at]}`;
    for (const [content, says] of [
      [{ ...published, keys: [{ ...key, x: other }] }, /must be the JSON of/],
      [JSON.stringify(published).replace('"keys":', '"keys":[],"keys":'), /field "keys" twice/],
    ] as const) {
      const keys = write("k.json", content);
      assert.match((await line.fail("receipt verify", file, "--keys", keys)).message, says);
    }
  });

  it("stays genuine when the key is rotated, and later ones are signed with the new key", async () => {
    const old = await receiptOf("tx-5");
    const { key_id: next } = await scene.line.ask("receipt rotate");
    const fresh = await receiptOf("tx-6");
    assert.notEqual(old.key_id, next);
    assert.equal(fresh.key_id, next);
    const { keys } = JSON.parse(await scene.fetch(keysPath)) as { readonly keys: Members[] };
    assert.deepEqual(
      keys.map(({ kid, retired_at }) => [kid, retired_at === undefined]),
      [
        [old.key_id, false],
        [fresh.key_id, true],
      ],
    );
    assert.ok(await isGenuine([JSON.stringify(old), JSON.stringify(fresh)]));
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

describe("the receipt of an approved deletion", () => {
  let status: Members;
  let id: string;

  before(async () => {
    const { server, line } = scene;
    const { client } = server;
    const customer = await server.operate((app) =>
      makeCustomer(app, client, { deletionApproval: true }),
    );
    const { token } = customer;
    await line.ask("operator create", "Zoë Müller", "--role", "officer");
    await addTransaction(client, customer, "tx-1");
    const body = { tx_id: "tx-1", reason: "asked", basis: "objection" };
    const asked = await client.send({ method: "DELETE", path: "/v2/transaction", token, body });
    id = String(asked.body.deletion_request_id);
    await line.ask(`deletion approve ${id} --as`, "Zoë Müller");
    await awaitCompletion(client, customer, id);
    status = await statusOf(customer, id);
  });

  const people = () => status["disclosed_approval"] as Readonly<Record<string, Members>>;
  const basis = () => status["disclosed_basis"] as Members;

  it("has hashes of both people and of the basis, which the status and a disclosure open", async () => {
    const { line, write } = scene;
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
    assert.ok(await isGenuine(status));
    const disclosed = await line.ask(`receipt disclose ${id}`);
    assert.deepEqual(disclosed["disclosed_approval"], people());
    const receipt = write("receipt.json", status["receipt"]);
    const words = ["receipt", "verify", receipt, "--disclosures", write("people.json", disclosed)];
    assert.equal((await line.ask(...words))["ok"], true);
    assert.deepEqual((await scene.verdict<{ findings: unknown }>("check")).findings, []);
    const { deletions } = await line.ask("deletion list");
    assert.equal((deletions as Members[])[0]?.["basis"], "objection");
  });

  it("shows that a name or the basis was changed", async () => {
    const { requester, approver } = people();
    const third = { requester, approver, third: approver };
    for (const change of [
      { disclosed_approval: { requester, approver: { ...approver, name: "Zoe" } } },
      { disclosed_approval: { requester: approver, approver: requester } },
      { disclosed_approval: { requester, approver: { name: "Zoë Müller" } } },
      { disclosed_approval: third },
      { disclosed_approval: { requester: null } },
      { disclosed_basis: { ...basis(), basis: "other" } },
      { disclosed_basis: { basis: "objection" } },
      { disclosed_basis: null },
    ]) {
      assert.ok(!(await isGenuine({ ...status, ...change })), JSON.stringify(change));
    }
  });

  it("is not expected of a deletion that nobody had to approve", async () => {
    const receipt = await receiptOf("tx-plain");
    assert.ok(!("approval" in receipt));
    const { deletion_request_id } = receipt;
    const claimed = { deletion_request_id, receipt, disclosures: {}, disclosed_approval: people() };
    assert.ok(!(await isGenuine(claimed)));
  });

  it("is verified by the program of the guide", { skip }, async () => {
    const keys = scene.write("keys.json", await scene.fetch(keysPath));
    const run = (change: object) =>
      inGuide(keys, scene.write("status.json", { ...status, ...change }));
    assert.match(await run({}), /^0 Everything is genuine/);
    const { requester, approver } = people();
    const other = { disclosed_approval: { requester, approver: { ...approver, name: "Zoe" } } };
    assert.match(await run(other), /^1 .*the approver is another person/s);
    const altered = { disclosed_basis: { ...basis(), basis: "other" } };
    assert.match(await run(altered), /^1 .*the basis is another one/s);
  });
});
