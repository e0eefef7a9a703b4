// Every field of every type with invalid values, over HTTP: each is refused and named by its path.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { fullPayload, placesOf, withPlace, wrongValues } from "../domain/samples.ts";
import type { Reply } from "../support/http-client.ts";
import type { Fields } from "../support/record-generator.ts";
import { check, idOf, pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const customer = await scene.makeCustomer();
after(() => scene.stop());

function send(method: "POST" | "PUT", type: RecordType, body: unknown): Promise<Reply> {
  return scene.ask(customer, { method, path: pathOf(type), body });
}

function assertRefused(reply: Reply, field: string, what: string): void {
  assert.equal(reply.status, 400, `${field} with ${what}: ${reply.text}`);
  assert.equal(reply.body.code, 40000);
  const named = reply.body.errors?.map((error) => error.field) ?? [];
  assert.ok(named.includes(field), `${field} with ${what} is not named in ${reply.text}`);
}

for (const type of recordTypes) {
  describe(type.resourceType, () => {
    it("is added with every field filled in", async () => {
      const related = type.fieldNames.filter((name) => name.startsWith("related_"));
      for (const [index, keep] of [undefined, ...related].entries()) {
        const record = { ...fullPayload(type, keep), [type.idField]: `full ${index}` };
        const reply = await send("POST", type, record);
        assert.equal(reply.status, 201, reply.text);
      }
    });

    it("is refused without each of its required fields", async () => {
      const full = fullPayload(type);
      for (const { path, steps, required } of placesOf(type.addSchema)) {
        if (!required || path.endsWith("]")) continue;
        const reply = await send("POST", type, withPlace(full, steps, undefined));
        assertRefused(reply, path, "nothing");
      }
    });

    for (const method of ["POST", "PUT"] as const) {
      it(`is refused by ${method} for each invalid value of a field`, async () => {
        const full = fullPayload(type);
        for (const { path, steps, schema } of placesOf(type.addSchema)) {
          for (const [what, value] of wrongValues(schema)) {
            if (value === Infinity) continue;
            assertRefused(await send(method, type, withPlace(full, steps, value)), path, what);
          }
        }
      });
    }

    it("is refused with an unknown field, with a suggestion of the field that was meant", async () => {
      const record = scene.records.record(type);
      const { timestamp, ...rest } = record;
      const reply = await send("POST", type, { ...rest, timestmap: timestamp });
      assertRefused(reply, "timestmap", "an unknown name");
      assertRefused(reply, "timestamp", "nothing");
      assert.match(reply.text, /did you mean timestamp\?/);
      const far = await send("POST", type, { ...record, zzzzzzzzzzzzzz: 1 });
      assertRefused(far, "zzzzzzzzzzzzzz", "an unknown name");
      assert.doesNotMatch(far.text, /did you mean/);
    });

    it("is refused with names that are special in JavaScript", async () => {
      const text = JSON.stringify(scene.records.record(type));
      for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
        const reply = await send("POST", type, text.replace(/\}$/, `,"${name}":{"isAdmin":true}}`));
        assertRefused(reply, name, "an object");
        assert.equal(({} as Fields)["isAdmin"], undefined);
      }
    });

    it("is refused with numbers that would be rounded, where it has numbers", async () => {
      const record = fullPayload(type);
      const numbers = Object.keys(record).filter((name) => typeof record[name] === "number");
      for (const name of numbers) {
        for (const number of [
          "9007199254740993",
          "0.12345678901234567",
          "1e400",
          "1e-400",
          "-1e309",
        ]) {
          const text = JSON.stringify({ ...record, [name]: 0 }).replace(
            `"${name}":0`,
            `"${name}":${number}`,
          );
          assertRefused(await send("POST", type, text), name, number);
        }
      }
    });

    it("is refused when it is not an object", async () => {
      for (const body of ["text", 1, true, null]) {
        const reply = await send("POST", type, JSON.stringify(body));
        assert.equal(reply.status, 400, reply.text);
        assert.equal(reply.body.code, 40000);
      }
    });

    it("is refused with two additional properties of one key", async () => {
      const property = { key: "twice", value: "1", type: "NUMBER" };
      const additional_properties = [property, { ...property, value: "2" }];
      const reply = await send("POST", type, { ...type.example, additional_properties });
      assertRefused(reply, "additional_properties[1].key", "a key that was there");
    });

    it("gets all errors at once, up to a hundred, with a note if there are more", async () => {
      const record = scene.records.record(type);
      const unknown = Object.fromEntries(
        Array.from({ length: 150 }, (_, index) => [`zz${index}`, 1]),
      );
      const reply = await send("POST", type, { ...record, ...unknown });
      assert.equal(reply.status, 400);
      assert.equal(reply.body.errors?.length, limits.fieldErrorsMax);
      assert.match(reply.body.message ?? "", /first 100 .* more/);
    });

    it("does not exist after any refusal", async () => {
      const record = fullPayload(type);
      const id = "never added";
      await send("POST", type, { ...record, [type.idField]: id, timestamp: "yesterday" });
      assert.equal((await check(scene, customer, { type, id })).status, 404);
      assert.notEqual(idOf(type, record), id);
    });
  });
}

describe("rules across fields", () => {
  const cases: readonly (readonly [string, Fields, readonly string[]])[] = [
    [
      "transaction",
      { sender_id: undefined, receiver_id: undefined, sender_country: undefined },
      ["sender_id"],
    ],
    ["transaction", { sender_id: "a", sender_country: undefined }, ["sender_country"]],
    ["transaction", { receiver_id: "a", receiver_country: undefined }, ["receiver_country"]],
    [
      "screening",
      { related_tx_id: "a", related_person_id: "b", related_company_id: "c" },
      ["related_person_id", "related_company_id"],
    ],
    [
      "risk_assessment",
      { related_person_id: "b", related_company_id: "c" },
      ["related_company_id"],
    ],
    [
      "identity_verification",
      { related_person_id: "b", related_company_id: "c" },
      ["related_company_id"],
    ],
    [
      "onboarding_flow",
      { related_person_id: "b", related_company_id: "c" },
      ["related_company_id"],
    ],
    [
      "customer_sar",
      { related_person_id: undefined, related_company_id: undefined },
      ["related_person_id"],
    ],
    [
      "person",
      {
        is_retail_customer: false,
        is_beneficial_owner: undefined,
        is_director: undefined,
        is_account_owner: undefined,
        is_shareholder: undefined,
      },
      ["is_beneficial_owner", "is_director", "is_account_owner", "is_shareholder"],
    ],
  ];

  for (const [name, overrides, fields] of cases) {
    it(`refuse a ${name} for ${fields.join(", ")}`, async () => {
      const type = typeNamed(name);
      const reply = await send("POST", type, { ...type.example, ...overrides });
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(
        reply.body.errors?.map(({ field }) => field),
        fields,
      );
    });
  }

  it("allow a transaction to be negative, zero or of unknown amount", async () => {
    const type = typeNamed("transaction");
    for (const [index, amount] of [-12.5, 0, null].entries()) {
      const reply = await send("POST", type, { ...type.example, tx_id: `amount ${index}`, amount });
      assert.equal(reply.status, 201, reply.text);
    }
  });

  it("allow a customer SAR to be about a person and a company", async () => {
    const type = typeNamed("customer_sar");
    const related = { related_person_id: "b", related_company_id: "c" };
    assert.equal((await send("POST", type, { ...type.example, ...related })).status, 201);
  });
});
