// The copy for people: everything in it is escaped and in words, it is sent in parts, and it says what it leaves out.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { before, describe, it } from "node:test";
import { copyPolicy, writeCopy } from "../../../src/feature/subject/copy.ts";
import { Texts } from "../../../src/feature/subject/texts.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { makeNastyRecord, nasty } from "../../console/nasty-record.ts";
import { timestamp, usePersons } from "../../console/persons.ts";

const payment = {
  type: "DEPOSIT",
  method: "SEPA",
  amount: 1_250.5,
  currency: "EUR",
  status: "SETTLED",
  sender_id: "p",
  sender_country: "DE",
  timestamp,
};
const count = 300;

describe("the copy for people", () => {
  const { scene, send, person, post } = usePersons();
  const show = async (id: string, more = {}) => {
    const { status, text, headers } = await post("/console/access/page", {
      type: "person",
      id,
      ...more,
    });
    assert.equal(status, 200, text);
    return { text, headers };
  };

  before(async () => {
    await person("p", { name: "Ada Example", product_type: "x".repeat(1_000) });
    // The last one arrives first.
    const items = Array.from({ length: count }, (_, no) => {
      const at = Date.parse(timestamp) - no * 1_000;
      return { ...payment, tx_id: `tx-${no}`, timestamp: new Date(at).toISOString() };
    });
    await send("POST", "/v2/transactions/batch", items);
    const check = { check_id: "c", status: "COMPLETED", type: "INLINE_MONITORING", timestamp };
    await send("POST", "/v2/transaction_check", { ...check, related_tx_ids: ["tx-1"] });
    const sar = { sar_id: "sar-1", status: "FILED", related_person_id: "p", timestamp };
    await send("POST", "/v2/customer_sar", sar);
  });

  it("has everything but what is confidential, in words, with transactions as rows of one table", async () => {
    const { text } = await show("p");
    const list = /<table class="list">.*?<\/table>/s.exec(text)?.[0] ?? "";
    const rows = [...list.matchAll(/<td>tx-(\d+)<\/td>/g)].map(([, no]) => Number(no));
    assert.deepEqual(
      rows,
      Array.from({ length: count }, (_, no) => count - 1 - no),
    );
    assert.match(
      list,
      /31 Jan 2026, 09:30:00 UTC.*Deposit\nSEPA.*EUR\u00a01,250\.50.*Settled.*p\nGermany/s,
    );
    assert.match(text, /<h2>Transaction check<\/h2>\s*<h3>c<\/h3>.*Inline monitoring/s);
    assert.match(text, /Name<\/th>\s*<td>Ada Example<\/td>/);
    assert.doesNotMatch(text, /SAR/);
    const actions = (await scene.service.app.store.listAudit(0, 1_000)).map(({ action }) => action);
    assert.equal(actions.at(-1), "subject.export");
  });

  it("runs nothing, and allows its own style only, whether it is shown or downloaded", async () => {
    const shown = await show("p");
    const { text, headers } = await show("p", { download: "on" });
    const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? "";
    assert.ok(copyPolicy.includes(`'sha256-${hash("sha256", style, "base64")}'`));
    assert.ok(String(shown.headers["content-security-policy"]).startsWith(copyPolicy));
    assert.ok(text.includes(copyPolicy.replaceAll("'", "&#39;")));
    assert.doesNotMatch(text, /<script|style="|unsafe/);
    assert.match(headers["content-disposition"] ?? "", /^attachment; .*access-request\.html$/);
    assert.match(shown.headers["content-type"] ?? "", /^text\/html/);
  });

  it("says which records are only in the copy for programs, if there are very many", async () => {
    const { organizationId } = scene.acme;
    const request = {
      organizationId,
      resourceType: "person",
      resourceId: "p",
      confidential: false,
    };
    const options = { texts: new Texts(), recordsMax: 100 };
    const text = (await Array.fromAsync(await writeCopy(scene.service.app, request, options))).join(
      "",
    );
    assert.equal(text.match(/<td>tx-\d+<\/td>/g)?.length, 99);
    assert.match(text, /Only the first 100 records are shown here\./);
    assert.match(text, /Transaction<\/th>\s*<td>300<\/td>\s*<td>99<\/td>/);
  });

  it("shows markup, control characters and very long values in every field as text", async () => {
    for (const type of recordTypes.filter(({ confidential }) => confidential !== true)) {
      const own = type.resourceType === "person" ? { person_id: "evil" } : {};
      const relation = type.relations.some(({ to }) => to === "person") && {
        related_person_id: "evil",
      };
      const party = type.partyFields.length > 0 && { sender_id: "evil", sender_country: "DE" };
      const body = { ...makeNastyRecord(type), ...own, ...relation, ...party };
      await send("POST", `/v2/${type.resourceType}`, body);
    }
    const properties = [{ key: "k\u202E<i>", type: "STRING", value: `<b>${"y".repeat(5_000)}` }];
    const later = { person_id: "evil", timestamp: "2027-01-01T00:00:00Z" };
    await send("PUT", "/v2/person", { ...later, additional_properties: properties });
    const { text } = await show("evil");
    assert.ok(!text.includes(nasty) && !/<(?:script|img|b|i)[ >]/.test(text));
    assert.ok(text.split("alert(&quot;1&quot;)").length > 20);
    assert.ok(text.includes("k\uFFFD&lt;i&gt;: &lt;b&gt;yyy") && /y…<\/td>/.test(text));
    assert.ok(!text.includes("y".repeat(2_001)));
  });
});
