// The receipt of a deletion that states a basis and that a second person has approved: it commits to the basis and to
// both people without naming them, and the status and `receipt disclose` open that, so that both can be shown without
// the audit trail.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type CommandLine, makeCommandLine } from "../cli/command-line.ts";
import { inPython, missingPython } from "../clients/subject.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Server, startServer } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { awaitCompletion, deleteOne } from "./scene.ts";

type Members = Record<string, unknown>;

const skip = (await missingPython()) ?? false;
const program = join(import.meta.dirname, "../../docs/guides/verify.py");

describe("the receipt of an approved deletion", () => {
  let server: Server;
  let customer: Customer;
  let line: CommandLine;
  let status: Members;
  let id: string;
  let keys: string;
  const folder = makeTempFolder();

  before(async () => {
    server = await startServer();
    customer = await server.operate((app) => makeCustomer(app, server.client));
    line = makeCommandLine({ folder: server.folder });
    await deleteOne(server.client, customer, "tx-before");
    await line.ask("operator create", "Zoë Müller", "--role", "officer");
    // It is read in the transaction that opens a deletion, so no process has to learn of it.
    await line.ask(`organization set ${customer.organizationId} --deletion-approval on`);
    const { token } = customer;
    const body = {
      tx_id: "tx-1",
      type: "DEPOSIT",
      method: "WIRE",
      amount: 1,
      currency: "EUR",
      status: "CREATED",
      sender_id: "p-1",
      sender_country: "DE",
      timestamp: "2026-01-31T09:30:00Z",
    };
    await server.client.send({ method: "POST", path: "/v2/transaction", token, body });
    const asked = await server.client.send({
      method: "DELETE",
      path: "/v2/transaction",
      token,
      body: { tx_id: "tx-1", reason: "asked", basis: "objection" },
    });
    id = String(asked.body.deletion_request_id);
    await line.ask(`deletion approve ${id} --as`, "Zoë Müller");
    await awaitCompletion(server.client, customer, id);
    status = await statusOf();
    const published = { method: "GET", path: "/.well-known/sluice-receipts.json" } as const;
    keys = write("keys.json", JSON.parse((await server.client.send(published)).text));
  });
  after(() => server.stop());

  async function statusOf(): Promise<Members> {
    const path = `/v2/deletion_request?deletion_request_id=${id}`;
    const { body } = await server.client.send({ method: "GET", path, token: customer.token });
    return body;
  }

  function write(name: string, content: unknown): string {
    // Not in the folder of the store, where a check would report it.
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  }

  const people = () => status["disclosed_approval"] as Record<string, Members>;

  it("has hashes of both people, and when it was approved", () => {
    const { approval, ...others } = status["receipt"] as Members;
    const { requester, approver, approved_at } = approval as Members;
    for (const hash of [requester, approver]) assert.match(String(hash), /^[\w-]{43}$/);
    assert.match(String(approved_at), /Z$/);
    assert.doesNotMatch(JSON.stringify({ approval, others }), /Müller/);
  });

  it("is opened by the status and by a disclosure, and verified with both", async () => {
    assert.equal(people()["approver"]?.["name"], "Zoë Müller");
    assert.match(String(people()["requester"]?.["name"]), /^key_/);
    assert.equal((await line.ask("receipt verify", write("status.json", status)))["ok"], true);
    const receipt = write("receipt.json", status["receipt"]);
    const disclosed = await line.ask(`receipt disclose ${id}`);
    assert.deepEqual(disclosed["disclosed_approval"], status["disclosed_approval"]);
    const words = ["receipt", "verify", receipt, "--disclosures"];
    assert.equal((await line.ask(...words, write("people.json", disclosed)))["ok"], true);
    const { out } = await line.type("check --json");
    assert.deepEqual((JSON.parse(out) as Members)["findings"], [], out);
  });

  it("has a hash of the basis, which the status opens", async () => {
    const { asked } = status["receipt"] as { readonly asked: Members };
    assert.match(String(asked["basis"]), /^[\w-]{43}$/);
    assert.equal(status["basis"], "objection");
    const disclosed = status["disclosed_basis"] as Members;
    assert.equal(disclosed["basis"], "objection");
    for (const disclosed_basis of [
      { ...disclosed, basis: "other" },
      { basis: "objection" },
      null,
    ]) {
      const { json } = await verdictOf(write("basis.json", { ...status, disclosed_basis }));
      assert.equal(json["ok"], false, JSON.stringify(disclosed_basis));
    }
    const { deletions } = await line.ask("deletion list");
    assert.deepEqual(
      (deletions as Members[]).map(({ basis }) => basis),
      ["objection", null],
    );
  });

  it("shows that a name was changed", async () => {
    const { requester, approver } = people();
    for (const changed of [
      { requester, approver: { ...approver, name: "Zoe" } },
      { requester: approver, approver: requester },
      { requester, approver: { name: "Zoë Müller" } },
      { requester, approver, third: approver },
      { requester: null },
    ]) {
      const path = write("changed.json", { ...status, disclosed_approval: changed });
      const { json } = await verdictOf(path);
      assert.equal(json["ok"], false, JSON.stringify(changed));
    }
  });

  it("is not expected of receipts from before, which still verify", async () => {
    const { out } = await line.type("receipt export --include-confidential");
    const receipts = out
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as Members);
    const [first] = receipts;
    assert.ok(first !== undefined && !("approval" in first));
    assert.equal((await line.ask("receipt verify", write("first.json", first)))["ok"], true);
    const { deletion_request_id } = first;
    const claimed = {
      deletion_request_id,
      receipt: first,
      disclosures: {},
      disclosed_approval: people(),
    };
    assert.equal((await verdictOf(write("claimed.json", claimed))).json["ok"], false);
  });

  it("is verified by the program in Python", { skip }, async () => {
    const genuine = await inPython(program, keys, write("genuine.ndjson", status));
    assert.match(genuine.stdout, /Everything is genuine/);
    const { requester, approver } = people();
    const other = { requester, approver: { ...approver, name: "Zoe" } };
    const path = write("other.ndjson", { ...status, disclosed_approval: other });
    await assert.rejects(inPython(program, keys, path), ({ stderr }: { stderr: string }) =>
      stderr.includes("the approver is another person"),
    );
    const basis = { ...(status["disclosed_basis"] as Members), basis: "other" };
    const altered = write("basis.ndjson", { ...status, disclosed_basis: basis });
    await assert.rejects(inPython(program, keys, altered), ({ stderr }: { stderr: string }) =>
      stderr.includes("the basis is another one"),
    );
  });

  async function verdictOf(path: string): Promise<{ readonly json: Members }> {
    const { out } = await line.type("receipt verify", path, "--json");
    return { json: JSON.parse(out) as Members };
  }
});
