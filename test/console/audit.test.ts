// The audit trail in the console: filters, parts, verification of the chain, downloads.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { checkStore } from "../../src/actions/check/check-store.ts";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { requestDeletionOf } from "../../src/actions/deletion/request-as-operator.ts";
import { ndjsonOf } from "../cli/command-line.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Service, startService } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";
import { addOperator, read, signIn, submit } from "./browse.ts";

const nasty = `<script>alert("1")</script>`;

describe("the audit trail in the console", () => {
  let service: Service;
  let acme: Customer;
  let auditor: string;
  let viewer: string;
  let deletion: string;
  let firstDay: string;

  before(async () => {
    service = await startService();
    firstDay = new Date(service.clock.now()).toISOString().slice(0, 10);
    acme = await makeCustomer(service.app, service.client);
    const person = { person_id: "p1", is_test_user: false, is_retail_customer: true };
    const { token, organizationId } = acme;
    const body = { ...person, timestamp: "2026-01-31T09:30:00Z" };
    await service.client.send({ method: "POST", path: "/v2/person", token, body });
    const wanted = { organizationId, resourceType: "person", resourceId: "p1", reason: "r" };
    deletion = (await requestDeletionOf(service.app, wanted)).deletionRequestId;
    await waitFor("the deletion", async () => {
      const found = await service.app.store.findDeletion(deletion, undefined);
      return found?.status === "completed";
    });
    service.clock.advanceMs(3 * 86_400_000);
    for (let index = 0; index < 60; index += 1) {
      await changeOrganization(service.app, organizationId, { name: `Name ${index}` });
    }
    await createOrganization(service.app, { name: nasty, organizationId: "nasty" });
    for (const role of ["auditor", "viewer"] as const) await addOperator(service.app, [role]);
    auditor = await signIn(service.app, service.client, "auditor");
    viewer = await signIn(service.app, service.client, "viewer");
  });
  after(() => service.stop());

  const show = async (path: string, cookie = auditor) =>
    (await read(service.client, path, { cookie })).text;
  const filtered = async (query: string) => actionsIn(await show(`/console/audit?${query}`));

  it("counts the entries of each day by what happened, unless it is filtered", async () => {
    const page = await show("/console/audit");
    assert.match(page, /Entries of all organizations by day as a table/);
    assert.match(page, /completed a deletion: 1[,<]/);
    assert.match(page, /changed the settings of an organization: 60[,<)]/);
    assert.doesNotMatch(await show("/console/audit?actor=anna"), /organizations by day/);
  });

  it("has a report of the erasures of a period, as a page and as CSV", async () => {
    const query = `organization=${acme.organizationId}&from=${firstDay}&until=${firstDay}`;
    const page = await show(`/console/erasures?${query}`, viewer);
    assert.ok(page.includes(`/console/deletion/${deletion}`));
    assert.match(page, /Records erased<\/dt>\s*<dd>Person 1</);
    assert.match(page, /deletions a week<\/figcaption>.*<span>2026-\d\d-\d\d<\/span>\s*<\/div>/s);
    assert.match(page, /class="number">1<\/td>\s*<td>1 second</);
    const ofAll = await show("/console/erasures", viewer);
    assert.match(ofAll, /<dd>all; these are of <span|<dd>all; these are of <bdi/);
    for (const text of [page, ofAll]) assert.doesNotMatch(text, /data-label="Organization"/);
    assert.doesNotMatch(await show("/console/erasures?from=2030-01-01"), /console\/deletion\/del/);
    assert.doesNotMatch(await show("/console/erasures?until=2020-01-01"), /console\/deletion\/del/);
    const swapped = await read(
      service.client,
      "/console/erasures?from=2026-12-31&until=2026-01-01",
      {
        cookie: auditor,
      },
    );
    assert.equal(swapped.status, 400);
    assert.match(swapped.text, /The last day: it must be the first day or a later one/);
    const form = Object.fromEntries(new URLSearchParams(query));
    const path = "/console/erasures/download";
    const { text } = await submit(service.client, path, { cookie: auditor, form });
    const [head = "", row = "", ...others] = text.split("\n");
    assert.equal(head.split(",").length, row.split(",").length);
    const record = `${deletion},${acme.organizationId},Person,p1`;
    assert.ok(row.startsWith(`${record},${service.app.operator},`), row);
    assert.deepEqual(others, [""]);
    const [entry] = (await service.app.store.listAudit(0, 1_000)).slice(-1);
    assert.equal(entry?.action, "erasures.export");
    assert.deepEqual((await checkStore(service.app)).findings, []);
  });

  it("are listed in parts of twenty, newest first, under 60 kB", async () => {
    const first = await show("/console/audit");
    assert.ok(Buffer.byteLength(first) < 60_000, `${Buffer.byteLength(first)} bytes`);
    assert.doesNotMatch(first, /<script>alert/);
    const { no } = await service.app.store.trail.head();
    assert.deepEqual(numbersIn(first)[0], no);
    const [above = ""] = first.split('<table class="cards"');
    for (const text of [above, first.slice(above.length)]) assert.match(text, />Older entries</);
    assert.match(above, /href="#chain"/);
    let page = first;
    const all = [...numbersIn(first)];
    for (;;) {
      const next = /href="(\/console\/audit\?[^"]+)"/.exec(page)?.[1];
      if (next === undefined) break;
      page = await show(next.replaceAll("&amp;", "&"));
      all.push(...numbersIn(page));
    }
    assert.deepEqual(
      all,
      Array.from({ length: no }, (_, index) => no - index),
    );
  });

  it("are filtered by person, organization, action and time, all of them together", async () => {
    assert.deepEqual(await filtered("actor=worker"), new Set(["deletion.complete"]));
    assert.deepEqual(await filtered("action=deletion.start"), new Set(["deletion.start"]));
    assert.deepEqual(
      await filtered("action=organization.change"),
      new Set(["organization.change"]),
    );
    const group = await filtered("action=organization&organization=nasty");
    assert.deepEqual(group, new Set(["organization.create"]));
    assert.deepEqual(await filtered("action=organiz"), new Set());
    const early = await filtered(`until=${firstDay}T23:59`);
    assert.ok(early.has("deletion.complete") && !early.has("organization.change"));
    const late = await filtered(`from=${firstDay}T23:59&action=organization`);
    assert.deepEqual(late, new Set(["organization.change", "organization.create"]));
    assert.deepEqual(await filtered("actor=nobody"), new Set());
  });

  it("are sentences, with the record of a deletion, and its start in the row of its end", async () => {
    const page = await show("/console/audit?actor=worker");
    assert.match(
      page,
      /<bdi>worker<\/bdi> completed a deletion<\/span\s*>: <a href="[^"]*">Person <bdi>p1<\/bdi><\/a\s*>, begun <time/,
    );
    assert.equal([...page.matchAll(/data-label="Entry">\d+, \d+</g)].length, 1);
    assert.doesNotMatch(page, /title="deletion\.start"/);
    const own = await show("/console/audit?actor=auditor&action=operator.sign_in");
    assert.match(own, /auditor<\/bdi> signed in<\/span\s*><\/td>/);
  });

  it("are filtered by record, through its deletions", async () => {
    const of = `organization=${acme.organizationId}&type=person&id`;
    const own = await filtered(`${of}=p1`);
    assert.deepEqual(own, new Set(["deletion.complete", "deletion.request"]));
    assert.deepEqual(await filtered(`${of}=p2`), new Set());
    const { status } = await read(service.client, "/console/audit?id=p1", { cookie: auditor });
    assert.equal(status, 400);
  });

  it("answer a time that is none with what is expected", async () => {
    for (const query of [
      "from=x",
      "until=2026-13-01",
      "from=2026-02-31",
      "from=2026-01-31T09:30Z",
    ]) {
      const { status, text } = await read(service.client, `/console/audit?${query}`, {
        cookie: auditor,
      });
      assert.equal(status, 400, query);
      assert.match(text, /must be a date, or a date and a time in UTC, such as 2026-01-31T09:30/);
    }
    assert.equal(
      (await read(service.client, "/console/audit?before=x", { cookie: auditor })).status,
      200,
    );
  });

  it("are a chain that is verified to its end, and shows an entry that was altered", async () => {
    const verify = async (form: Record<string, string> = {}) =>
      (await submit(service.client, "/console/audit/verify", { cookie: auditor, form })).text;
    const { no, hash } = await service.app.store.trail.head();
    const whole = await verify();
    assert.match(whole, new RegExp(`The entries\\s+1 to ${no} are unaltered`));
    assert.ok(whole.includes(hash));
    assert.match(whole, /This is the end of the trail/);
    const [entry] = await service.app.store.listAudit(9, 1);
    const rest = await verify({ after: "10", hash: entry?.hash ?? "" });
    assert.match(rest, new RegExp(`11 to ${no} are unaltered.*verified with the hash`, "s"));
    const wrong = await verify({ after: "10", hash: "0".repeat(64) });
    assert.match(wrong, /Not genuine.*broken at entry 11/s);

    const database = new DatabaseSync(`${service.folder}/sluice.db`, { timeout: 10_000 });
    const actorOf = (actor: string) =>
      database.prepare("UPDATE audit_entry SET actor = ? WHERE entry_no = 20").run(actor);
    const actor = (await service.app.store.listAudit(19, 1))[0]?.actor ?? "";
    actorOf("somebody else");
    assert.match(await verify(), /broken at entry 20.*1 to 19 before it are unaltered/s);
    actorOf(actor);
    database.close();
    assert.match(await verify(), /This is the end of the trail/);
  });

  it("are downloaded whole, and the downloads are in the trail", async () => {
    const { no } = await service.app.store.trail.head();
    const download = (path: string) => submit(service.client, path, { cookie: auditor });
    const trail = await download("/console/audit/download");
    assert.equal(trail.headers["content-disposition"], "attachment; filename*=UTF-8''audit.ndjson");
    assert.equal(trail.headers["cache-control"], "no-store");
    const lines = ndjsonOf(trail.text);
    const last = lines.at(-1) ?? {};
    assert.deepEqual(
      [lines.length, last["action"], last["actor"]],
      [no + 1, "audit.export", "auditor"],
    );
    const entries = await service.app.store.listAudit(no, 2);
    assert.deepEqual(
      entries.map(({ action, actor }) => [action, actor]),
      ["audit.export", "export.manifest"].map((action) => [action, "auditor"]),
    );
  });
});

function numbersIn(page: string): readonly number[] {
  return [...page.matchAll(/data-label="Entry">(?:(\d+), )?(\d+)</g)]
    .flatMap(([, start = [], end]) => [end, start].flat())
    .map(Number);
}

function actionsIn(page: string): ReadonlySet<string | undefined> {
  return new Set(
    [...page.matchAll(/<span title="([a-z_]+\.[a-z_]+)"/g)].map(([, action]) => action),
  );
}
