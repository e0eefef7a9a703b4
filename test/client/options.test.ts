// The options of the client: what is rejected, and that no secret is ever shown, by the client or
// by its errors.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { Sluice, type SluiceOptions } from "../../client/src/sluice.ts";
import { apiKey, failConnection, follow, json, page, refuse, reply } from "./scripted-fetch.ts";

const good: SluiceOptions = { baseUrl: "http://127.0.0.1:1", apiKey, organizationId: "o" };
const getToken = async () => ({ token: "t", expiry: 0 });

describe("an option", () => {
  const wrong: readonly (readonly [name: keyof SluiceOptions, value: unknown])[] = [
    ["baseUrl", undefined],
    ["baseUrl", "127.0.0.1:8080"],
    ["baseUrl", "ftp://sluice.invalid"],
    ["baseUrl", "https://user:secret@sluice.invalid"],
    ["baseUrl", "https://sluice.invalid/?key=secret"],
    ["baseUrl", "https://sluice.invalid/#secret"],
    ["baseUrl", "https://sluice.invalid/secret"],
    ["apiKey", undefined],
    ["apiKey", ""],
    ["apiKey", "sluice_key_\nsecret"],
    ["apiKey", "sluice_key_sécret"],
    ["organizationId", undefined],
    ["organizationId", ""],
    ["expirySeconds", 299],
    ["expirySeconds", 86_401],
    ["expirySeconds", 300.5],
    ["retryForMs", -1],
    ["retryForMs", Number.POSITIVE_INFINITY],
    ["timeoutMs", 0],
    ["timeoutMs", Number.NaN],
    ["timeoutMs", Number.POSITIVE_INFINITY],
  ];
  for (const [name, value] of wrong) {
    it(`is refused by name, and not shown: ${name} ${JSON.stringify(value)}`, () => {
      assert.throws(
        () => new Sluice({ ...good, [name]: value }),
        (error) => {
          assert.ok(error instanceof TypeError);
          assert.match(error.message, new RegExp(`^${name} must be `));
          assert.doesNotMatch(inspect(error), /s[eé].?cret/);
          return true;
        },
      );
    });
  }

  it("is valid at its bounds", () => {
    for (const fine of [{ expirySeconds: 300 }, { expirySeconds: 86_400 }, { retryForMs: 0 }, {}]) {
      assert.ok(new Sluice({ ...good, ...fine }) instanceof Sluice);
    }
  });

  it("can give the address a trailing slash", async () => {
    let asked = "";
    const fetch: typeof globalThis.fetch = async (url) => {
      asked = typeof url === "string" ? url : "";
      return json(200, { token: "t", first_seen: "" });
    };
    const baseUrl = "https://sluice.invalid:8443/";
    await new Sluice({ ...good, baseUrl, fetch }).persons.exists("p 1");
    assert.equal(asked, "https://sluice.invalid:8443/v2/person?person_id=p%201");
  });

  it("that does not exist is refused by name, of the client and of a call", async () => {
    assert.throws(() => new Sluice({ ...good, apikey: "secret" } as SluiceOptions), {
      name: "TypeError",
      message: /^apikey is not an option; the options are baseUrl, apiKey, /,
    });
    const { client, sent } = follow([reply(201)]);
    const options = { idempotencykey: "k", ofset: "1", batchsize: 1 };
    await assert.rejects(client.persons.delete("p", "r", options as object), /^TypeError: idempo/);
    await assert.rejects(
      client.persons.update([], options as object),
      /^TypeError: idempotencykey/,
    );
    const stated = { basis: "other" } as object;
    await assert.rejects(client.persons.update([], stated), /^TypeError: basis is not/);
    await assert.rejects(client.changes({ ofset: "1" } as object).next(), /^TypeError: ofset is/);
    assert.throws(() => client.persons.addAll([], { batchsize: 1 } as object), /batchsize is not/);
    assert.equal(sent.length, 0);
  });

  it("excludes another credential", () => {
    for (const other of [{ tokenSource: "/token" }, { getToken }]) {
      const message = `apiKey and ${Object.keys(other).join("")} exclude each other.`;
      assert.throws(() => new Sluice({ ...good, ...other }), { name: "TypeError", message });
    }
  });

  it("can be a key with the line end of the file that it was read from", async () => {
    const { client, tokenRequests } = follow([reply(200)], { apiKey: `${apiKey}\n` });
    await client.persons.exists("p");
    assert.equal(tokenRequests[0]?.headers["authorization"], apiKey);
  });

  it("of a call is refused too: a key that no header can contain", async () => {
    const { client, sent } = follow([reply(201)]);
    for (const idempotencyKey of ["", "a b", "ü", "a\nb", "x".repeat(256)]) {
      await assert.rejects(client.persons.delete("p", "r", { idempotencyKey }), /idempotencyKey/);
    }
    assert.equal(sent.length, 0);
  });
});

