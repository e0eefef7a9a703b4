// The receipt of a deletion that states a basis and that a second person has approved: it commits to the basis and to
// both people without naming them, and the status and `receipt disclose` open that, so that both can be shown without
// the audit trail. The program of the guide on erasure, which verifies receipts and the audit trail without any code of
// the service: it accepts what the service exports, and names what was changed.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type CommandLine, makeCommandLine, ndjsonOf } from "../cli/command-line.ts";
import { inPython, missingPython } from "../clients/subject.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Server, startServer } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { awaitCompletion, deleteOne } from "./scene.ts";
import { publishHeads } from "../../src/actions/proof/heads.ts";

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

type Line = Record<string, unknown>;

describe("the verifier in Python", { skip }, () => {
  let server: Server;
  let line: CommandLine;
  let keys: string;
  let receipts: readonly Line[];
  let trail: readonly Line[];
  let statement: Line;
  let heads: string;

  before(async () => {
    server = await startServer();
    const customer = await server.operate((app) => makeCustomer(app, server.client));
    line = makeCommandLine({ folder: server.folder });
    const { token, organizationId } = customer;
    await line.ask(`recipient create --organization ${organizationId} --name copies`);
    for (const id of ["tx-1", "tx-ä\u2028", "tx-3"]) await deleteOne(server.client, customer, id);
    const { headers } = await server.client.send({ method: "HEAD", path: "/v2/changes", token });
    const acknowledged = { name: "copies", offset: headers["stream-next-offset"] };
    const path = "/v2/recipient_acknowledgement";
    await server.client.send({ method: "POST", path, token, body: acknowledged });
    heads = await server.operate(async (app) => JSON.stringify(await publishHeads(app)));
    receipts = await exported("receipt export --include-confidential");
    const id = receipts.at(-1)?.["deletion_request_id"];
    const { body } = await server.client.send({
      method: "GET",
      path: `/v2/deletion_request?deletion_request_id=${String(id)}`,
      token: customer.token,
    });
    receipts = [...receipts.slice(0, -1), body];
    statement = (body as unknown as { readonly statement: Line }).statement;
    trail = await exported("audit export");
    const { text } = await server.client.send({
      method: "GET",
      path: "/.well-known/sluice-receipts.json",
    });
    keys = join(server.folder, "keys.json");
    writeFileSync(keys, text);
  });
  after(() => server.stop());

  async function exported(command: string): Promise<readonly Line[]> {
    const { out } = await line.type(command);
    return ndjsonOf(out);
  }

  it("names the end that is missing since the heads were published", async () => {
    const path = join(server.folder, "heads.json");
    writeFileSync(path, heads);
    assert.match(await verify(receipts, trail, path), /^0 Everything is genuine\. Complete up to /);
    // The exports themselves have added the last entries.
    const upTo = trail.findIndex(({ action }) => action === "export.manifest");
    const missing = "the end is missing, from the published head on";
    assert.equal(
      await verify(receipts.slice(0, -1), trail.slice(0, upTo - 1), path),
      `1 receipts: ${missing}\naudit: ${missing}`,
    );
    writeFileSync(path, heads.replace("receipts ", "receipts A"));
    assert.match(await verify(receipts, trail, path), /^1 the heads: changed, or unknown key/);
  });

  /** What it prints, after its exit code. */
  async function verify(
    given: readonly Line[],
    entries: readonly Line[] = trail,
    ...more: readonly string[]
  ): Promise<string> {
    const files = [given, entries].map((lines, index) => {
      const path = join(server.folder, `${index}.ndjson`);
      writeFileSync(path, lines.map((one) => JSON.stringify(one)).join("\n"));
      return path;
    });
    type Ended = { readonly code?: number; readonly stdout: string; readonly stderr: string };
    const ended = await inPython(program, keys, ...more, ...files).catch((error: unknown) => error);
    const { code = 0, stdout, stderr } = ended as Ended;
    return `${code} ${stdout}${stderr}`.trim();
  }

  /** The lines with one of them changed. */
  function changed(lines: readonly Line[], at: number, fields: Line): readonly Line[] {
    return lines.with(at, { ...lines.at(at), ...fields });
  }

  it("accepts what was exported", async () => {
    assert.ok(trail.length > 4);
    assert.equal(
      await verify(receipts),
      "0 Everything is genuine.\nNot examined: whether the end is missing. Compare published heads.",
    );
  });

  it("names a receipt that was changed, is missing or was signed with another key", async () => {
    assert.equal(
      await verify(changed(receipts, 1, { started_at: "2026-01-01T00:00:00.000Z" }), []),
      "1 receipt 2: changed\nreceipt 3: does not follow",
    );
    assert.equal(
      await verify(receipts.toSpliced(1, 1), []),
      "1 receipts 2 to 2: missing; if the store was restored, compare the audit trail",
    );
    assert.match(
      await verify(changed(receipts, 0, { key_id: "x" }), []),
      /^1 receipt 1: unknown key/,
    );
  });

  it("accepts the statement on the recipients, and names one that was changed", async () => {
    assert.equal(await verify([statement]), await verify(receipts));
    assert.match(await verify([{ ...statement, recipients: [] }]), /receipt 1: changed/);
  });

  it("names a number that is another one", async () => {
    const disclosures = structuredClone(receipts.at(-1)?.["disclosures"]) as Record<
      string,
      Record<string, { count: number }>
    >;
    const removed = disclosures["transaction"]?.["removed"];
    assert.equal(removed?.count, 1);
    removed.count = 2;
    assert.equal(
      await verify(changed(receipts, -1, { disclosures })),
      "1 receipt 3: removed of transaction is another number",
    );
  });

  it("names an entry of the trail that was changed, and one after which others are missing", async () => {
    const number = (at: number): string => String(trail[at]?.["entry_no"]);
    assert.equal(
      await verify(receipts, changed(trail, 2, { actor: "nobody" })),
      `1 entry ${number(2)}: changed`,
    );
    assert.equal(
      await verify(receipts, trail.toSpliced(2, 1)),
      `1 audit ${number(2)} to ${number(2)}: missing`,
    );
  });
});
