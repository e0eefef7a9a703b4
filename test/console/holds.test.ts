// Holds and retention in the console: lists and filters, placing and releasing, rules, and the preview of retention.
// That there is no trace of confidential reports is tested in test/disclosure.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { releaseHold } from "../../src/actions/retention/holds.ts";
import { operatorRoles } from "../../src/domain/operator.ts";
import { addTransaction } from "../cli/write-transactions.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { waitFor } from "../support/wait-for.ts";
import { read, submit } from "./browse.ts";
import { nasty } from "./nasty-record.ts";
import { eachRole, signInPeople } from "./people.ts";

const timestamp = "2025-01-31T09:30:00Z";
const recently = "2026-05-30T00:00:00Z";

describe("holds and retention in the console", () => {
  let acme: Customer;
  const site = signInPeople(eachRole(operatorRoles), {
    prepare: async ({ app, client }) => {
      acme = await makeCustomer(app, client, { organizationId: "acme" });
      for (const id of ["ada", "ben", "cleo"]) await send("person", { person_id: id, ...person });
      await send("person", { ...person, person_id: "new", timestamp: recently });
    },
  });
  const { cookies } = site;
  const person = { is_test_user: false, is_retail_customer: true, timestamp };

  async function send(type: string, body: object): Promise<void> {
    const { token } = acme;
    const path = `/v2/${type}`;
    const { status, text } = await site.service.client.send({ method: "POST", path, token, body });
    assert.equal(status, 201, text);
  }
  const get = (role: string, path: string) =>
    read(site.service.client, path, { cookie: cookies[role] });
  const post = async (role: string, path: string, form: Record<string, string>) =>
    (await submit(site.service.client, path, { cookie: cookies[role], form })).status;
  const place = (role: string, id: string, form: Record<string, string>) => {
    const key = { organization: acme.organizationId, type: "person", id };
    return post(role, "/console/record/hold", { ...key, ...form });
  };
  async function erase(id: string): Promise<string> {
    const form = { organization: "acme", type: "person", id, reason: "r", confirm: id };
    const sent = { cookie: cookies["officer"], form };
    const { headers } = await submit(site.service.client, "/console/record/deletion", sent);
    const deletion = String(headers.location).split("/").at(-1) ?? "";
    await waitFor("the deletion", async () => {
      const found = await site.service.app.store.findDeletion(deletion, undefined);
      return found?.status === "completed";
    });
    return deletion;
  }
  const list = async (role: string, query = "") => (await get(role, `/console/holds${query}`)).text;

  it("are placed by those who may, with a reason, an owner and a review date", async () => {
    assert.match(await list("viewer"), /There is no such hold/);
    const form = { reason: "court order 5", owner: "legal", review: "2026-05-31" };
    assert.equal(await place("officer", "ada", { ...form, reason: " " }), 400);
    assert.equal(await place("officer", "ada", { ...form, owner: "a\nb" }), 400);
    assert.equal(await place("officer", "ada", { ...form, review: "2026-02-30" }), 400);
    assert.equal(await place("officer", "nobody", form), 404);
    assert.deepEqual(
      await Promise.all([1, 2].map(() => place("officer", "ada", form))),
      [303, 303],
      "a double click places one hold",
    );
    assert.equal(await place("officer", "ben", { reason: nasty, review: "2026-06-01" }), 303);
    assert.equal(await place("officer", "cleo", { reason: "audit", owner: nasty }), 303);
    const record = await get("viewer", "/console/record?organization=acme&type=person&id=ada");
    assert.match(record.text, /<bdi>court order 5<\/bdi>/);
    const id = /href="(\/console\/hold\/[^"]+)"/.exec(record.text)?.[1] ?? "";
    assert.match((await get("viewer", id)).text, /Ends by itself after<\/dt>\s*<dd>–</);
  });

  it("are listed with filters in the address, and overdue reviews in words", async () => {
    const all = await list("viewer");
    assert.equal(holdsIn(all).length, 3);
    assert.match(all, /2026-05-31<\/time> <span class="chip bad">overdue/);
    assert.doesNotMatch(all, /2026-06-01<\/time> <span|<script>|<img/);
    assert.deepEqual(heldIn(await list("viewer", "?review=overdue")), ["ada"]);
    assert.match((await get("viewer", "/console")).text, /review is overdue<\/a>: 1</);
    assert.match((await get("viewer", "/console")).text, /reviewed this quarter<\/a>: 1</);
    assert.deepEqual(heldIn(await list("viewer", "?review=quarter")), ["ben"]);
    assert.deepEqual(heldIn(await list("viewer", "?review=ahead")), ["ben"]);
    assert.deepEqual(heldIn(await list("viewer", "?review=none")), ["cleo"]);
    assert.deepEqual(heldIn(await list("viewer", "?owner=legal&organization=acme")), ["ada"]);
    assert.deepEqual(heldIn(await list("viewer", "?organization=other")), []);
    assert.deepEqual(heldIn(await list("viewer", "?type=company")), []);
  });

  it("can end by themselves, which is shown before", async () => {
    const form = { reason: "request of the FIU" };
    assert.equal(await place("officer", "new", { ...form, until: "2020-01-01" }), 400);
    assert.equal(await place("officer", "new", { ...form, until: "2026-06-20" }), 303);
    assert.equal(await place("officer", "new", { ...form, until: "2027-06-20" }), 303);
    const soon = await list("viewer", "?end=soon");
    assert.deepEqual(heldIn(soon), ["new"]);
    assert.match(
      (await get("viewer", "/console")).text,
      /Holds that end this quarter by themselves<\/a>: 1</,
    );
    assert.deepEqual(heldIn(await list("viewer", "?end=quarter")), ["new"]);
    assert.deepEqual(heldIn(await list("viewer", "?review=quarter&end=quarter")), []);
    assert.match(soon, /2026-06-20<\/time> <span class="chip wait">soon/);
    const [id = ""] = holdsIn(soon);
    assert.match((await get("viewer", `/console/hold/${id}`)).text, /Ends by itself after/);
    const key = { organizationId: "acme", resourceType: "person", resourceId: "new" };
    for (const { holdId } of await site.service.app.store.holds.ofRecords([key])) {
      await releaseHold(site.service.app, { holdId });
    }
  });

  it("are released once, by those who may, once the id is typed", async () => {
    const [id = ""] = holdsIn(await list("officer", "?owner=legal"));
    const path = `/console/hold/${id}`;
    assert.match((await get("officer", path)).text, /It is the only hold on the record/);
    assert.doesNotMatch((await get("auditor", path)).text, /Release the hold/);
    const form = { confirm: id, reason: "the court has decided" };
    const both = await Promise.all([1, 2].map(() => post("officer", path, form)));
    assert.deepEqual(new Set(both), new Set([303, 404]));
    const gone = await get("officer", path);
    assert.equal(gone.status, 404);
    // What to do next is a page here, not a command of the shell.
    assert.match(gone.text, /<a href="\/console\/holds">/);
    assert.doesNotMatch(gone.text, /sluice deletion/);
    assert.equal(holdsIn(await list("viewer")).length, 2);
    const trail = (await get("auditor", "/console/audit?action=hold.release&actor=officer")).text;
    assert.match(trail, /Because<\/dt>\s*<dd><bdi class="value">the court has decided</);
  });

  it("of organizations are shown and set, once the id is typed", async () => {
    const one = async (role: string, query = "") =>
      (await get(role, `/console/retention?organization=acme${query}`)).text;
    assert.match(
      (await get("viewer", "/console/retention")).text,
      /organization=acme"><bdi>[^<]+<\/bdi> <small class="id">acme/,
    );
    assert.match(await one("viewer"), /There is no ceiling. Enter a number/);
    assert.doesNotMatch(await one("operator"), /Set the ceiling/);
    const due = await one("viewer", "&days=365");
    assert.match(due, /<dt>Would be deleted<\/dt>\s*<dd>Person 1<\/dd>/);
    assert.match(due, /<dt>Kept by a hold<\/dt>\s*<dd>2<\/dd>/);
    assert.match(due, /<dt>Arrived within a day<\/dt>\s*<dd>1 of these: are their times right/);
    assert.deepEqual(heldIn(due), ["ada"]);
    assert.match(await one("viewer", "&days=365&type=person&id=ada"), /<dd>nothing<\/dd>/);
    for (const days of ["0", "x", "99999"]) {
      const bad = `/console/retention?organization=acme&days=${days}`;
      assert.equal((await get("viewer", bad)).status, 400, days);
    }

    const floor = { organization: "acme", rule: "person", keep: "400", from: "last_seen" };
    const [toFloor, toCeiling] = ["/console/retention/rule", "/console/retention/ceiling"] as const;
    assert.equal(await post("operator", toFloor, { ...floor, confirm: "acme" }), 403);
    assert.equal(await post("officer", toFloor, { ...floor, confirm: "acm" }), 409);
    assert.equal(await post("officer", toFloor, { ...floor, rule: "", confirm: "acme" }), 404);
    assert.equal(await post("officer", toFloor, { ...floor, from: "x", confirm: "acme" }), 400);
    assert.equal(await post("officer", toFloor, { ...floor, confirm: "acme" }), 303);
    const days = { organization: "acme", days: "365" };
    assert.equal(await post("officer", toCeiling, { ...days, confirm: "acme" }), 409);
    assert.equal(await post("officer", toCeiling, { ...days, days: "500", confirm: "acme" }), 303);
    const set = await one("viewer");
    assert.match(set, /deleted 500 days after they were last seen/);
    assert.match(set, /<td data-label="Kept at least">400 days/);
    assert.match(set, /<td data-label="References">kept too/);
    const redactable = { ...floor, references: "redactable", confirm: "acme" };
    assert.equal(await post("officer", toFloor, redactable), 303);
    assert.match(await one("viewer"), /<td data-label="References">redactable/);
    assert.equal(await post("officer", toFloor, { ...floor, keep: "", confirm: "acme" }), 303);
    assert.equal(await post("officer", toCeiling, { ...days, days: "", confirm: "acme" }), 303);
    assert.match(await one("viewer"), /There is no floor/);
    assert.match(await one("viewer"), /none: records are kept/);
  });

  it("name the last record of a preview that is not complete by its type in words", async () => {
    const { app, client } = site.service;
    const { organizationId } = await makeCustomer(app, client);
    for (let no = 0; no < 101; no += 1)
      await addTransaction(app, organizationId, { tx_id: `tx-${no}`, timestamp });
    const path = `/console/retention?organization=${organizationId}&days=365`;
    assert.match((await get("viewer", path)).text, /up to\s+Transaction[a-z ]* <bdi>/);
  });

  it("say in words what a rule would do, before it is set", async () => {
    const query = "rule=person&keep=300&delete=300&from=closed";
    const page = async (role: string, words = query) =>
      get(role, `/console/retention?organization=acme&${words}`);
    const planned = (await page("officer")).text;
    assert.match(
      planned,
      /Each person must be kept for 300 days from its closing, and is then erased/,
    );
    assert.match(planned, /It would request\s+0\s+deletions now/);
    assert.match(planned, /<input type="hidden" name="delete" value="300"/);
    assert.doesNotMatch((await page("viewer")).text, /Set this rule/);
    const tooLow = await page("officer", "rule=person&keep=300&delete=299");
    assert.equal(tooLow.status, 409);
    assert.match(tooLow.text, /is longer than the ceiling/);
    assert.match(tooLow.text, /name="keep" [^>]*value="300"/);
    assert.doesNotMatch(tooLow.text, /Set this rule/);
    const seen = (await page("officer", "rule=person&delete=365&from=last_seen")).text;
    assert.match(seen, /It would request\s+1\s+deletions? now/);
    const form = { organization: "acme", rule: "person", keep: "300", delete: "300" };
    const rule = { ...form, from: "closed", confirm: "acme" };
    const shown = /name="seen" value="([^"]*)"/.exec(planned)?.[1]?.replaceAll("&quot;", '"') ?? "";
    const path = "/console/retention/rule";
    assert.equal(await post("officer", path, { ...rule, keep: "299", seen: shown }), 303);
    // The page from before that does not say what would be replaced now.
    const stale = await submit(site.service.client, path, {
      cookie: cookies["officer"],
      form: { ...rule, seen: shown },
    });
    assert.equal(stale.status, 409);
    assert.match(
      stale.text,
      /Somebody has changed the retention rule of the type Person meanwhile/,
    );
    assert.match((await page("viewer", "")).text, /<td data-label="Kept at least">299 days/);
    const mistyped = await submit(site.service.client, path, {
      cookie: cookies["officer"],
      form: { ...rule, keep: "123", confirm: "acm" },
    });
    assert.match(mistyped.text, /Set this rule\?.*name="keep" value="123".*value="acm"/s);
    const row = (await page("officer", "change=person")).text;
    assert.match(row, /name="keep" value="299" form="change".*name="rule" value="person"/s);
    assert.doesNotMatch((await page("viewer", "change=person")).text, /form="change"/);
    const refused = await page("officer", "change=person&rule=person&keep=300&delete=298");
    assert.equal(refused.status, 409);
    const inRow = /value="300" form="change"[^]*class="refused" role="alert">[^<]*longer than the/;
    assert.match(refused.text, inRow);
    assert.equal(refused.text.match(/value="300"/g)?.length, 1);
    assert.match(refused.text, /<text class="quiet"[^>]*>2029<[^]*class="keeps">has to be kept/);
    assert.equal(await post("officer", path, rule), 303);
    const set = (await page("viewer", "")).text;
    assert.match(set, /<td data-label="Erased after">300 days/);
    assert.equal((await page("viewer", "at=2020-01-01")).status, 400);
    assert.match((await page("viewer", "at=2030-01-01")).text, /2030-01-01, if no record/);
    const none = { ...rule, keep: "", delete: "" };
    assert.equal(await post("officer", "/console/retention/rule", none), 303);
    assert.match((await page("viewer", "")).text, /There is no floor/);
    // Somebody has removed the rule whose row was the form.
    const rowless = await page("officer", "change=person&rule=person&keep=300&delete=298");
    assert.match(rowless.text, /<p role="alert">[^<]*longer than the/);
  });

  it("show what is in the restricted store only to those who may know of it", async () => {
    const sar = { sar_id: "secret-sar", status: "FILED", related_person_id: "ada", timestamp };
    await send("customer_sar", sar);
    const hold = { organization: "acme", type: "customer_sar", id: "secret-sar", reason: "r" };
    assert.equal(await post("operator", "/console/record/hold", hold), 403);
    assert.equal(await post("officer", "/console/record/hold", hold), 303);
    const floor = { organization: "acme", rule: "customer_sar", keep: "10", confirm: "acme" };
    assert.equal(await post("officer", "/console/retention/rule", floor), 303);
    const path = "/console/record/deletion";
    const own = "organization=acme&type=customer_sar&id=secret-sar";
    const preview = (await get("officer", `${path}?${own}`)).text;
    assert.match(preview, /secret-sar<\/bdi> is on hold/);
    // The floor of 10 days has ended.
    assert.doesNotMatch(preview, /has to be kept/);
    assert.match(preview, /It begins when nothing prevents it any more, and can be cancelled/);
    const id = await erase("ada");
    const moved = /Kept in the restricted store<\/dt>\s*<dd>Customer SAR 1</;
    const told = (await get("officer", `/console/deletion/${id}`)).text;
    assert.match(told, moved);
    assert.match(told, /Kept because of<\/dt>\s*<dd><bdi>[^<]*hold/);
    const reading = { organization: "acme", reason: "annual review", id };
    const readAs = async (role: string, page: string) => {
      const asked = { cookie: cookies[role], form: reading };
      return submit(site.service.client, `/console/restricted${page}`, asked);
    };
    assert.match((await readAs("officer", "")).text, /Customer SAR 1<[^]*hold/);
    assert.match((await readAs("officer", "/set")).text, /Customer SAR <bdi>secret-sar<\/bdi>/);
    const actions = (await site.service.app.store.listAudit(0, 1_000)).map(({ action }) => action);
    assert.deepEqual(actions.slice(-2), ["restricted.list", "restricted.show"]);
    for (const role of ["viewer", "operator"]) {
      assert.deepEqual(
        [(await readAs(role, "")).status, (await readAs(role, "/set")).status],
        [403, 403],
      );
      assert.doesNotMatch((await get(role, "/console")).text, /estricted sets<\/a>/);
    }
    for (const role of ["viewer", "operator"]) {
      assert.doesNotMatch(
        (await get(role, `/console/deletion/${id}`)).text,
        /restricted|SAR/,
        role,
      );
    }
    const set = `/console/deletion/${encodeURIComponent(`restricted/${id}`)}`;
    const gone = "/console/record?organization=acme&type=person&id=ada";
    const inside = `/console/record?organization=restricted%2F${id}&type=person&id=ada`;
    for (const role of ["viewer", "operator"]) {
      assert.doesNotMatch(await list(role), /restricted/, role);
      assert.equal((await get(role, set)).status, 404, role);
      assert.equal((await get(role, gone)).status, 404, role);
      const other = await get(role, inside.replace(id, "del_none"));
      const same = await get(role, inside);
      assert.deepEqual([same.status, same.text], [403, other.text], role);
    }
    assert.equal((await get("officer", set)).status, 200);
    assert.equal((await get("officer", inside)).status, 404);
  });

  it("in the restricted store are listed with their organization for those who may know of them", async () => {
    for (const query of ["", "?organization=acme"]) {
      const all = await list("officer", query);
      assert.match(
        all,
        /SAR <bdi>secret-sar<\/bdi>, restricted by <a href="\/console\/deletion\/del_/,
      );
      assert.doesNotMatch(all, /restricted\/del_/);
    }
    const path = "/console/organization/acme";
    const { text } = await get("officer", path);
    assert.match(text, /Restricted sets<\/dt>\s*<dd><a\s+href="[^"]*organization=acme"\s*>some</);
    assert.match(text, /Its restricted sets stay,\s+until/);
    for (const role of ["viewer", "operator", "administrator"]) {
      assert.doesNotMatch((await get(role, path)).text, /estricted sets/, role);
    }
    const [inSet = ""] = holdsIn(await list("officer", "?organization=acme&type=customer_sar"));
    const held = (await get("officer", `/console/hold/${inSet}`)).text;
    assert.match(held, /Organization<\/dt>\s*<dd>.*acme/);
    assert.doesNotMatch(held, /restricted\/del_/);
    for (const role of ["viewer", "operator"]) {
      assert.equal((await get(role, `/console/hold/${inSet}`)).status, 404);
    }
  });

  it("let only officers see that a record to be deleted moves to the restricted store", async () => {
    await send("person", { ...person, person_id: "kim" });
    const receiver = { receiver_id: "kim", receiver_country: "DE" };
    const names = { sender_id: "ben", sender_country: "DE", timestamp, ...receiver };
    const paid = { type: "DEPOSIT", method: "SEPA", amount: 1, currency: "EUR", status: "SETTLED" };
    await send("transaction", { tx_id: "tx-kept", ...paid, ...names });
    const report = { suspicious_activity_id: "r-kept", detection_date: timestamp, timestamp };
    const type = "transaction_suspicious_activity";
    await send(type, { ...report, related_tx_ids: ["tx-kept"] });
    const hold = { organization: "acme", type, id: "r-kept", reason: "r" };
    assert.equal(await post("officer", "/console/record/hold", hold), 303);
    const path = "/console/record/deletion?organization=acme&type=transaction&id=tx-kept";
    const { text } = await get("officer", path);
    assert.match(text, /The transaction moves to the restricted store/);
    assert.doesNotMatch(text, /The transaction, its whole history/);
    const other = (await get("operator", path)).text;
    assert.match(other, /The transaction, its whole history and everything listed/);
    assert.doesNotMatch(other, /restricted|r-kept/);
    // Of a person whose transactions a report names, only references are kept.
    const id = await erase("kim");
    const told = (await get("officer", `/console/deletion/${id}`)).text;
    assert.match(told, /Kept in the restricted store<\/dt>\s*<dd>only references</);
    assert.match(told, /Kept because of<\/dt>\s*<dd><bdi>a hold on [^<]*r-kept/);
    for (const role of ["viewer", "operator"]) {
      const page = (await get(role, `/console/deletion/${id}`)).text;
      assert.doesNotMatch(page, /restricted|Kept|r-kept/, role);
    }
  });
});

function holdsIn(text: string): readonly string[] {
  return [...text.matchAll(/href="\/console\/hold\/(hold_\w+)"/g)].map(([, id]) => id ?? "");
}

function heldIn(text: string): readonly (string | undefined)[] {
  return [...text.matchAll(/;id=(\w+)"/g)].map(([, id]) => id);
}