function isShown(value: unknown): boolean {
  return inspect(value, { depth: Infinity, showHidden: true, getters: true }).includes("secret");
}

describe("a record", () => {
  const person = { person_id: "p", is_test_user: true, is_retail_customer: true };
  const timestamp = "2026-07-01T00:00:00Z";

  it("with a number that would become null is not sent", async () => {
    const { client, sent } = follow([reply(201)]);
    for (const invalid of [Number.NaN, Infinity, -Infinity]) {
      const record = { ...person, timestamp, ownership_percentage: invalid };
      for (const call of [client.persons.add(record), client.persons.update([record])]) {
        await assert.rejects(call, /^TypeError: ownership_percentage must be a finite number/);
      }
    }
    assert.equal(sent.length, 0);
  });

  it("with a bigint is not sent, and the error names the field", async () => {
    const { client, sent } = follow([reply(201)]);
    const record = { ...person, timestamp, ownership_percentage: 50n as unknown as number };
    for (const call of [client.persons.add(record), client.persons.update([record])]) {
      await assert.rejects(call, /^TypeError: ownership_percentage must be a number, but is a big/);
    }
    assert.equal(sent.length, 0);
  });

  it("with a date that would become null, which clears a field, is not sent", async () => {
    const { client, sent } = follow([reply(201)]);
    const ofALibrary = { toJSON: () => null } as unknown as Date;
    for (const invalid of [new Date("31.01.2026"), ofALibrary]) {
      const update = { ...person, timestamp, first_transaction_completed_at: invalid };
      for (const call of [client.persons.update(update), client.persons.add([update])]) {
        await assert.rejects(
          call,
          /^TypeError: first_transaction_completed_at must be a valid date/,
        );
      }
      const refused = await Array.fromAsync(client.persons.updateAll([update]));
      assert.match(refused[0]?.message ?? "", /^first_transaction_completed_at must be a valid/);
    }
    assert.equal(sent.length, 0);
  });

  it("has a Date as a timestamp in UTC", async () => {
    const { client, sent } = follow([reply(200)]);
    await client.persons.update({ person_id: "p", timestamp: new Date(Date.UTC(2026, 0, 31)) });
    const { timestamp: text } = JSON.parse(sent[0]?.body ?? "") as { timestamp: string };
    assert.equal(text, "2026-01-31T00:00:00.000Z");
  });

  it("that is not an object is not sent", async () => {
    const { client, sent } = follow([reply(201)]);
    for (const record of [undefined, null, 5, "person"]) {
      await assert.rejects(client.persons.add(record as never), /records must be a record/);
    }
    assert.equal(sent.length, 0);
  });

  it("can contain a meaningful null", async () => {
    const { client, sent } = follow([reply(200)]);
    const update = { person_id: "p", timestamp, email: null, ownership_percentage: 0.5 };
    await client.persons.update(update);
    assert.deepEqual(JSON.parse(sent[0]?.body ?? ""), update);
  });
});

describe("a secret", () => {
  it("is not shown by the client", async () => {
    const { client } = follow([reply(200)]);
    await client.persons.exists("p");
    assert.ok(isShown({ apiKey }));
    for (const part of [client, client.persons, client.deletions, client.persons.addAll([])]) {
      assert.ok(!isShown(part));
      assert.ok(!JSON.stringify(part).includes("secret"));
    }
  });

  it("is not shown by the errors of a call, nor is the sent data", async () => {
    const record = { person_id: "secret", is_test_user: true, is_retail_customer: true };
    const person = { ...record, timestamp: "2026-07-01T00:00:00Z" };
    for (const failure of [
      failConnection,
      page(502),
      refuse(40000),
      refuse(40104),
      reply(200, ""),
    ]) {
      const { client } = follow([failure], { retryForMs: 0 });
      for (const call of [client.persons.add(person), client.persons.exists("secret")]) {
        const error: unknown = await call.catch((caught: unknown) => caught);
        assert.ok(error instanceof Error);
        assert.ok(!isShown(error), inspect(error));
      }
    }
  });
});
