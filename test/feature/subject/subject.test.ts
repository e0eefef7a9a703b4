// The archive of a person or a company, as an officer makes it.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { makeDraft } from "../../../src/domain/record/payload.ts";
import type { Payload } from "../../../src/domain/record-type.ts";
import { readSubject } from "../../../src/feature/subject/read-subject.ts";
import { operate } from "../../support/server.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCommandLine, ndjsonOf } from "../../cli/command-line.ts";
import { typeNamed } from "../../conformance/scene.ts";

const line = makeCommandLine();
const outside = makeTempFolder();
await line.ask("organization create --name", "Acme <Bank>", "--id", "acme");
const hostile = `p"<script>alert(1)</script>&'`;
await operate(line.environment, async (app) => {
  await add(app, "person", "p", { name: "<b>Ada</b>" });
  await add(app, "person", "q");
  await add(app, "person", hostile);
  await add(app, "transaction", "sent", { sender_id: "p", sender_country: "DE" });
  await add(app, "transaction", "other", { sender_id: "q", sender_country: "DE" });
  await add(app, "transaction_check", "c", { related_tx_ids: ["sent"] });
  await add(app, "customer_sar", "secret-sar", { related_person_id: "p" });
});
await line.ask("deletion request person q --organization acme --reason", "asked for");

async function add(app: App, type: string, id: string, fields: Payload = {}): Promise<void> {
  const found = typeNamed(type);
  const { example, idField } = found;
  const { sender_id: _sender, related_person_id: _person, ...rest } = example;
  const draft = makeDraft(found, { ...rest, [idField]: id, ...fields }, "add");
  await app.store.writeRecords({
    organizationId: "acme",
    resourceType: type,
    mode: "add",
    lenient: false,
    drafts: [draft],
    receivedAt: Date.UTC(2026, 0, 1),
  });
}

const of = "--organization acme";
let exported = 0;

async function exportAll(id: string, ...options: readonly string[]) {
  exported += 1;
  const folder = join(outside, `archive ${exported}`);
  const report = await line.ask(
    `subject export person`,
    id,
    "--organization",
    "acme",
    "--output",
    folder,
    ...options,
  );
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const lines = (name: string) =>
    readFileSync(join(folder, `${name}.ndjson`), "utf8")
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>);
  return { folder, report, page, lines };
}

describe("subject export", () => {
  it("writes each record once, with its history, for its owner only", async () => {
    const { folder, report, lines } = await exportAll("p");
    assert.deepEqual(report["lines"], { person: 1, transaction: 1, transaction_check: 1 });
    assert.deepEqual(readdirSync(folder).sort(), [
      "index.html",
      "manifest.json",
      "person.ndjson",
      "transaction.ndjson",
      "transaction_check.ndjson",
    ]);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, "person.ndjson")).mode & 0o777, 0o600);
    const [person] = lines("person");
    assert.ok(person);
    assert.equal(person["resource_id"], "p");
    assert.equal((person["state"] as Payload)["name"], "<b>Ada</b>");
    const [change, ...more] = person["changes"] as readonly Payload[];
    assert.equal(change?.["received_at"], "2026-01-01T00:00:00.000Z");
    assert.deepEqual(more, []);
    assert.deepEqual(
      lines("transaction").map((one) => one["resource_id"]),
      ["sent"],
    );
    const left = readdirSync(outside).filter((name) => name.endsWith(".unfinished"));
    assert.deepEqual(left, []);
  });

  it("escapes what comes from records on the page, which loads nothing", async () => {
    const { page } = await exportAll(hostile);
    assert.ok(page.includes("p&quot;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;"));
    assert.ok(page.includes("Acme &lt;Bank&gt;"));
    assert.doesNotMatch(page, /<script|<b>|src=|https?:/);
    assert.ok(page.includes('content="default-src &#39;none&#39;;'));
  });

  it("says what is left out, and leaves confidential types and holds out unless asked", async () => {
    await line.ask(`deletion hold transaction sent ${of} --reason`, "secret case");
    const plain = await exportAll("p");
    assert.ok(!existsSync(join(plain.folder, "customer_sar.ndjson")));
    assert.ok(!existsSync(join(plain.folder, "holds.ndjson")));
    const texts = readdirSync(plain.folder).map((name) =>
      readFileSync(join(plain.folder, name), "utf8"),
    );
    assert.doesNotMatch(texts.join(), /secret/);
    assert.match(plain.page, /left out of every copy, whether or not there are any/);
    const officer = await exportAll("p", "--include-confidential");
    assert.deepEqual(
      officer.lines("customer_sar").map((one) => one["resource_id"]),
      ["secret-sar"],
    );
    assert.deepEqual(
      officer.lines("holds").map((one) => one["reason"]),
      ["secret case"],
    );
    assert.match(officer.page, /Do not hand it out/);
    assert.match((await exportAll("q")).page, /asked for/);
  });

  it("replaces nothing, and leaves nothing of an export that fails", async () => {
    const folder = join(outside, "taken");
    mkdirSync(folder);
    const command = `subject export person p ${of} --output`;
    assert.match((await line.fail(command, folder)).message, /is a folder/);
    assert.deepEqual(readdirSync(folder), []);
    const missing = await line.fail(command, join(outside, "missing", "archive"));
    assert.match(missing.message, /does not exist/);
    for (const inside of ["archive", "deeper/archive"]) {
      const refused = await line.fail(command, join(line.folder, inside));
      assert.match(refused.message, /is in the folder .* no deletion would reach/);
    }
    assert.deepEqual((await line.ask("check"))["findings"], []);
  });

  it("finds what refers to somebody who has no record", async () => {
    await operate(line.environment, async (app) => {
      await add(app, "transaction", "alone", { sender_id: "unknown", sender_country: "DE" });
    });
    const { page, lines } = await exportAll("unknown");
    assert.match(page, /There is no record with this id itself/);
    assert.deepEqual(
      lines("transaction").map((record) => record["resource_id"]),
      ["alone"],
    );
  });

  it("is in the audit trail, without the id", async () => {
    const { out } = await line.type("audit export");
    const own = ndjsonOf(out).filter(({ action }) => action === "subject.export");
    assert.ok(own.length >= 4);
    assert.ok(!JSON.stringify(own).includes("script"));
    assert.match(JSON.stringify(own), /"confidential":true/);
  });
});

