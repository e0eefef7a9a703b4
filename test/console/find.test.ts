// Finding records in the console: what each role sees of one, hidden content, and what can be done from there.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { requestDeletionOf } from "../../src/actions/deletion/request-as-operator.ts";
import { operatorRoles } from "../../src/domain/operator.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { waitFor } from "../support/wait-for.ts";
import { read, submit } from "./browse.ts";
import { makeNastyRecord, nasty } from "./nasty-record.ts";
import { eachRole, signInPeople } from "./people.ts";

const timestamp = "2026-01-31T09:30:00Z";
const early = "2026-01-01T00:00:00Z";
const later = "2026-02-01T08:00:00Z";

const screening = {
  screening_id: "s1",
  type: "AML",
  outcome: "SCREENED",
  provider: "p",
  lists: [],
  timestamp,
};

const key = (type: string, id: string) => ({ type, id });

describe("finding records in the console", () => {
  let acme: Customer;
  const site = signInPeople(eachRole(operatorRoles), {
    prepare: async ({ app, client }) => {
      acme = await makeCustomer(app, client);
      const flags = { is_test_user: false, is_retail_customer: true };
      await send("POST", "company", { company_id: "c1", is_test_company: false, timestamp });
      for (let index = 0; index < 25; index += 1) {
        const related = { related_company_id: "c1", timestamp };
        await send("POST", "person", { person_id: `p${index}`, ...flags, ...related });
      }
      const ada = { person_id: "ada", first_name: "Ada", email: "ada@example.org" };
      await send("POST", "person", { ...ada, ...flags, timestamp });
      await send("PUT", "person", {
        person_id: "ada",
        email: null,
        occupation: "spy",
        timestamp: later,
      });
      await send("PUT", "person", { person_id: "ada", first_name: "Eda", timestamp: early });
      const payment = {
        type: "DEPOSIT",
        method: "SEPA",
        amount: 5,
        currency: "EUR",
        status: "PENDING",
      };
      const sender = { sender_id: "ada", sender_country: "DE", timestamp };
      await send("POST", "transaction", { tx_id: "tx-1", ...payment, ...sender });
      await changeOrganization(site.service.app, acme.organizationId, {
        deletionGraceSeconds: 86_400,
      });
    },
  });
  const { cookies } = site;

  async function send(method: string, type: string, body: object): Promise<void> {
    const { token } = acme;
    const { status, text } = await site.service.client.send({
      method,
      path: `/v2/${type}`,
      token,
      body,
    });
    assert.ok(status < 300, text);
  }

  const get = async (role: string, path: string) => {
    const reply = await read(site.service.client, path, { cookie: cookies[role] });
    assert.ok(Buffer.byteLength(reply.text) < 60_000, `${reply.text.length} bytes`);
    return reply;
  };
  const queryOf = (type: string, id: string, more = {}) =>
    new URLSearchParams({ organization: acme.organizationId, type, id, ...more }).toString();
  const show = async (role: string, type: string, id: string) =>
    (await get(role, `/console/record?${queryOf(type, id)}`)).text;
  const post = (role: string, path: string, form: Record<string, string>) =>
    submit(site.service.client, path, {
      cookie: cookies[role],
      form: { organization: acme.organizationId, ...form },
    });
  const auditOf = async (action: string) =>
    (await site.service.app.store.listAudit(0, 1_000)).filter((entry) => entry.action === action);

  /** The content, after a reason was given. */
  async function reveal(role: string, type: string, id: string): Promise<string> {
    const form = { ...key(type, id), reason: "request 12 of the authority" };
    const reply = await post(role, "/console/record/reading", form);
    assert.equal(reply.status, 303, reply.text);
    return String(reply.headers.location);
  }

  it("answers by id, with and without a type, and says where there is none", async () => {
    const all = (await get("viewer", `/console/find?${queryOf("", "ada")}`)).text;
    assert.match(all, /Person <a href="[^"]*type=person&amp;id=ada"><bdi>ada/);
    const none = (await get("viewer", `/console/find?${queryOf("person", "ADA")}`)).text;
    assert.match(none, /There is no record with this id/);
    assert.match(none, /No record refers to it/);
    assert.equal((await get("viewer", `/console/record?${queryOf("person", "ADA")}`)).status, 404);
    const elsewhere = "/console/find?organization=none&type=person&id=ada";
    assert.equal((await get("viewer", elsewhere)).status, 404);
    for (const id of ["%00", "x".repeat(257)]) {
      const bad = `/console/find?organization=${acme.organizationId}&type=person&id=${id}`;
      assert.equal((await get("viewer", bad)).status, 400);
      assert.equal((await get("viewer", `/console/find?organization=${id}&id=a`)).status, 400);
    }
    assert.equal((await get("viewer", `/console/find?${queryOf("persons", "ada")}`)).status, 404);
  });

  it("lists what refers to a record in parts, and transactions that name a person", async () => {
    const record = await show("viewer", "company", "c1");
    assert.equal([...record.matchAll(/<li>mentions: Person/g)].length, 10);
    assert.match(record, /There are more than are listed/);
    const found = (await get("viewer", `/console/find?${queryOf("company", "c1")}`)).text;
    assert.equal([...found.matchAll(/<bdi>p\d+</g)].length, 25);
    const rest = queryOf("company", "c1", { of: "person", after: "p8" });
    assert.equal(
      [...(await get("viewer", `/console/find?${rest}`)).text.matchAll(/<bdi>p9</g)].length,
      1,
    );
    await send("POST", "screening", { ...screening, related_company_id: "unknown" });
    const unknown = (await get("viewer", `/console/find?${queryOf("company", "unknown")}`)).text;
    assert.match(unknown, /Screening <a href="[^"]+"><bdi>s1/);
    const named = `/console/find?${queryOf("person", "ada", { of: "named" })}`;
    const text = (await get("viewer", named)).text;
    assert.match(text, /Transaction <a href="[^"]+"><bdi>tx-1/);
    assert.doesNotMatch(text, /There are more/);
  });

  it("shows a record without its content, which is not in the page at all", async () => {
    for (const role of operatorRoles) {
      const text = await show(role, "person", "ada");
      assert.doesNotMatch(text, /Eda|ada@example|spy/, role);
      assert.match(text, /title="occupation">Occupation<\/span> set/);
      assert.match(text, /title="email">Email<\/span> cleared/);
      assert.match(text, /datetime="2026-02-01T08:00:00.000Z"/);
      assert.equal(text.includes("Show the content"), role === "officer", role);
    }
  });

  it("reveals the content to those who may read it, with a reason, once", async () => {
    const entries = (await auditOf("record.show")).length;
    const form = key("person", "ada");
    for (const role of ["viewer", "operator", "auditor"]) {
      const refused = await post(role, "/console/record/reading", { ...form, reason: "r" });
      assert.equal(refused.status, 403, role);
    }
    for (const reason of ["", " ", "a\u0000b", "r".repeat(1_025)]) {
      const refused = await post("officer", "/console/record/reading", { ...form, reason });
      assert.equal(refused.status, 400);
    }
    const missing = { ...key("person", "none"), reason: "r" };
    assert.equal((await post("officer", "/console/record/reading", missing)).status, 404);
    assert.equal((await auditOf("record.show")).length, entries);

    const page = await reveal("officer", "person", "ada");
    const entry = (await auditOf("record.show")).at(-1);
    assert.deepEqual([entry?.actor, entry?.organizationId], ["officer", acme.organizationId]);
    assert.match(entry?.subject ?? "", /^person sha256:[0-9a-f]{64}$/);
    assert.deepEqual(entry?.detail, { reason: "request 12 of the authority", transactions: 20 });
    assert.doesNotMatch((await get("auditor", page)).text, /Eda/);
    const other = page.replace("id=ada", "id=p1");
    assert.doesNotMatch((await get("officer", other)).text, /The content is shown once/);

    const { text } = await get("officer", page);
    assert.match(
      text,
      /<span title="first_name">First name<\/span><\/th>\s*<td><bdi class="value">Ada/,
    );
    const changed =
      />Email<\/span><\/th>\s*<td>cleared<\/td>\s*<td><bdi class="value">ada@example.org<\/bdi><\/td>\s*<td><small>no value/;
    assert.match(text, changed);
    assert.match(text, /It changed nothing/);
    const payment = /<time>2026-[\d-]*<\/time><\/td>.*<bdi>tx-1<\/bdi>.*>[\d.]+ EUR<\/td>/s;
    assert.match(text, payment);
    assert.doesNotMatch(await show("officer", "person", "ada"), payment);
    const transaction = (await get("officer", await reveal("officer", "transaction", "tx-1"))).text;
    assert.match(transaction, /Sender ID<\/span><\/th>\s*<td><a href="[^"]*id=ada"><bdi>ada</);
    const again = (await get("officer", page)).text;
    assert.doesNotMatch(again, /spy/);
    assert.match(again, /The content is hidden again/);
    const late = await reveal("officer", "person", "ada");
    site.service.clock.advanceMs(60_000);
    assert.doesNotMatch((await get("officer", late)).text, /spy/);
  });

  it("shows markup in every field of every type as text, hidden and revealed", async () => {
    for (const type of recordTypes) {
      await send("POST", type.resourceType, makeNastyRecord(type));
      const texts = [
        await show("officer", type.resourceType, nasty),
        (await get("officer", await reveal("officer", type.resourceType, nasty))).text,
        (await get("officer", `/console/find?${queryOf(type.resourceType, nasty)}`)).text,
      ];
      for (const text of texts) {
        assert.doesNotMatch(text, /<script>|<img|<\/textarea>/, type.resourceType);
        assert.match(text, /&lt;script&gt;alert/);
      }
      const [masked = ""] = texts;
      assert.match(masked, /<small>hidden<\/small>/);
    }
  });

  it("shows a long history in parts, with the latest state only if it has read all of it", async () => {
    assert.match(await show("officer", "company", "c1"), /Latest value/);
    const updates = Array.from({ length: 110 }, (_, index) => {
      return { company_id: "c1", legal_name: `n${index}`, timestamp: later };
    });
    await send("PUT", "company", updates);
    let path: string | undefined = `/console/record?${queryOf("company", "c1")}`;
    const parts: string[] = [];
    while (path !== undefined) {
      const { text } = await get("viewer", path);
      parts.push(text);
      const link = /href="(\/console\/record[^"]*before=[\da-f]{51})"/.exec(text)?.[1];
      path = link?.replaceAll("&amp;", "&");
    }
    const changes = parts.map(
      (text) => [...text.matchAll(/title="legal_name">Legal name<\/span> changed/g)].length,
    );
    assert.deepEqual(changes, [...Array.from({ length: 10 }, () => 10), 9, 0]);
    const long = parts.map((text) => text.includes("The history is long"));
    assert.deepEqual(long, [true, true, ...Array.from({ length: 10 }, () => false)]);
    assert.doesNotMatch(parts.join(""), /Latest value/);
    assert.match(parts.at(-1) ?? "", /title="is_test_company">[^<]*<\/span> set/);
  });

  it("cuts long values, so that a page stays small", async () => {
    const value = "'".repeat(1_024);
    const long = ["legal_name", "trading_name", "email", "type", "industry"];
    const fields = Object.fromEntries(long.map((name) => [name, value]));
    await send("POST", "company", {
      company_id: "c2",
      is_test_company: false,
      timestamp,
      ...fields,
    });
    const { text } = await get("officer", await reveal("officer", "company", "c2"));
    assert.match(text, /of 1,024 characters/);
    assert.match(text, /npx sluice record show/);
  });

  it("requests a deletion with a reason, once the id is typed", async () => {
    const path = "/console/record/deletion";
    const form = { ...key("person", "p1"), reason: "asked by the customer" };
    const page = (await get("operator", `${path}?${queryOf("person", "p1")}`)).text;
    assert.match(page, /Erased: 1</);
    assert.match(page, /after 1 day, and can be cancelled/);
    assert.match(page, /erased on <time [^>]+>[^<]+<\/time> at the earliest[^]+<button/);
    assert.equal((await get("viewer", `${path}?${queryOf("person", "p1")}`)).status, 403);
    assert.equal((await post("viewer", path, { ...form, confirm: "p1" })).status, 403);
    assert.equal((await post("operator", path, { ...form, confirm: "p2" })).status, 409);
    assert.equal(
      (await post("operator", path, { ...form, reason: "", confirm: "p1" })).status,
      400,
    );
    assert.match(await show("operator", "person", "p1"), /No deletion is open/);
    const both = await Promise.all(
      ["operator", "officer"].map((role) => post(role, path, { ...form, confirm: "p1" })),
    );
    const [made, refused] = both.toSorted((one, other) => one.status - other.status);
    assert.deepEqual([made?.status, refused?.status], [303, 409]);
    const location = String(made?.headers.location);
    assert.ok(refused?.text.includes(`href="${location}"`));
    assert.ok((await show("viewer", "person", "p1")).includes(location));
    assert.equal((await auditOf("deletion.request")).length, 1);
  });

  it("leads from an erased record to its deletion and its receipt, by its id and by its old address", async () => {
    const { app } = site.service;
    const { organizationId } = acme;
    await changeOrganization(app, organizationId, { deletionGraceSeconds: 0 });
    const record = { organizationId, resourceType: "person", resourceId: "p2" };
    const { deletionRequestId: id } = await requestDeletionOf(app, { ...record, reason: "asked" });
    await waitFor("the deletion", async () => {
      return (await app.store.findDeletion(id, undefined))?.status === "completed";
    });
    const pages = [
      await get("viewer", `/console/find?${queryOf("", "p2")}`),
      await get("viewer", `/console/find?${queryOf("person", "p2")}`),
      await get("viewer", `/console/record?${queryOf("person", "p2")}`),
    ];
    assert.deepEqual(
      pages.map(({ status }) => status),
      [200, 200, 404],
    );
    for (const { text } of pages) {
      assert.match(text, new RegExp(`/console/deletion/${id}">Person <bdi>p2`));
      assert.match(text, new RegExp(`/console/receipt/${id}">receipt`));
    }
  });
});
