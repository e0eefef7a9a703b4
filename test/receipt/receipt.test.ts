// The receipt of a deletion from end to end: in the status operation and in `deletion show`,
// verified offline against the published keys, before and after the key is rotated.

import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Receipt } from "../../src/domain/deletion/receipt.ts";
import { makeCommandLine, type CommandLine, withoutManifest } from "../cli/command-line.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { startServer, type Server } from "../support/server.ts";
import { addTransaction, deleteOne, requestDeletion } from "./scene.ts";

let server: Server;
let acme: Customer;
let line: CommandLine;

before(async () => {
  server = await startServer();
  acme = await server.operate((app) => makeCustomer(app, server.client, { name: "Acme" }));
  line = makeCommandLine({ folder: server.folder });
});
after(() => server.stop());

function write(name: string, content: unknown): string {
  const path = join(server.folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

async function fetchKeys(): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await server.client.send({
    method: "GET",
    path: "/.well-known/sluice-receipts.json",
  });
  assert.equal(status, 200);
  return body;
}

describe("the receipt of a deletion", () => {
  it("is part of the status, and states the request and its result", async () => {
    const status = await deleteOne(server.client, acme, "tx-1");
    const receipt = status["receipt"] as Receipt;
    assert.equal(receipt.deletion_request_id, status["deletion_request_id"]);
    assert.equal(receipt.organization_id, acme.organizationId);
    assert.deepEqual(receipt.asked, {
      resource_type: "transaction",
      resource_id: "tx-1",
      reason: "no longer needed: tx-1",
      by: acme.keyId,
      at: status["requested_at"],
    });
    assert.deepEqual(status["erased"], { transaction: 1 });
    assert.equal(receipt.completed_at, status["completed_at"]);
    assert.equal(receipt.verification.engine, "sqlite");
  });

  it("does not exist before the deletion is completed", async () => {
    await addTransaction(server.client, acme, "tx-held");
    await line.ask(
      "deletion hold transaction tx-held",
      "--organization",
      acme.organizationId,
      "--reason",
      "a case",
    );
    const id = await requestDeletion(server.client, acme, "tx-held");
    const path = `/v2/deletion_request?deletion_request_id=${id}`;
    const { body } = await server.client.send({ method: "GET", path, token: acme.token });
    assert.equal(body["status"], "pending");
    assert.ok(!("receipt" in body));
  });

  it("is genuine by the published keys alone, on a machine without a store", async () => {
    const status = await deleteOne(server.client, acme, "tx-2");
    const keys = write("keys.json", await fetchKeys());
    const file = write("status.json", status);
    const elsewhere = makeCommandLine();
    const verdict = await elsewhere.ask("receipt verify", file, "--keys", keys);
    assert.equal(verdict["ok"], true);
    const lost = await elsewhere.fail("receipt verify", file);
    assert.match(lost.message, /--keys/);
    assert.throws(() => statSync(join(elsewhere.folder, "sluice.db")), /ENOENT/);
  });

  it("is shown to operators too", async () => {
    const status = await deleteOne(server.client, acme, "tx-3");
    const shown = await line.ask("deletion show", String(status["deletion_request_id"]));
    assert.deepEqual(shown["receipt"], status["receipt"]);
    const { out } = await line.type("deletion show", String(status["deletion_request_id"]));
    assert.match(out, /"signature": "/);
  });

  it("is not shown to another organization", async () => {
    const status = await deleteOne(server.client, acme, "tx-4");
    const other = await server.operate((app) => makeCustomer(app, server.client));
    const { body, text } = await server.client.send({
      method: "GET",
      path: `/v2/deletion_request?deletion_request_id=${String(status["deletion_request_id"])}`,
      token: other.token,
    });
    assert.equal(body.code, 40402);
    assert.doesNotMatch(text, /receipt/);
  });

  it("is found not genuine once anything in it was changed, with the reason", async () => {
    const { receipt } = await deleteOne(server.client, acme, "tx-5");
    const changed = { ...(receipt as Receipt), completed_at: "2020-01-01T00:00:00.000Z" };
    const { code, out } = await line.type("receipt verify", write("changed.json", changed));
    assert.equal(code, 3);
    assert.match(out, /is not genuine:\n {2}It has no valid signature/);
    const cut = JSON.stringify(receipt).slice(0, -40);
    const failed = await line.fail("receipt verify", write("cut.json", cut));
    assert.match(failed.message, /is not JSON, or is truncated/);
  });

  it("is genuine after a receipt that is missing, which is what is said", async () => {
    for (const id of ["tx-20", "tx-21", "tx-22"]) await deleteOne(server.client, acme, id);
    const { out: all } = await line.type("receipt export --include-confidential");
    const [first, missing, last] = withoutManifest(all).trim().split("\n").slice(-3);
    const { receipt_no: no } = JSON.parse(missing ?? "") as Receipt;
    const file = join(server.folder, "gap.ndjson");
    writeFileSync(file, `${first}\n${last}\n`);
    const { code, out } = await line.type("receipt verify", file);
    assert.equal(code, 3);
    assert.doesNotMatch(out, /not genuine/);
    assert.match(out, new RegExp(`^Receipt ${no} is missing\\.$`, "m"));
  });

  it("is refused where readers could interpret it differently, and so is a file without any", async () => {
    const { receipt } = await deleteOne(server.client, acme, "tx-8");
    const text = JSON.stringify(receipt);
    const { signature, asked } = receipt as Receipt;
    const corrupted: readonly (readonly [text: string, says: RegExp])[] = [
      [text.replace('"store_id":', '"receipt_no":1,"store_id":'), /the field "receipt_no" twice/],
      [text.replace('"by":', '"by":"x","b\\u0079":'), /the field "by" twice/],
      [`${text}\n${text.replace('"by":', '"by":"x","by":')}\n`, /line 2, has the field "by" twice/],
      ["[]", /contains no receipt/],
      ["", /is not JSON, or is truncated/],
      [`${text} true`, /is not JSON, or is truncated/],
      [`${text}${text}`, /is not JSON, or is truncated/],
    ];
    for (const [content, says] of corrupted) {
      const { code, message } = await line.fail("receipt verify", write("corrupted.json", content));
      assert.equal(code, 1);
      assert.match(message, says);
    }
    // The same bytes, except for unused bits of the last character.
    const last = "AQgw".indexOf(signature.at(-1) ?? "");
    const other = signature.slice(0, -1) + ["B", "R", "h", "x"][last];
    const more = { ...asked, note: "x" };
    for (const [changed, says] of [
      [{ ...(receipt as Receipt), signature: other }, /signature is not 86 characters/],
      [{ ...(receipt as Receipt), signature: `${signature}==` }, /signature is not 86 characters/],
      [{ ...(receipt as Receipt), asked: more }, /asked\.note is not part of a receipt/],
    ] as const) {
      const { code, out } = await line.type("receipt verify", write("other.json", changed));
      assert.equal(code, 3);
      assert.match(out, says);
    }
  });

  it("is verified with keys in their one canonical form", async () => {
    const { receipt } = await deleteOne(server.client, acme, "tx-9");
    const file = write("one.json", receipt);
    const keys = await fetchKeys();
    const [key] = keys["keys"] as readonly { x: string }[];
    const at = "AEIMQUYcgkosw048".indexOf(key?.x.at(-1) ?? "");
    const other = `${key?.x.slice(0, -1)}${"BFJNRVZdhlptx159"[at]}`;
    for (const [content, says] of [
      [{ ...keys, keys: [{ ...key, x: other }] }, /must be the JSON of/],
      [JSON.stringify(keys).replace('"keys":', '"keys":[],"keys":'), /has the field "keys" twice/],
    ] as const) {
      const { message } = await line.fail(
        "receipt verify",
        file,
        "--keys",
        write("k.json", content),
      );
      assert.match(message, says);
    }
  });

  it("stays genuine when the key is rotated, and later ones are signed with the new key", async () => {
    const old = (await deleteOne(server.client, acme, "tx-6"))["receipt"] as Receipt;
    const { key_id: next } = await line.ask("receipt rotate");
    const fresh = (await deleteOne(server.client, acme, "tx-7"))["receipt"] as Receipt;
    assert.notEqual(old.key_id, next);
    assert.equal(fresh.key_id, next);
    const keys = (await fetchKeys())["keys"] as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual(
      keys.map(({ kid, retired_at }) => [kid, retired_at === undefined]),
      [
        [old.key_id, false],
        [fresh.key_id, true],
      ],
    );
    const both = write("both.ndjson", `${JSON.stringify(old)}\n${JSON.stringify(fresh)}\n`);
    assert.equal((await line.ask("receipt verify", both))["ok"], true);
  });

  it("follows the previous one, as the export of all of them shows", async () => {
    const { out } = await line.type("receipt export --include-confidential");
    const verdict = await line.ask("receipt verify", write("all.ndjson", out));
    assert.ok((verdict["receipts"] as readonly unknown[]).length > 5);
    const lines = withoutManifest(out).trim().split("\n");
    const swapped = [lines[1], lines[0], ...lines.slice(2)].join("\n");
    const { code, out: report } = await line.type(
      "receipt verify",
      write("swapped.ndjson", swapped),
    );
    assert.equal(code, 3);
    assert.match(report, /re-ordered/);
  });

  it("is signed with a key that only its owner can read, and that is in no log and no store", async () => {
    const file = join(server.folder, "receipt-key.pem");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const secret = readFileSync(file, "utf8").split("\n")[1] ?? "";
    assert.equal(secret.length, 64);
    assert.ok(!readFileSync(join(server.folder, "sluice.db")).includes(secret));
  });
});
