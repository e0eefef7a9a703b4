// The deletions in the console: what each role sees of them, filters, parts, cancelling, and receipts.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeletionPreview } from "../../src/actions/deletion/preview-deletion.ts";
import { renderPreview } from "../../src/console/page/deletion-preview.ts";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { findActiveOperator } from "../../src/actions/operator/operators.ts";
import { readDeletionDetails } from "../../src/actions/deletion/show-deletion.ts";
import { actAs } from "../../src/actions/operator/viewer.ts";
import { holdRecord, releaseHold } from "../../src/actions/retention/holds.ts";
import { requestDeletionOf } from "../../src/actions/deletion/request-as-operator.ts";
import { draftOf } from "../conformance/scene.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { StoreFaults } from "../support/store-faults.ts";
import { waitFor } from "../support/wait-for.ts";
import { read, submit } from "./browse.ts";
import { type TestStore, withActs } from "../support/test-store.ts";
import { eachRole, signInPeople } from "./people.ts";

const nasty = `</td><script>alert("1")</script>`;
const timestamp = "2026-01-31T09:30:00Z";

describe("the deletions in the console", () => {
  let acme: Customer;
  const site = signInPeople(eachRole(["viewer", "operator", "officer", "auditor"]), {
    prepare: async ({ app, client }) => {
      acme = await makeCustomer(app, client);
      const person = { is_test_user: false, is_retail_customer: true, timestamp };
      for (const id of ["done", "kept", ...Array.from({ length: 60 }, (_, index) => `p${index}`)]) {
        await send("/v2/person", { person_id: id, ...person });
      }
      const sar = { status: "FILED", timestamp, related_person_id: "kept" };
      await send("/v2/customer_sar", { sar_id: "secret-sar", ...sar });
      ids["done"] = await request("person", "done");
      await waitFor("the deletion", async () => {
        const { status } =
          (await site.service.app.store.findDeletion(ids["done"] ?? "", undefined)) ?? {};
        return status === "completed";
      });
      await changeOrganization(site.service.app, acme.organizationId, {
        deletionGraceSeconds: 86_400,
      });
      for (let index = 0; index < 60; index += 1) await request("person", `p${index}`, nasty);
      ids["sar"] = await request("customer_sar", "secret-sar");
      ids["kept"] = await request("person", "kept");
    },
  });
  const { cookies } = site;
  const ids: Record<string, string> = {};

  async function send(path: string, body: object): Promise<void> {
    const { token } = acme;
    const { status, text } = await site.service.client.send({ method: "POST", path, token, body });
    assert.equal(status, 201, text);
  }

  async function request(resourceType: string, resourceId: string, reason = "r"): Promise<string> {
    site.service.clock.advanceMs(1);
    const { organizationId } = acme;
    const wanted = { organizationId, resourceType, resourceId, reason };
    return (await requestDeletionOf(site.service.app, wanted)).deletionRequestId;
  }

  const list = async (role: string, query = "") =>
    (await read(site.service.client, `/console/deletions${query}`, { cookie: cookies[role] })).text;
  const show = (role: string, id = "") =>
    read(site.service.client, `/console/deletion/${id}`, { cookie: cookies[role] });

  it("can be sorted by when they are due, in parts of fifty", async () => {
    const first = await list("viewer", "?sort=due&status=pending");
    const next = /href="\/console\/deletions\?([^"]+)">Deletions due later/.exec(first)?.[1] ?? "";
    const second = await list("viewer", `?${next.replaceAll("&amp;", "&")}`);
    assert.deepEqual([idsIn(first).length, idsIn(second).length], [50, 11]);
    assert.equal(new Set([...idsIn(first), ...idsIn(second)]).size, 61);
    const due = /data-label="Due"><time class="ago" datetime="([^"]+)"/g;
    const times = [...`${first}${second}`.matchAll(due)].map(([, time = ""]) => time);
    assert.equal(times.length, 61);
    assert.deepEqual(times, times.toSorted());
    assert.doesNotMatch(second, /Deletions due later/);
  });

  it("are listed in parts of fifty, newest first, each with what it waits for", async () => {
    const first = await list("viewer");
    assert.ok(Buffer.byteLength(first) < 60_000, `${Buffer.byteLength(first)} bytes`);
    assert.match(first, /its grace period/);
    assert.equal(first.match(/>Older deletions</g)?.length, 2);
    const next = /href="\/console\/deletions\?(before=[^"]+)"/.exec(first)?.[1] ?? "";
    const second = await list("viewer", `?${next}`);
    const all = [...idsIn(first), ...idsIn(second)];
    assert.equal(all.length, 62);
    assert.equal(new Set(all).size, 62);
    assert.equal(all[0], ids["kept"]);
    assert.equal(all.at(-1), ids["done"]);
  });

  it("are filtered by organization, status and what they wait for", async () => {
    assert.deepEqual(idsIn(await list("viewer", "?status=completed")), [ids["done"]]);
    assert.deepEqual(idsIn(await list("viewer", "?organization=none")), []);
    const both = `?organization=${acme.organizationId}&status=completed`;
    assert.deepEqual(idsIn(await list("viewer", both)), [ids["done"]]);
    assert.equal(idsIn(await list("viewer", "?wait=grace")).length, 50);
    assert.match(await list("viewer", "?wait=floor"), /There is no such deletion/);
  });

  it("show no trace of confidential types to those who may not know of them", async () => {
    for (const role of ["viewer", "operator"]) {
      const pages = [await list(role), (await show(role, ids["kept"])).text];
      for (const text of pages)
        assert.doesNotMatch(text.replaceAll(/\bdel_\w+/g, ""), /sar/i, role);
      const { status } = await show(role, ids["sar"]);
      assert.equal(status, 404, role);
      const overview = await read(site.service.client, "/console", { cookie: cookies[role] });
      assert.doesNotMatch(overview.text, /sar\b|suspicious/i, role);
      assert.match(overview.text, /<dd><a [^>]*>61<\/a><\/dd>/);
    }
    assert.doesNotMatch((await site.show("operator", "health")).text, /sar\b|suspicious/i);
    const health = (await site.show("auditor", "health")).text;
    assert.match(health, /are not counted: [^.]*Customer SAR/);
    for (const role of ["officer", "auditor"]) {
      assert.ok((await list(role)).includes("secret-sar"), role);
      assert.equal((await show(role, ids["sar"])).status, 200);
    }
  });

  it("are explained one by one without a look at other organizations", async () => {
    const faults = new StoreFaults();
    const store = faults.wrap(site.service.app.store);
    faults.break("listOrganizations", new Error("all were read"));
    const viewer = await store.operators.findByName("viewer");
    assert.ok(viewer !== undefined);
    const app = actAs({ ...site.service.app, store }, viewer);
    const { waitsFor } = await readDeletionDetails(app, ids["kept"] ?? "");
    assert.match(waitsFor ?? "", /its grace period, until/);
  });

  it("show what was stored as text, whatever it contains", async () => {
    const [, second = ""] = idsIn(await list("viewer"));
    const { text } = await show("viewer", second);
    assert.doesNotMatch(text, /<script>alert/);
    assert.match(text, /&lt;script&gt;alert\(&quot;1&quot;\)/);
  });

  it("show the course of a completed one, and whether its receipt is genuine", async () => {
    const { text } = await show("viewer", ids["done"]);
    assert.match(text, /completed: a verification pass found nothing left/);
    assert.match(text, /processing began; 1 attempt so far/);
    assert.match(text, /<title>Erasure and verification: 20/);
    assert.doesNotMatch(text, /class="now"|<dt>Waits for|next attempt/);
    assert.match(text, /The receipt is genuine/);
    const receipt = (role: string) =>
      read(site.service.client, `/console/receipt/${ids["done"]}`, { cookie: cookies[role] });
    for (const role of ["auditor", "viewer"]) {
      assert.equal((await receipt(role)).body.deletion_request_id, ids["done"]);
    }
    const open = `/console/receipt/${ids["kept"]}`;
    assert.equal(
      (await read(site.service.client, open, { cookie: cookies["auditor"] })).status,
      404,
    );
  });

  it("show what they would erase, what stays, and the holds that prevent it", async () => {
    const { organizationId } = acme;
    const held = { organizationId, resourceType: "person", resourceId: "kept" };
    const { holdId } = await holdRecord(site.service.app, held, { reason: "court order 5" });
    const text = (await show("officer", ids["kept"])).text;
    assert.match(text, /Erased: 2</);
    assert.match(text, /Person <bdi>kept<\/bdi> is on hold: <bdi>court order 5<\/bdi>/);
    assert.match(text, /Customer SAR <bdi>secret-sar/);
    const seen = (await show("viewer", ids["kept"])).text;
    assert.match(seen, /Erased: 1</);
    for (const page of [text, seen]) {
      assert.match(page, /<title>Grace period: 20[^<]*<\/title>/);
      assert.match(page, /<title>Legal holds: 20[^<]* to an open end<\/title>/);
    }
    await releaseHold(site.service.app, { holdId });
    const report = { organizationId, resourceType: "customer_sar", resourceId: "secret-sar" };
    const { holdId: delaysNothing } = await holdRecord(site.service.app, report, { reason: "r" });
    assert.doesNotMatch((await show("officer", ids["kept"])).text, /is on hold|Legal holds/);
    await releaseHold(site.service.app, { holdId: delaysNothing });
  });

  it("name the operator who asked, whom the organization does not see", async () => {
    const { app, client } = site.service;
    const customer = await makeCustomer(app, client, { organizationId: "asking" });
    const key = { organizationId: "asking", resourceType: "transaction", resourceId: "asked" };
    await withActs(app.store).write(draftOf("transaction", "asked"), key);
    const officer = actAs(app, await findActiveOperator(app, "officer"));
    const { deletionRequestId: id } = await requestDeletionOf(officer, { ...key, reason: "r" });
    await waitFor("the deletion", async () => {
      return (await app.store.findDeletion(id, undefined))?.status === "completed";
    });
    const path = "/v2/deletion_request";
    const query = { deletion_request_id: id };
    const own = await client.send({ method: "GET", path, query, token: customer.token });
    assert.equal(own.status, 200);
    assert.doesNotMatch(own.text, /officer/);
    for (const page of [`deletion/${id}`, "deletions?organization=asking", "erasures"]) {
      assert.match((await site.show("viewer", page)).text, /<bdi>officer<\/bdi>/, page);
    }
  });

  it("are cancelled by those who may, once the id is typed", async () => {
    const id = ids["kept"] ?? "";
    const cancel = async (role: string, confirm: string) => {
      const sent = { cookie: cookies[role], form: { confirm } };
      return (await submit(site.service.client, `/console/deletion/${id}`, sent)).status;
    };
    assert.doesNotMatch((await show("auditor", id)).text, /Cancel the deletion/);
    assert.equal(await cancel("auditor", id), 403);
    assert.match((await show("officer", id)).text, /Cancel the deletion/);
    assert.equal(await cancel("officer", "del_other"), 409);
    assert.equal((await site.service.app.store.findDeletion(id, undefined))?.status, "pending");
    assert.equal(await cancel("officer", id), 303);
    assert.equal((await site.service.app.store.findDeletion(id, undefined))?.status, "cancelled");
    assert.equal(await cancel("officer", id), 409);
    const entry = (await site.service.app.store.listAudit(0, 1_000)).findLast(
      ({ action }) => action === "deletion.cancel",
    );
    assert.deepEqual([entry?.actor, entry?.subject], ["officer", id]);
  });

  it("count the transactions that get a pseudonym, as far as they were examined", async () => {
    const { organizationId } = await makeCustomer(site.service.app, site.service.client, {
      organizationId: "many-transactions",
    });
    await changeOrganization(site.service.app, organizationId, { deletionGraceSeconds: 86_400 });
    const add = (resourceType: string, drafts: Parameters<TestStore["write"]>[0]) =>
      withActs(site.service.app.store).write(drafts, { organizationId, resourceType });
    await add("person", draftOf("person", "payer", { timestamp }));
    const naming = (id: string) =>
      draftOf("transaction", id, { timestamp, sender_id: "payer", sender_country: "DE" });
    await add("transaction", ["1", "2", "3"].map(naming));
    const wanted = { organizationId, resourceType: "person", resourceId: "payer", reason: "r" };
    const { deletionRequestId } = await requestDeletionOf(site.service.app, wanted);
    const { text } = await show("viewer", deletionRequestId);
    assert.match(text, /with a pseudonym for the person: 3</);
    // A hold on a transaction that would be changed prevents the deletion too.
    const changed = { organizationId, resourceType: "transaction", resourceId: "2" };
    await holdRecord(site.service.app, changed, { reason: "court order 6" });
    const { text: held } = await show("viewer", deletionRequestId);
    assert.match(held, /Transaction <bdi>2<\/bdi> is on hold: <bdi>court order 6<\/bdi>/);
    assert.match(held, /Its grace period lasts until/);
    const kept = /Transaction has to be kept for 400 days\s+from when it was last seen/;
    for (const redactable of [true, false]) {
      const rule = { keepDays: 400, countedFrom: "last_seen", redactable } as const;
      const change = { organizationId, resourceType: "transaction", rule };
      await site.service.app.store.retention.setFloor(change, { actor: "officer", now: 1 });
      const { text: ruled } = await show("viewer", deletionRequestId);
      assert.equal(kept.test(ruled), !redactable);
    }
  });
});

