// The letter about an erasure: what was erased, what stays and until when; and that it discloses no report and no hold.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { applyRetention } from "../../../src/actions/retention/apply-retention.ts";
import { holdRecord } from "../../../src/actions/retention/holds.ts";
import { setRule } from "../../../src/actions/retention/retention-rules.ts";
import { requestDeletionOf } from "../../../src/actions/deletion/request-as-operator.ts";
import { dayMs } from "../../../src/basics/duration.ts";
import { operatorRoles } from "../../../src/domain/operator.ts";
import { addOperator, read, signIn } from "../../console/browse.ts";
import { draftOf } from "../../conformance/scene.ts";
import { type Customer, makeCustomer } from "../../support/customer.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";

const date = { timestamp: "2026-01-31T09:30:00Z" };
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

describe("the letter about an erasure", async () => {
  const service = await startService();
  await addOperator(service.app, ["officer"]);
  let cookie = await signIn(service.app, service.client, "officer");
  after(() => service.stop());

  const customer = (more = {}) => makeCustomer(service.app, service.client, more);
  const add = (
    { organizationId }: Customer,
    draft: ReturnType<typeof draftOf>,
    resourceType: string,
  ) =>
    service.app.store.writeRecords({
      organizationId,
      resourceType,
      mode: "add",
      drafts: [draft],
      lenient: false,
      receivedAt: service.clock.now(),
    });
  const addPerson = (to: Customer) => add(to, draftOf("person", "p", date), "person");
  const addNaming = (to: Customer) =>
    add(to, draftOf("transaction", "tx-of-p", { sender_id: "p", ...date }), "transaction");
  async function request(
    { organizationId }: Customer,
    resourceId: string,
    resourceType = "person",
  ): Promise<string> {
    const key = { organizationId, resourceType, resourceId };
    return (await requestDeletionOf(service.app, { ...key, reason: "case 77" })).deletionRequestId;
  }
  async function erase(...what: Parameters<typeof request>): Promise<string> {
    const deletion = await request(...what);
    await waitFor("the deletion", async () => {
      const found = await service.app.store.findDeletion(deletion, undefined);
      return found?.status === "completed";
    });
    return deletion;
  }
  async function addReports({ token }: Customer): Promise<void> {
    const timestamp = "2026-02-02T16:45:00Z";
    const reports = {
      customer_sar: { sar_id: "s", status: "FILED", related_person_id: "p", timestamp },
      transaction_suspicious_activity: {
        suspicious_activity_id: "a",
        detection_date: timestamp,
        related_tx_ids: ["tx-of-p"],
        timestamp,
      },
    };
    for (const [type, body] of Object.entries(reports)) {
      const sent = { method: "POST", path: `/v2/${type}`, token, body };
      const { status, text } = await service.client.send(sent);
      assert.equal(status, 201, text);
    }
  }
  /** Longer than a session. */
  async function passDays(count: number): Promise<void> {
    service.clock.advanceMs(count * dayMs);
    cookie = await signIn(service.app, service.client, "officer");
  }
  async function letterOf(id: string, as = cookie, query = ""): Promise<string> {
    service.clock.advanceMs(1_000);
    const path = `/console/deletion/${id}/letter${query}`;
    const { status, text } = await read(service.client, path, { cookie: as });
    assert.equal(status, 200, text);
    return /<article.*<\/article>/s.exec(text)?.[0] ?? "";
  }

  it("says what was erased, what stays, under which duty and until when", async () => {
    const acme = await customer();
    const { organizationId } = acme;
    const rule = { resourceType: "transaction", keepDays: 1_827, redactable: true };
    await setRule(service.app, { organizationId, ...rule });
    await addPerson(acme);
    await addNaming(acme);
    const text = await letterOf(await erase(acme, "p"));
    assert.match(text, /<th scope="row">Person<\/th>\s*<td>1<\/td>/);
    assert.match(text, /<th scope="row">Transaction: 1<\/th>/);
    assert.match(text, /What is younger than 1,827 days, counted from the last date/);
    assert.match(
      text,
      /<td>each for 1,827 days, counted from the last date in the record; no later/,
    );
    // No day follows from the completion: the records may be older.
    const until = day.format(service.clock.now() + 1_827 * dayMs);
    assert.ok(!text.includes(until), text);
    assert.doesNotMatch(text, /case 77/);
  });

  it("states no duty that had ended when the erasure was completed", async () => {
    const acme = await customer();
    const { organizationId } = acme;
    await addPerson(acme);
    await addNaming(acme);
    await setRule(service.app, { organizationId, resourceType: "transaction", keepDays: 1 });
    await passDays(2);
    const text = await letterOf(await erase(acme, "p"));
    assert.match(text, /Transaction: 1<\/th>\s*<td>[^<]*pseudonym has replaced the id\.<\/td>/);
    assert.match(text, /pseudonym has replaced the id\.<\/td>\s*<td>no end is set<\/td>/);
  });

  it("has the day on which the request came only if somebody enters it", async () => {
    const acme = await customer();
    await addPerson(acme);
    const deletion = await erase(acme, "p");
    const undated = await letterOf(deletion);
    assert.match(undated, /<h2>Your request for erasure<\/h2>/);
    const entered = day.format(service.clock.now());
    assert.ok(undated.includes(`<dt>Entered in our records on</dt>\n<dd>${entered}</dd>`), undated);
    const dated = await letterOf(deletion, cookie, "?received=2026-01-05");
    assert.match(dated, /<h2>Your request for erasure of 5 January 2026<\/h2>/);
    assert.match(dated, /<dt>Received on<\/dt>\s*<dd>5 January 2026<\/dd>/);
    const later = new Date(service.clock.now() + 2 * dayMs).toISOString().slice(0, 10);
    const path = `/console/deletion/${deletion}/letter?received=${later}`;
    const refused = await read(service.client, path, { cookie });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /must not be after the day on which it was entered/);
  });

  it("is not there for what a rule of retention has requested", async () => {
    const acme = await customer();
    const { organizationId } = acme;
    await addPerson(acme);
    const rule = { organizationId, resourceType: "person", deleteAfterDays: 1 };
    await setRule(service.app, rule);
    await passDays(2);
    await applyRetention(service.app, { organizationIds: [organizationId] });
    const query = { organizationId, before: undefined, limit: 10 };
    const [found] = await service.app.store.listDeletions(query);
    const path = `/console/deletion/${found?.deletionRequestId}`;
    assert.equal(found?.requestedBy, "retention");
    const { text } = await read(service.client, path, { cookie });
    assert.doesNotMatch(text, /\/letter"/);
    const letter = await read(service.client, `${path}/letter`, { cookie });
    assert.equal(letter.status, 404);
    assert.match(letter.text, /a rule of retention requested this deletion, and no person/);
  });

  it("says why nothing is erased yet, and never that there is a hold", async () => {
    const [kept, held] = [await customer({ name: "A" }), await customer({ name: "A" })];
    const letters = [];
    for (const owner of [kept, held]) {
      const { organizationId } = owner;
      await setRule(service.app, { organizationId, resourceType: "person", keepDays: 3_650 });
      await addPerson(owner);
      const key = { organizationId, resourceType: "person", resourceId: "p" };
      if (owner === held) await holdRecord(service.app, key, { reason: "secret" });
      letters.push(await letterOf(await request(owner, "p")));
    }
    const [plain = "", other = ""] = letters.map((text) => text.replaceAll(/del_\w+/g, ""));
    assert.match(plain, /Has to be kept for at least 3,650 days/);
    assert.match(plain, /The erasure begins on 29 January 2036 at the earliest\./);
    assert.equal(other, plain);
  });

  it("is the same with a report, its hold and what they keep as without, whoever makes it", async () => {
    const letters = [];
    for (const hasReport of [false, true]) {
      const owner = await customer({ name: "A" });
      const { organizationId } = owner;
      for (const resourceType of ["customer_sar", "transaction_suspicious_activity"]) {
        await setRule(service.app, { organizationId, resourceType, keepDays: 3_650 });
      }
      await addPerson(owner);
      await addNaming(owner);
      if (hasReport) await addReports(owner);
      const person = await letterOf(await erase(owner, "p"));
      const transaction = await letterOf(await erase(owner, "tx-of-p", "transaction"));
      letters.push((person + transaction).replaceAll(/del_\w+/g, ""));
      const sets = await service.app.store.restricted.listSets({
        organizationId,
        after: "",
        limit: 10,
      });
      assert.equal(sets.length, hasReport ? 2 : 0);
    }
    const [plain = "", other = ""] = letters;
    assert.equal(other, plain);
    assert.match(plain, /<th scope="row">Person<\/th>\s*<td>1<\/td>/);
    assert.match(plain, /<th scope="row">Transaction: 1<\/th>/);
    assert.match(plain, /<th scope="row">Transaction<\/th>\s*<td>1<\/td>/);
    assert.doesNotMatch(plain, /SAR|restricted/);
  });

  it("is there for everybody who may see the deletion, with the same words", async () => {
    const acme = await customer();
    await addPerson(acme);
    const deletion = await erase(acme, "p");
    const expected = await letterOf(deletion);
    for (const role of operatorRoles.filter((one) => one !== "officer")) {
      await addOperator(service.app, [role]);
      service.clock.advanceMs(60_000);
      assert.equal(
        await letterOf(deletion, await signIn(service.app, service.client, role)),
        expected,
      );
    }
  });
});
