// The refusals in the console, counted wherever a record is refused and without anything that a client chose.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { recordTypeByName } from "../../src/domain/record-types.ts";
import { fieldPointer, unknownField } from "../../src/domain/validation/field-pointer.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Service, startService } from "../support/service.ts";
import { addOperator, read, signIn } from "./browse.ts";

const nasty = `<script>alert("1")</script>`;
const person = { is_test_user: false, is_retail_customer: true, timestamp: "2026-01-31T09:30:00Z" };

/** The rows of a code, without tags. */
const counts = (page: string, code: number) =>
  [...page.matchAll(/<tr>[^]*?<\/tr>/g)]
    .map(([row]) => row.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "))
    .filter((row) => row.includes(` ${code} `));

describe("the refusals in the console", () => {
  let service: Service;
  let acme: Customer;
  let cookie: string;

  before(async () => {
    service = await startService();
    acme = await makeCustomer(service.app, service.client);
    await addOperator(service.app, ["viewer"]);
    cookie = await signIn(service.app, service.client, "viewer");
  });
  after(() => service.stop());

  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}, path = "person") =>
    service.client.send({
      method: "POST",
      path: `/v2/${path}`,
      token: acme.token,
      headers,
      body,
    });
  const show = async (query = "") =>
    (await read(service.client, `/console/intake${query}`, { cookie })).text;
  it("say first that nothing was refused", async () => {
    assert.match(await show(), /Nothing was refused\./);
  });

  it("count every way in which records are refused, without content", async () => {
    const strict = { person_id: `secret-${nasty}`, ...person, [nasty]: nasty, timestamp: nasty };
    await post(strict);
    const items = [{ person_id: "p1" }, { person_id: "p2", ...person }];
    await post(items, { prefer: "handling=lenient" });
    const long = Array.from({ length: 300 }, (_, index) => ({ person_id: `secret-${index}` }));
    await post(long, { prefer: "handling=lenient" });
    const ndjson = { "content-type": "application/x-ndjson" };
    await post(`{"person_id":"secret-s"}\nnot json\n`, ndjson);
    await post({ sar_id: "secret" }, {}, "customer_sar");
    await service.client.send({ method: "GET", path: "/v2/person?person_id=x", token: "wrong" });
    const page = await show();
    for (const hidden of ["secret", nasty, "alert", "customer_sar", "Customer SAR"]) {
      assert.ok(!page.includes(hidden), hidden);
    }
    const invalid = counts(page, 40_000);
    const timesOf = (field: string) =>
      invalid.find((row) => row.includes(` Person ${field} `))?.match(/ (\d+) 2026/)?.[1];
    assert.equal(timesOf("/timestamp"), "303");
    assert.equal(timesOf("/is_test_user"), "302");
    assert.equal(timesOf(unknownField), "1");
    assert.ok(invalid.every((row) => row.includes(acme.keyId)));
    assert.equal(counts(page, 40_001).length, 1);
    assert.match(counts(page, 40_102)[0] ?? "", /unknown/);
  });

  it("do not count an existence check that finds nothing, nor does the health", async () => {
    const { client } = service;
    const ask = (path: string, method = "GET") =>
      client.send({ method, path: `/v2/${path}`, token: acme.token });
    for (const method of ["GET", "HEAD"]) {
      assert.equal((await ask("person?person_id=none", method)).status, 404);
    }
    assert.equal((await ask("deletion_request?deletion_request_id=none")).status, 404);
    const page = await show();
    assert.deepEqual([counts(page, 40_401).length, counts(page, 40_402).length], [0, 1]);
    await addOperator(service.app, ["operator"]);
    const operator = await signIn(service.app, client, "operator");
    const health = await read(client, "/console/health", { cookie: operator });
    assert.match(health.text, /Refused requests in the last hour/);
    assert.match(health.text, />404\s*<[^]*?class="number">1</);
  });

  it("are filtered by code, organization and key", async () => {
    assert.equal(counts(await show("?code=40001"), 40_000).length, 0);
    assert.equal(counts(await show("?code=40001"), 40_001).length, 1);
    assert.match(await show("?key=none"), /Nothing like this was refused/);
    assert.equal(counts(await show(`?organization=${acme.organizationId}`), 40_001).length, 1);
  });
});

describe("the pointer of a field", () => {
  const cases = [
    ["company", "", ""],
    ["company", "[12].timestamp", "/timestamp"],
    ["company", "[12]", ""],
    ["company", "addresses[3].address.city", "/addresses/address/city"],
    ["company", `addresses[3].${nasty}`, `/addresses/${unknownField}`],
    ["company", "constructor", unknownField],
    ["company", "secret", unknownField],
    ["company", "additional_properties[2].key", "/additional_properties/key"],
    ["onboarding_flow", "outcome_reason.secret.deep", "/outcome_reason/*"],
  ] as const;

  for (const [name, field, pointer] of cases) {
    it(`of ${field === "" ? "a record" : field} is ${pointer === "" ? "empty" : pointer}`, () => {
      const type = recordTypeByName(name);
      assert.equal(type && fieldPointer(type, field), pointer);
    });
  }
});
