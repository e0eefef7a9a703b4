// Recipients of changes: who may act for one, and what an acknowledgement is.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { publishReceiptKeys } from "../../../src/actions/receipt/receipt-keys.ts";
import { verifyReceipts } from "../../../src/actions/receipt/verify-receipt.ts";
import type { Scope } from "../../../src/domain/scope.ts";
import { missingPython } from "../../clients/subject.ts";
import { inGuide } from "../../receipt/proof-scene.ts";
import { type Customer, fetchToken } from "../../support/customer.ts";
import type { Reply } from "../../support/http-client.ts";
import { startScene, typeNamed } from "../../contract/scene.ts";

const scene = await startScene();
const { service } = scene;
const customer = await scene.makeCustomer();
after(() => scene.stop());

const hasPython = (await missingPython()) === undefined;
const person = typeNamed("person");
const path = "/v2/recipient";

type Asking = Pick<Customer, "token">;

function ask({ token }: Asking, method: string, body?: object): Promise<Reply> {
  return service.client.send({ method, path, token, ...(body && { body }) });
}

function acknowledge(by: Asking, name: string, offset: string): Promise<Reply> {
  const body = { name, offset };
  const { token } = by;
  return service.client.send({ method: "POST", path: `${path}_acknowledgement`, token, body });
}

async function withScopes(...scopes: readonly Scope[]): Promise<Asking> {
  return { token: await fetchToken(service.client, customer, { scopes }) };
}

async function readOffset(by: Asking, offset = "-1"): Promise<string> {
  const query = { offset };
  const { token } = by;
  const reply = await service.client.send({ method: "GET", path: "/v2/changes", query, token });
  return String(reply.headers["stream-next-offset"]);
}

interface Event {
  readonly type: string;
  readonly subject: string;
  readonly data?: unknown;
}

async function readEvents({ token }: Asking, offset: string): Promise<readonly Event[]> {
  const query = { offset };
  const reply = await service.client.send({ method: "GET", path: "/v2/changes", query, token });
  return JSON.parse(reply.text) as readonly Event[];
}

type Told = Readonly<Record<string, string>>;

async function informedOf({ token }: Asking, id: string): Promise<readonly Told[]> {
  const at = "/v2/deletion_request";
  const query = { deletion_request_id: id };
  const reply = await service.client.send({ method: "GET", path: at, query, token });
  return (reply.body as unknown as { recipients?: readonly Told[] }).recipients ?? [];
}

/** Once all have acknowledged, the status has a statement that the verifier and the program of the guide accept. */
async function requireStatement({ token }: Asking, id: string): Promise<void> {
  const at = "/v2/deletion_request";
  const query = { deletion_request_id: id };
  const reply = await service.client.send({ method: "GET", path: at, query, token });
  const status = reply.body as unknown as Record<string, object>;
  const { statement, receipt, recipients } = status;
  const keys = await publishReceiptKeys(service.app);
  const faultsOf = (value: unknown) => verifyReceipts([receipt, value], keys)[1]?.faults;
  assert.deepEqual(faultsOf(statement), []);
  const forged = { ...statement, recipients: [] };
  assert.match(faultsOf(forged)?.join() ?? "", /no valid signature/);
  if (!hasPython) return;
  const inFile = (name: string, value: unknown) => {
    const file = join(service.folder, name);
    writeFileSync(file, JSON.stringify(value));
    return file;
  };
  const verify = (value: unknown) =>
    inGuide(inFile("keys.json", keys), inFile("statement.json", value));
  assert.match(await verify(statement), /^0 Everything is genuine/);
  assert.match(await verify(forged), /receipt 1: changed/);
  assert.match(await verify(status), /^0 Everything is genuine/);
  const [first = {}, ...others] = recipients as readonly object[];
  const renamed = { ...status, recipients: [{ ...first, name: "other" }, ...others] };
  assert.match(await verify(renamed), /the statement is of other recipients/);
  assert.match(await verify({ ...status, statement: forged }), /the statement: changed/);
}

