// Finding persons and companies in the console: what is found and in which order; and that what is asked stays in the
// form.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { setRule } from "../../../src/actions/retention/retention-rules.ts";
import { operatorRoles } from "../../../src/domain/operator.ts";
import { read } from "../../console/browse.ts";
import { reason, timestamp, usePersons } from "../../console/persons.ts";

const later = "2026-02-01T08:00:00Z";

describe("finding persons in the console", () => {
  const { scene, send, person, post, erase } = usePersons();
  const search = async (form: Record<string, string>) => {
    const { status, text } = await post("/console/subjects", form);
    assert.equal(status, 200, text);
    return text;
  };

  before(async () => {
    const traits = { address: { city: "Berlin" }, account_status: "APPROVED" };
    await person("b-exact", { name: "Ada Example", date_of_birth: "1990-12-10", ...traits });
    await person("a-partial", { name: "Ada Maria Example" });
    await person("c-former", { name: "Ada Example", email: "ada@example.org" });
    await send("PUT", "/v2/person", { person_id: "c-former", name: "Eda", timestamp: later });
    await person("gone", { name: "Gone Person" });
    await person("moved", { name: "Moved Person" });
    const sar = { sar_id: "sar-1", status: "FILED", related_person_id: "moved", timestamp };
    await send("POST", "/v2/customer_sar", sar);
  });

  it("lists exact matches before partial ones, with the fields, and says which values are former", async () => {
    const text = await search({ name: "Example, Ada" });
    assert.deepEqual(idsOf(text), ["b-exact", "c-former", "a-partial"]);
    assert.match(text, /Name: exact</);
    const [first = ""] = /<tr>\s*<td[ >].*?<\/tr>/s.exec(text) ?? [];
    assert.match(first, /<bdi>Ada Example<\/bdi> <small class="id">b-exact</);
    assert.match(first, /1990-12-10.*<bdi>Berlin<\/bdi>.*Approved/s);
    // What was stated before is not shown.
    assert.match(text, /<bdi>Eda<\/bdi> <small class="id">c-former</);
    assert.match(text, /Name: exact, former value of name</);
    assert.match(text, /Name: partial</);
    const both = await search({ name: "Ada Example", born: "1990-12-10" });
    assert.equal(idsOf(both)[0], "b-exact");
    assert.match(both, /Name: exact; Date of birth: exact</);
  });

  it("lists similar names apart, once, and with the rule that found them", async () => {
    await person("w-latin", { name: "Wladimir Petrov", date_of_birth: "1971-02-03" });
    await person("w-other", { name: "Vladimir Petrow" });
    await person("w-letter", { name: "Vladimir Petro" });
    const text = await search({ name: "Vladimir Petrov" });
    const [exact = "", similar = ""] = text.split('id="similar"');
    assert.deepEqual([idsOf(exact), idsOf(similar)], [[], ["w-latin", "w-other", "w-letter"]]);
    assert.match(similar, /Similar: 3 subjects/);
    assert.match(similar, /1971-02-03.*Name: another transliteration<.*Name: one letter apart</s);
    const found = await search({ name: "Wladimir Petrov" });
    assert.deepEqual(idsOf(found), ["w-latin", "w-other"]);
    assert.doesNotMatch(await search({ name: "Ada Example" }), /id="similar"/);
  });

  it("is recorded with the reason; what was entered is in no address, log or entry", async () => {
    const secret = { name: "Unheardof Somebody", email: "unheardof@example.org" };
    const text = await search({ ...secret, telephone: "+49 30 7654321" });
    assert.match(text, /Nobody was found/);
    const trail = await scene.service.app.store.listAudit(0, 1_000);
    const [entry] = trail.filter(({ action }) => action === "subject.find").slice(-1);
    assert.equal(entry?.actor, "officer");
    assert.deepEqual(entry?.detail, { reason, by: ["name", "email", "telephone"] });
    const addresses = [...text.matchAll(/(?:href|action)="([^"]*)"/g)].join(" ");
    for (const place of [JSON.stringify(trail), scene.service.log.join("\n"), addresses]) {
      assert.doesNotMatch(place, /unheardof|7654321/i);
    }
    const { status } = await post("/console/subjects", { name: "Ada", reason: " " });
    assert.equal(status, 400);
  });

  it("refuses hostile and endless input without repeating it, and escapes the rest", async () => {
    for (const name of ["x".repeat(1_025), "a\u0000b", "a\u0085b", "   ", "!?"]) {
      const { status, text } = await post("/console/subjects", { name });
      assert.equal(status, 400, name);
      assert.doesNotMatch(text, /x{20}/);
    }
    const large = await post("/console/subjects", { name: "x".repeat(2_000_000) });
    assert.equal(large.status, 413);
    const text = await search({ name: '"><script>alert(1)</script>' });
    assert.doesNotMatch(text, /<script>alert/);
  });

  it("finds nobody who was erased, or whose records are restricted", async () => {
    const { organizationId } = scene.acme;
    const floor = { organizationId, resourceType: "customer_sar", keepDays: 3_650 };
    await setRule(scene.service.app, floor);
    for (const [id, name] of [
      ["gone", "Gone Person"],
      ["moved", "Moved Person"],
    ] as const) {
      assert.deepEqual(idsOf(await search({ name })), [id]);
      await erase(id);
      assert.match(await search({ name }), /Nobody was found/);
    }
  });

  it("is offered to those who may, on the page for finding records", async () => {
    for (const role of operatorRoles) {
      const { text } = await read(scene.service.client, "/console/find", {
        cookie: scene.cookies[role],
      });
      assert.equal(text.includes('href="/console/subjects"'), role === "officer", role);
    }
    const { text } = await read(scene.service.client, "/console/subjects", {
      cookie: scene.cookies["officer"],
    });
    assert.match(text, /name="telephone"/);
  });
});

function idsOf(text: string): readonly (string | undefined)[] {
  return [...text.matchAll(/&amp;id=([^"]+)"\s*><bdi>/g)].map(([, id]) => id);
}
