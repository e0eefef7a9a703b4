// The answer to an authority in the console, on a page to print, also about subjects that were erased or are
// restricted.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { closeOrganization } from "../../../src/actions/access/close-organization.ts";
import { setRule } from "../../../src/actions/retention/retention-rules.ts";
import { answerSubject } from "../../../src/feature/subject/answer-subject.ts";
import { operatorRoles } from "../../../src/domain/operator.ts";
import { draftOf } from "../../conformance/scene.ts";
import { makeCustomer } from "../../support/customer.ts";
import { read } from "../../console/browse.ts";
import { reason, timestamp, usePersons } from "../../console/persons.ts";

describe("answers to authorities in the console", () => {
  const { scene, send, person, post, erase } = usePersons();
  const answer = async (form: Record<string, string>) => {
    const { status, text } = await post("/console/subjects/answer", form);
    assert.equal(status, 200, text);
    return text;
  };
  const search = (name: string) => post("/console/subjects", { reason, name });

  before(async () => {
    await person("b-exact", { name: "Ada Example" });
    await person("gone", { name: "Gone Person" });
    await person("moved", { name: "Moved Person" });
    const sar = { sar_id: "sar-1", status: "FILED", related_person_id: "moved", timestamp };
    await send("POST", "/v2/customer_sar", sar);
  });

  it("answers with a letter, in words, without confidential reports, unless somebody who may asks for them", async () => {
    const asked = { type: "person", id: "moved" };
    const plain = await answer({ ...asked, name: "<b>Moved</b> \u202EPerson" });
    assert.match(
      plain,
      /<dt>Name asked for<\/dt>\s*<dd>&lt;b&gt;Moved&lt;\/b&gt; \uFFFDPerson<\/dd>/,
    );
    assert.match(plain, /<p>The earliest record is of 31 January 2026\.<\/p>/);
    assert.match(plain, /<td>Retail customer<\/td>\s*<td>31 January 2026<\/td>/);
    assert.match(plain, /A business relationship exists\./);
    assert.doesNotMatch(plain, /customer_sar|SAR/);
    assert.match(
      await answer({ ...asked, confidential: "on" }),
      /<th scope="row">Customer SAR<\/th>\s*<td>1<\/td>/,
    );
    const trail = await scene.service.app.store.listAudit(0, 1_000);
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

  it("names the record that it is about, when this person was born, and how the names match", async () => {
    await person("other", { name: "Vladimir Petrov", date_of_birth: "1968-11-20" });
    const asked = { type: "person", id: "other", name: "Wladimir Petrow", match: "similar" };
    const letter = await answer(asked);
    // It came from the list of persons.
    assert.match(letter, /<a [^>]*href="\/console\/subjects"[^>]*aria-current="page"/);
    const facts = [...letter.matchAll(/<dt>([^<]*)<\/dt>\s*<dd>([^<]*)<\/dd>/g)];
    assert.deepEqual(
      facts.slice(2, 6).map(([, name, value]) => [name, value]),
      [
        ["Name asked for", "Wladimir Petrow"],
        ["Name in our records", "Vladimir Petrov"],
        ["Born or founded, in our records", "20 November 1968"],
        ["How the names match", "not exactly: they are only similar"],
      ],
    );
    const unknown = await answer({ ...asked, id: "nobody", match: "exact" });
    assert.doesNotMatch(unknown, /in our records<\/dt>\s*<dd>(?!nobody)/);
  });

  it("says of somebody whose records are restricted what it says of somebody who was erased", async () => {
    const { app } = scene.service;
    const { organizationId } = scene.acme;
    const floor = { organizationId, resourceType: "customer_sar", keepDays: 3_650 };
    await setRule(app, floor);
    await erase("gone");
    await erase("moved");
    const [gone, moved] = await Promise.all(
      ["gone", "moved"].map(async (id) => {
        const text = await answer({ type: "person", id });
        assert.match(text, /There was a record, and it was erased\./);
        const main = /<main.*<\/main>/s.exec(text)?.[0] ?? "";
        return main.replaceAll(/<td>\d+<\/td>\s*<\/tr>/g, "").replaceAll(id, "");
      }),
    );
    assert.equal(moved, gone);
    const all = await answer({ type: "person", id: "moved", confidential: "on" });
    assert.match(all, /<th scope="row">Customer SAR<\/th>\s*<td>1<\/td>/);
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
    const key = { organizationId: scene.acme.organizationId, resourceType: "person" };
    const request = { ...key, resourceId: "b-exact", reason, confidential: false };
    const { records, from } = await answerSubject(scene.service.app, {
      ...request,
      searchedMax: 1_000,
    });
    assert.equal(records.find((one) => one.resource_type === "transaction")?.records, 501);
    // The record of the person is half a second older than the transactions.
    assert.equal(from, timestamp);
    await assert.rejects(answerSubject(scene.service.app, { ...request, searchedMax: 500 }), {
      errorName: "too_much_to_search",
    });
  });

  it("answers about a closed organization without reports only while a floor keeps its records", async () => {
    const { app, clock } = scene.service;
    const answers = [];
    for (const floor of [{ countedFrom: "last_seen" }, { countedFrom: "closed" }, {}] as const) {
      const { organizationId } = await makeCustomer(app, scene.service.client);
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
      const { status, text } = await read(scene.service.client, path, {
        cookie: scene.cookies[role],
      });
      assert.equal(status, role === "officer" ? 200 : 403, role);
      assert.equal(/Include confidential reports/.test(text), role === "officer", role);
    }
  });

  it("asks first whether somebody with a similar name is who was asked for", async () => {
    await person("w-latin", { name: "Wladimir Orlova" });
    const similar = (await search("Vladimir Orlova")).text;
    assert.doesNotMatch(similar, />Answer</);
    const [button = ""] = /<form[^>]*answer".*?<\/form>/s.exec(similar) ?? [];
    assert.match(button, /Answer…<span class="sr"> about w-latin</);
    const hidden = [...button.matchAll(/name="(\w+)" value="([^"]*)"/g)];
    const form = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
    assert.deepEqual([form["match"], form["name"]], ["similar", "Vladimir Orlova"]);
    assert.match(button, /<details>.*<button type="submit">Yes, it is<.*<\/details>/s);
    const { text } = await search("Wladimir Orlova");
    assert.match(text, />Answer<span class="sr"> about w-latin</);
  });
});