describe("subject show", () => {
  it("counts by type, and lists the requests to delete the subject", async () => {
    const shown = await line.ask(`subject show person p ${of}`);
    assert.deepEqual(shown["records"], { person: 1, transaction: 1, transaction_check: 1 });
    assert.ok(!("holds" in shown));
    const all = await line.ask(`subject show person p ${of} --include-confidential`);
    assert.deepEqual(all["records"], {
      customer_sar: 1,
      person: 1,
      transaction: 1,
      transaction_check: 1,
    });
    const requests = (await line.ask(`subject show person q ${of}`))["deletion_requests"];
    assert.equal((requests as readonly Payload[])[0]?.["status"], "pending");
    const { out } = await line.type(`subject show person q ${of}`);
    assert.match(out, /transaction +1/);
  });

  it("says that a deletion waits for a floor, and until when", async () => {
    await line.ask(`retention set ${of} --type transaction --keep-days 36500`);
    await operate(line.environment, async ({ store, now }) => {
      const claim = { now: now(), leaseUntil: now() + 60_000, claimant: "test" };
      assert.deepEqual(await store.claimDeletions(claim, 1), []);
    });
    const shown = await line.ask(`subject show person q ${of}`);
    const [request] = shown["deletion_requests"] as readonly Payload[];
    assert.equal(request?.["waits_for"], "a retention floor");
    const text = (await line.type(`subject show person q ${of}`)).out;
    assert.ok(text.includes(`a retention floor, until ${String(request["due_at"])}`));
    const { out } = await line.type("deletion list --organization acme");
    const [id = ""] = /del_\w+/.exec(out) ?? [];
    const { waiting_for } = await line.ask(`deletion show ${id}`);
    assert.match(
      String(waiting_for),
      /^the retention floor of a transaction that names it: 36,500/,
    );
    await line.ask(`retention set ${of} --type transaction --keep-days none --yes`);
  });

  it("says until when a deletion waits by the records as they are now", async () => {
    await line.ask(`retention set ${of} --type screening --keep-days 36500`);
    const timestamp = "2026-03-01T00:00:00Z";
    await operate(line.environment, (app) =>
      add(app, "screening", "late", { related_person_id: "q", timestamp }),
    );
    const [request] = (await line.ask(`subject show person q ${of}`))[
      "deletion_requests"
    ] as readonly Payload[];
    const { due_at } = await line.ask(`deletion show`, String(request?.["deletion_request_id"]));
    const until = new Date(Date.parse(timestamp) + 36_500 * 86_400_000).toISOString();
    assert.deepEqual([request?.["due_at"], due_at], [until, until]);
  });

  it("refuses another type, and a subject that does not exist", async () => {
    for (const [words, name, message] of [
      ["transaction sent", "invalid", /A subject is a person or a company, not a transaction/],
      ["perso p", "no_such_type", /did you mean person/],
      ["person nobody", "no_such_record", /There is no person "nobody"/],
    ] as const) {
      const failed = await line.fail(`subject show ${words} ${of}`);
      assert.equal(failed.name, name);
      assert.match(failed.message, message);
    }
    const nowhere = await line.fail("subject show person p --organization nowhere");
    assert.equal(nowhere.name, "no_such_organization");
  });
});

describe("a read about a subject with many records", () => {
  it("lets others be served between its steps", async () => {
    await operate(line.environment, async (app) => {
      await add(app, "person", "busy");
      for (let index = 0; index < 160; index += 1) {
        await add(app, "transaction", `busy-${index}`, { sender_id: "busy", sender_country: "DE" });
      }
      let [served, records, isRead] = [0, 0, false];
      const serve = (): void => {
        served += 1;
        if (!isRead) setImmediate(serve);
      };
      setImmediate(serve);
      const key = { organizationId: "acme", resourceType: "person", resourceId: "busy" };
      for await (const page of readSubject(app, { ...key, confidential: false })) {
        records += page.length;
      }
      isRead = true;
      assert.equal(records, 161);
      assert.ok(served >= 11, `${served} times`);
    });
  });
});