describe("the preview of a deletion", () => {
  const site = signInPeople(eachRole(["operator"]));

  it("is of a part of what names a person, and of all if one asks for it", async () => {
    const { app, client } = site.service;
    const { organizationId, token } = await makeCustomer(app, client);
    const send = (path: string, body: object) => client.send({ method: "POST", path, token, body });
    const person = { is_test_user: false, is_retail_customer: true, timestamp };
    await send("/v2/person", { person_id: "p", ...person });
    const paid = { type: "DEPOSIT", method: "SEPA", amount: 1, currency: "EUR", status: "SETTLED" };
    for (const list of ["a", "b"]) {
      const body = Array.from({ length: 600 }, (_, no) => {
        const tx = { tx_id: `${list}${no}`, ...paid, timestamp };
        return { ...tx, sender_id: "p", sender_country: "DE" };
      });
      assert.equal((await send("/v2/transactions/batch", body)).status, 200);
    }
    while (await app.store.parties.index((await app.store.settledArrival()).settled));
    const wanted = { organizationId, resourceType: "person", resourceId: "p", reason: "r" };
    await changeOrganization(app, organizationId, { deletionGraceSeconds: 86_400 });
    const { deletionRequestId } = await requestDeletionOf(app, wanted);
    const query = `organization=${organizationId}&type=person&id=p`;
    for (const path of [`/deletion/${deletionRequestId}`, `/record/deletion?${query}`]) {
      const show = async (from: string) => {
        const page = await read(client, from, { cookie: site.cookies["operator"] });
        const [, count] = /pseudonym for the person: ([^<]+)</.exec(page.text) ?? [];
        const [, whole = ""] = /href="([^"]+)">Read all of it/.exec(page.text) ?? [];
        return [count, whole.replaceAll("&amp;", "&")] as const;
      };
      const [some, whole] = await show(`/console${path}`);
      assert.deepEqual([some, ...(await show(whole))], ["at least 100", "1,200", ""], path);
    }
  });

  it("says of a second request who made the first, and that nothing of it was stored", async () => {
    const { app, client, clock } = site.service;
    const { organizationId, token } = await makeCustomer(app, client, {
      deletionGraceSeconds: 86_400,
    });
    const body = { person_id: "p", is_test_user: false, is_retail_customer: true, timestamp };
    await client.send({ method: "POST", path: "/v2/person", token, body });
    const at = new Date(clock.now()).toISOString().slice(0, 16).replace("T", " ");
    const key = { organization: organizationId, type: "person", id: "p", confirm: "p" };
    const first = await site.send("operator", "record/deletion", { ...key, reason: "one" });
    assert.equal(first.status, 303);
    clock.advanceMs(60_000);
    const second = await site.send("operator", "record/deletion", { ...key, reason: "two" });
    assert.equal(second.status, 409);
    const said = /role="alert"[^>]*>([^<]+)</.exec(second.text)?.[1];
    assert.equal(
      said,
      `A deletion of this record is open already: operator requested it on ${at} UTC. ` +
        "The reason and the basis that were given now were not stored.",
    );
    assert.ok(second.text.includes(`href="${String(first.headers.location)}"`));
    assert.doesNotMatch(second.text, /<button[^>]*>Request the deletion/);
  });

  it("claims nothing about what was not read", () => {
    const preview: DeletionPreview = {
      erased: [{ type: "company", id: "c" }],
      redacted: [],
      restriction: { moved: [], reports: [], until: undefined, isHeld: false },
      pseudonyms: 3,
      heldRecords: 0,
      holds: [],
      floors: [],
      earliest: 0,
      isCut: true,
    };
    const subject = { resourceType: "company" };
    const render = (isCut: boolean) =>
      renderPreview(subject, { ...preview, isCut }, { needsApproval: false, whole: "/all" }).text;
    const text = render(true);
    assert.match(text, /Not everything was read.+Erased: at least 1<.+company: at least 3</s);
    assert.doesNotMatch(text, />nothing</);
    assert.match(text, /<a href="\/all">Read all of it</);
    assert.match(render(false), />nothing<.+Erased: 1<.+company: 3</s);
    assert.doesNotMatch(render(false), /Read all/);
  });
});

function idsIn(text: string): readonly (string | undefined)[] {
  return [...text.matchAll(/<a href="\/console\/deletion\/(del_\w+)"/g)].map(([, id]) => id);
}