/** Erases the transaction, and returns the id of the deletion. */
async function erase(owner: Customer, id: unknown): Promise<string> {
  const body = { tx_id: id, reason: "a test" };
  const reply = await scene.ask(owner, { method: "DELETE", path: "/v2/transaction", body });
  const deletion = reply.body.deletion_request_id ?? "";
  await scene.completed(owner, deletion);
  return deletion;
}

function fieldOf(reply: Reply): string | undefined {
  assert.equal(reply.status, 400, reply.text);
  return reply.body.errors?.[0]?.field;
}

describe("a recipient", () => {
  it("takes by default all that its token may read", async () => {
    const few = await withScopes("changes:read", "person:read", "company:write");
    const reply = await ask(few, "POST", { name: "few" });
    assert.deepEqual((reply.body as { types?: unknown }).types, ["person", "company"]);
    const none = await withScopes("changes:read");
    assert.equal((await ask(none, "POST", { name: "none" })).status, 403);
  });

  it("can only be registered, acknowledged for and removed with the scopes of its types", async () => {
    const types = ["customer_sar", "person"];
    assert.equal((await ask(customer, "POST", { name: "reports", types })).status, 200);
    const other = await withScopes("changes:read", "person:read");
    const offset = await readOffset(other);
    const refused = [
      await ask(other, "POST", { name: "more", types }),
      await acknowledge(other, "reports", offset),
      await ask(other, "DELETE", { name: "reports" }),
    ];
    for (const reply of refused) {
      assert.equal(reply.status, 403, reply.text);
      assert.match(reply.body.message ?? "", /customer_sar:read/);
    }
    const unscoped = await withScopes("person:read");
    assert.equal((await ask(unscoped, "GET")).status, 403);
  });

  it("keeps what it has acknowledged, which never goes back", async () => {
    const early = await readOffset(customer);
    await scene.addRecord(customer, person);
    const late = await readOffset(customer);
    await ask(customer, "POST", { name: "steady" });
    for (const offset of [late, late]) {
      const reply = await acknowledge(customer, "steady", offset);
      assert.equal(reply.status, 200, reply.text);
    }
    assert.equal(fieldOf(await acknowledge(customer, "steady", early)), "offset");
    const query = { name: "steady" };
    const { token } = customer;
    const reply = await service.client.send({ method: "GET", path, query, token });
    const { recipients } = reply.body as unknown as {
      recipients: readonly { acknowledged_offset: string }[];
    };
    assert.deepEqual(
      recipients.map(({ acknowledged_offset: offset }) => offset),
      [late],
    );
  });

  it("is at the same place for a caller who may not read what is in between", async () => {
    const owner = await scene.makeCustomer();
    const scopes: readonly Scope[] = ["changes:read", "person:read"];
    const caller = { token: await fetchToken(service.client, owner, { scopes }) };
    await scene.addRecord(owner, person);
    await ask(caller, "POST", { name: "copies" });
    const shown: string[] = [];
    for (const hidden of [0, 3]) {
      const first = await readOffset(caller, "now");
      for (let count = 0; count < hidden; count += 1) {
        await scene.addRecord(owner, typeNamed("customer_sar"));
      }
      const second = await readOffset(caller, "now");
      for (const offset of [first, second, first, second]) {
        service.clock.advanceMs(1_000);
        const { status, body } = await acknowledge(caller, "copies", offset);
        const { acknowledged_offset: acknowledged, acknowledged_at: at } = body as unknown as Told;
        const age = service.clock.now() - Date.parse(at ?? "");
        shown.push(`${hidden} ${status} ${acknowledged === offset} ${age}`);
      }
    }
    assert.deepEqual(new Set(shown), new Set(["0 200 true 0", "3 200 true 0"]));
    const before = await readOffset(caller, "now");
    await scene.addRecord(owner, person);
    assert.equal((await acknowledge(caller, "copies", await readOffset(caller))).status, 200);
    assert.equal(fieldOf(await acknowledge(caller, "copies", before)), "offset");
  });

  it("hides where it is from those who may not read all that it takes", async () => {
    const owner = await scene.makeCustomer();
    await ask(owner, "POST", { name: "reports", types: ["customer_sar", "person"] });
    await acknowledge(owner, "reports", await readOffset(owner));
    const scopes: readonly Scope[] = ["changes:read", "person:read"];
    const other = { token: await fetchToken(service.client, owner, { scopes }) };
    const seen = async (by: Asking) => {
      const { body } = await ask(by, "GET");
      const [only] = (body as unknown as { recipients: readonly object[] }).recipients;
      return Object.keys(only ?? {});
    };
    assert.deepEqual(await seen(other), ["name", "types", "created_at"]);
    assert.deepEqual((await seen(owner)).slice(3), ["acknowledged_offset", "acknowledged_at"]);
  });

  it("learns from the feed what was erased, as everybody who may read the type does", async () => {
    const owner = await scene.makeCustomer();
    await ask(owner, "POST", { name: "copies", types: ["transaction", "transaction_check"] });
    const record = await scene.addRecord(owner, typeNamed("transaction"));
    const from = await readOffset(owner);
    const id = await erase(owner, record["tx_id"]);
    const events = await readEvents(owner, from);
    const erased = { data: { resource_type: "transaction", deletion_request_id: id } };
    assert.deepEqual(events.map(({ type, subject }) => `${type} ${subject}`).toSorted(), [
      `sluice.deletion.completed ${id}`,
      `sluice.record.erased ${String(record["tx_id"])}`,
    ]);
    const mine = events.find(({ subject }) => subject === record["tx_id"]);
    assert.deepEqual({ data: mine?.data }, erased);
    const before = await informedOf(owner, id);
    assert.deepEqual(Object.keys(before[0] ?? {}), ["name", "told_at"]);
    await acknowledge(owner, "copies", await readOffset(owner, from));
    const [{ acknowledged_at: at, ...rest } = {}, ...others] = await informedOf(owner, id);
    assert.deepEqual([rest, others], [before[0], []]);
    assert.ok(at !== undefined);
    await requireStatement(owner, id);
    const scopes: readonly Scope[] = ["changes:read", "person:read"];
    const other = { token: await fetchToken(service.client, owner, { scopes }) };
    assert.deepEqual(await readEvents(other, "-1"), []);
  });

  it("is not named to those who may not know of what it was told", async () => {
    const owner = await scene.makeCustomer();
    const types = ["transaction_suspicious_activity"];
    await ask(owner, "POST", { name: "reports", types });
    const { tx_id: about } = await scene.addRecord(owner, typeNamed("transaction"));
    const related = { related_tx_ids: [String(about)], related_alert_id: undefined };
    await scene.addRecord(owner, typeNamed("transaction_suspicious_activity"), related);
    const id = await erase(owner, about);
    const namesFor = async (by: Asking) => (await informedOf(by, id)).map(({ name }) => name);
    assert.deepEqual(await namesFor(owner), ["reports"]);
    const scopes: readonly Scope[] = ["transactions:delete"];
    const other = { token: await fetchToken(service.client, owner, { scopes }) };
    assert.deepEqual(await namesFor(other), []);
  });

  it("is told which field is wrong", async () => {
    const neighbour = await scene.makeCustomer();
    const foreign = await readOffset(neighbour);
    await ask(customer, "POST", { name: "checked" });
    for (const offset of ["-1", "now", foreign, "x".repeat(51)]) {
      assert.equal(fieldOf(await acknowledge(customer, "checked", offset)), "offset");
    }
    for (const name of ["", "-a", "a b", "é", "a".repeat(65), 7]) {
      assert.equal(fieldOf(await ask(customer, "POST", { name })), "name");
    }
    const unknown = await ask(customer, "POST", { name: "x", types: ["persons"] });
    assert.equal(fieldOf(unknown), "types[0]");
    assert.match(unknown.body.errors?.[0]?.message ?? "", /person/);
    assert.equal(fieldOf(await ask(customer, "POST", { name: "x", types: [] })), "types");
    assert.equal(fieldOf(await ask(customer, "POST", { name: "x", colour: "red" })), "colour");
  });
});
