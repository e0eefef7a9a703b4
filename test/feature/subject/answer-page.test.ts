// The answer to an authority in the console, on a page to print, also about subjects that were erased or are
// restricted.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { closeOrganization } from "../../../src/actions/access/close-organization.ts";
import { requestDeletionOf } from "../../../src/actions/deletion/request-as-operator.ts";
import { setRule } from "../../../src/actions/retention/retention-rules.ts";
import { answerSubject } from "../../../src/feature/subject/answer-subject.ts";
import { operatorRoles } from "../../../src/domain/operator.ts";
import { draftOf } from "../../conformance/scene.ts";
import { type Customer, makeCustomer } from "../../support/customer.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { type Service, startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { addOperator, read, signIn, submit } from "../../console/browse.ts";

const timestamp = "2026-01-31T09:30:00Z";
const reason = "Inquiry 17/26";
const flags = { is_test_user: false, is_retail_customer: true };
for (const engine of ["sqlite", "postgres"] as const) {
  describe(`answers to authorities in the console on ${engine}`, () => {
    let server: PostgresServer | undefined;
    let service: Service;
    let acme: Customer;
    const cookies: Record<string, string> = {};

    const send = async (method: string, path: string, body: object) => {
      const { token } = acme;
      const { status, text } = await service.client.send({ method, path, token, body });
      assert.ok(status < 300, text);
    };
    const person = (id: string, more: object) =>
      send("POST", "/v2/person", { person_id: id, ...flags, timestamp, ...more });
    const post = (path: string, form: Record<string, string>, role = "officer") =>
      submit(service.client, path, {
        cookie: cookies[role],
        form: { organization: acme.organizationId, reason, ...form },
      });
    const answer = async (form: Record<string, string>) => {
      const { status, text } = await post("/console/subjects/answer", form);
      assert.equal(status, 200, text);
      return text;
    };

    /** Waits until the person is erased, or moved with a report that has to be kept. */
    async function erase(resourceId: string): Promise<void> {
      const key = { organizationId: acme.organizationId, resourceType: "person", resourceId };
      const { app } = service;
      const { deletionRequestId } = await requestDeletionOf(app, { ...key, reason: "asked" });
      await waitFor("the deletion", async () => {
        const found = await app.store.findDeletion(deletionRequestId, undefined);
        return found?.status === "completed";
      });
    }

    before(async () => {
      server = engine === "postgres" ? await startPostgres() : undefined;
      const url = await server?.makeDatabase();
      service = await startService(url === undefined ? {} : { environment: { DATABASE_URL: url } });
      acme = await makeCustomer(service.app, service.client);
      for (const role of operatorRoles) {
        await addOperator(service.app, [role]);
        service.clock.advanceMs(60_000);
        cookies[role] = await signIn(service.app, service.client, role);
      }
      await person("b-exact", { name: "Ada Example" });
      await person("gone", { name: "Gone Person" });
      await person("moved", { name: "Moved Person" });
      const sar = { sar_id: "sar-1", status: "FILED", related_person_id: "moved", timestamp };
      await send("POST", "/v2/customer_sar", sar);
    });
    after(async () => {
      await service.stop();
      await server?.remove();
    });
    // The requests of a minute from one address are limited.
    beforeEach(() => service.clock.advanceMs(60_000));

    it("answers on a page without confidential reports, unless somebody who may asks for them", async () => {
      const asked = { type: "person", id: "moved" };
      const plain = await answer(asked);
      assert.match(plain, /A business relationship exists\./);
      assert.doesNotMatch(plain, /customer_sar|SAR/);
      assert.match(await answer({ ...asked, confidential: "on" }), /Customer SAR: 1,/);
      const trail = await service.app.store.listAudit(0, 1_000);
      const entries = trail.filter(({ action }) => action === "subject.answer").slice(-2);
      const details = entries.map(({ detail }) => detail);
      assert.deepEqual(details, [
        { reason, confidential: false },
        { reason, confidential: true },
      ]);
      for (const wrong of [{ type: "transaction" }, { type: "" }, { reason: "" }]) {
        const { status } = await post("/console/subjects/answer", { ...asked, ...wrong });
        assert.ok(status === 400 || status === 404, JSON.stringify(wrong));
      }
    });

    it("says of somebody whose records are restricted what it says of somebody who was erased", async () => {
      const { app } = service;
      const { organizationId } = acme;
      const floor = { organizationId, resourceType: "customer_sar", keepDays: 3_650 };
      await setRule(app, floor);
      await erase("gone");
      await erase("moved");
      const [gone, moved] = await Promise.all(
        ["gone", "moved"].map(async (id) => {
          const text = await answer({ type: "person", id });
          assert.match(text, /There was a record, and it was erased\./);
          const main = /<main.*<\/main>/s.exec(text)?.[0] ?? "";
          const times = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
          return main
            .replaceAll(times, "")
            .replaceAll(/\bdel_\w+|receipt \d+/g, "")
            .replaceAll(id, "");
        }),
      );
      assert.equal(moved, gone);
      const all = await answer({ type: "person", id: "moved", confidential: "on" });
      assert.match(all, /Customer SAR: 1,/);
    });

    it("does not search more transactions than a page has time for", async () => {
      const payment = { type: "DEPOSIT", method: "SEPA", amount: 5, currency: "EUR" };
      const items = Array.from({ length: 501 }, (_, index) => ({
        tx_id: `tx-${index}`,
        ...payment,
        status: "SETTLED",
        sender_id: "b-exact",
        sender_country: "DE",
        timestamp: timestamp.replace("Z", ".5Z"),
      }));
      await send("POST", "/v2/transactions/batch", items);
      const key = { organizationId: acme.organizationId, resourceType: "person" };
      const request = { ...key, resourceId: "b-exact", reason, confidential: false };
      const { records, from } = await answerSubject(service.app, {
        ...request,
        searchedMax: 1_000,
      });
      assert.equal(records.find((one) => one.resource_type === "transaction")?.records, 501);
      // The record of the person is half a second older than the transactions.
      assert.equal(from, timestamp);
      await assert.rejects(answerSubject(service.app, { ...request, searchedMax: 500 }), {
        errorName: "too_much_to_search",
      });
    });

    it("answers about a closed organization without reports only while a floor keeps its records", async () => {
      const { app, clock } = service;
      const answers = [];
      for (const floor of [{ countedFrom: "last_seen" }, { countedFrom: "closed" }, {}] as const) {
        const { organizationId } = await makeCustomer(app, service.client);
        const about = { organizationId, resourceType: "person" };
        await app.store.writeRecords({
          ...about,
          mode: "add",
          drafts: [draftOf("person", "p", { name: "Ada" })],
          lenient: false,
          receivedAt: clock.now(),
        });
        if ("countedFrom" in floor) await setRule(app, { ...about, keepDays: 10_000, ...floor });
        clock.advanceMs(60_000);
        await closeOrganization(app, { organizationId, reason: "ended" });
        const text = await answer({ organization: organizationId, type: "person", id: "p" });
        answers.push(/A business relationship exists|The organization is closed/.exec(text)?.[0]);
      }
      const exists = "A business relationship exists";
      assert.deepEqual(answers, [exists, exists, "The organization is closed"]);
    });

    it("is offered to those who may, for an id or somebody who was found", async () => {
      for (const role of operatorRoles) {
        const path = "/console/subjects/answer";
        const { status, text } = await read(service.client, path, { cookie: cookies[role] });
        assert.equal(status, role === "officer" ? 200 : 403, role);
        assert.equal(/Include confidential reports/.test(text), role === "officer", role);
      }
    });
  });
}
