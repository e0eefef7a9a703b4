// What `receipt verify` says about a receipt, the status that contains it, and what is disclosed with it: whether it is
// genuine by the published keys, and which numbers and people are proved.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { Receipt } from "../../../src/domain/deletion/receipt.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import { missingPython } from "../../clients/subject.ts";
import { deleteApproved, inGuide, startProofScene } from "../../receipt/proof-scene.ts";
import { awaitCompletion, deleteOne } from "../../receipt/scene.ts";
import { fetchToken } from "../../support/customer.ts";

type Members = Readonly<Record<string, unknown>>;

const hasPython = (await missingPython()) === undefined;
const scene = await startProofScene();
after(() => scene.stop());

async function receiptOf(id: string): Promise<Receipt> {
  const { server, customer } = scene;
  return (await deleteOne(server.client, customer, id))["receipt"] as Receipt;
}

async function isGenuine(content: unknown): Promise<boolean> {
  const file = scene.write("given.json", content);
  return (await scene.verdict<{ ok: boolean }>("receipt verify", file)).ok;
}

describe("a receipt", () => {
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
      [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, /it has too many levels/],
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
});

describe("the receipt of an approved deletion", async () => {
  const status = await deleteApproved(scene);
  const people = () => status["disclosed_approval"] as Readonly<Record<string, Members>>;
  const basis = () => status["disclosed_basis"] as Members;

  it("is verified with what the status and a disclosure say of its hashes", async () => {
    const { line, write } = scene;
    assert.ok(await isGenuine(status));
    const given = await line.ask(`receipt disclose ${String(status["deletion_request_id"])}`);
    const receipt = write("receipt.json", status["receipt"]);
    const words = ["receipt", "verify", receipt, "--disclosures", write("people.json", given)];
    assert.equal((await line.ask(...words))["ok"], true);
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
      { basis: "other" },
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
});

describe("the receipt of a deletion that erased a report", async () => {
  const { server, customer: officer, line, write } = scene;
  const { client } = server;
  const send = (method: string, path: string, body: object) =>
    client.send({ method, path, token: officer.token, body });
  const scopes = ["person:write", "person:delete"] as const;
  const clerk = { ...officer, token: await fetchToken(client, officer, { scopes }) };
  const id = await deleteNamed("reported");
  const status = await awaitCompletion(client, officer, id);
  const seen = await awaitCompletion(client, clerk, id);
  const receipt = write("report.json", seen["receipt"]);

  /** Deletes a person that a report names, and returns the id of the deletion. */
  async function deleteNamed(personId: string): Promise<string> {
    const timestamp = "2026-01-31T09:30:00Z";
    const person = { person_id: personId, is_test_user: false, is_retail_customer: true };
    await send("POST", "/v2/person", { ...person, timestamp });
    const report = { sar_id: `of-${personId}`, status: "FILED", related_person_id: personId };
    await send("POST", "/v2/customer_sar", { ...report, timestamp });
    const asked = await send("DELETE", "/v2/person", { person_id: personId, reason: "asked" });
    return String(asked.body.deletion_request_id);
  }

  it("is compared with its status, as far as the receipt and the disclosures prove it", async () => {
    assert.ok(await isGenuine(status));
    assert.ok(await isGenuine(await line.ask("deletion show --include-confidential", id)));
    for (const [name, value] of [
      ["resource_id", "p-2"],
      ["resource_type", "company"],
      ["completed_at", "2020-01-01T00:00:00.000Z"],
      ["status", "pending"],
      ["erased", { person: 1 }],
      ["erased", { person: 2, customer_sar: 1 }],
      ["erased", { person: 1, customer_sar: 1, screening: 1 }],
      ["erased", 7],
    ] as const) {
      const path = write("edited.json", { ...status, [name]: value });
      const { code, out } = await line.type("receipt verify", path);
      assert.equal(code, 3, name);
      assert.match(out, new RegExp(`The status (?:says that ${name}|has no numbers)`));
    }
    assert.match(
      (await line.type("receipt verify", write("clerk.json", seen))).out,
      /verified numbers: person \(removed 1\); every other .* 0\n  not disclosed: .*person \(kept\)/,
    );
    const claim = { ...seen, erased: { person: 1, transaction: 5 }, due_at: "2026-01-31" };
    const unproved = await line.type("receipt verify", write("claim.json", claim));
    assert.equal(unproved.code, 0);
    assert.match(unproved.out, /in the status, not verified: due_at, erased\.transaction$/m);
  });

  it("proves numbers that are disclosed to somebody who has it", async () => {
    const all = await line.ask("receipt disclose --include-confidential", id);
    const { customer_sar } = all["disclosures"] as Record<string, unknown>;
    const numbers = write("numbers.json", { ...all, disclosures: { customer_sar } });
    const { out } = await line.type("receipt verify", receipt, "--disclosures", numbers);
    assert.match(out, /genuine/);
    assert.match(
      out,
      /verified numbers: customer_sar \(removed 1\); every other disclosed number is 0/,
    );
    assert.match(out, /not disclosed: .*person/);
  });

  it("shows that a number was changed, or is of another deletion", async () => {
    const given = await line.ask("receipt disclose", id);
    const text = JSON.stringify(given);
    const changed = write("changed.json", JSON.parse(text.replace('"count":1', '"count":2')));
    const bad = await line.type("receipt verify", receipt, "--disclosures", changed);
    assert.equal(bad.code, 3);
    assert.match(bad.out, /"removed" of person does not match the receipt/);
    const other = write("other.json", { ...given, deletion_request_id: "del_other" });
    const lost = await line.type("receipt verify", receipt, "--disclosures", other);
    assert.equal(lost.code, 3);
    assert.match(lost.out, /is of the deletion del_other; its receipt .*is not among those/);
  });

  it("is genuine where the report had to be kept", async () => {
    const floor = "retention set --type customer_sar --keep-days 3650 --organization";
    await line.ask(floor, officer.organizationId);
    const kept = await deleteNamed("p-9");
    const stated = await awaitCompletion(client, officer, kept);
    const shown = await line.ask("deletion show --include-confidential", kept);
    for (const one of [stated, shown]) {
      assert.ok(await isGenuine(one));
      if (!hasPython) continue;
      assert.match(await inGuide(scene.keys, write("kept.json", one)), /^0 Everything is genuine/);
    }
    if (!hasPython) return;
    const { erased } = stated as { readonly erased: Members };
    const more = { ...stated, erased: { ...erased, customer_sar: 2 } };
    const says = /^1 receipt 1: customer_sar of the status is another number$/;
    assert.match(await inGuide(scene.keys, write("more.json", more)), says);
  });
});
