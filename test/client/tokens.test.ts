// The token: fetched once for all waiting calls, cached, renewed in time and when the service
// rejects it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SluiceOptions } from "../../client/src/sluice.ts";
import { type Answer, follow, json, refuse, reply, tokenReply } from "./scripted-fetch.ts";

const found = reply(200);

function acceptSecondToken(code: number): Answer {
  return (sent) =>
    sent.headers["authorization"] === "Bearer sluice_token_secret_1"
      ? json(401, { code, message: "No." })
      : found(sent);
}

describe("the token", () => {
  it("is requested as the options say, with the key as the whole credential", async () => {
    const options = { scopes: ["customer_sar:read"], expirySeconds: 300 } as const;
    const { client, tokenRequests } = follow([found], options);
    await client.customerSars.exists("sar-1");
    const [asked] = tokenRequests;
    assert.equal(asked?.headers["authorization"], "sluice_key_secret");
    assert.equal(asked?.headers["idempotency-key"], undefined);
    assert.deepEqual(JSON.parse(asked?.body ?? ""), {
      expiry_seconds: 300,
      scopes: { organization_id: "o", scopes: ["customer_sar:read"] },
    });
  });

  it("is fetched once for all waiting calls, and cached", async () => {
    const { client, sent, tokenRequests } = follow([found]);
    await Promise.all(Array.from({ length: 20 }, () => client.customerSars.exists("sar-1")));
    await client.customerSars.exists("sar-1");
    assert.equal(tokenRequests.length, 1);
    const used = new Set(sent.map(({ headers }) => headers["authorization"]));
    assert.deepEqual([...used], ["Bearer sluice_token_secret_1"]);
  });

  it("is renewed a minute before its end, or a tenth of its life before if that is less", async (test) => {
    for (const [expirySeconds, keptSeconds] of [
      [3_600, 3_540],
      [300, 270],
    ] as const) {
      test.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 6, 1) });
      const { client, tokenRequests } = follow([found], { expirySeconds });
      await client.customerSars.exists("sar-1");
      test.mock.timers.tick(keptSeconds * 1_000 - 1);
      await client.customerSars.exists("sar-1");
      assert.equal(tokenRequests.length, 1);
      test.mock.timers.tick(1);
      await client.customerSars.exists("sar-1");
      assert.equal(tokenRequests.length, 2);
      test.mock.timers.reset();
    }
  });

  for (const code of [40102, 40103]) {
    it(`is renewed once for all, and the call is repeated under its key: ${code}`, async () => {
      const record = {
        sar_id: "sar-1",
        status: "FILED",
        timestamp: "2026-07-01T00:00:00Z",
      } as const;
      const { client, sent, tokenRequests } = follow([acceptSecondToken(code)], {
        batching: false,
      });
      await Promise.all(Array.from({ length: 5 }, () => client.customerSars.add(record)));
      assert.equal(tokenRequests.length, 2);
      assert.equal(sent.length, 10);
      assert.equal(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size, 5);
    });

    it(`is not renewed twice for one call: ${code}`, async () => {
      const { client, sent, tokenRequests } = follow([refuse(code)]);
      await assert.rejects(client.customerSars.exists("sar-1"), { code });
      assert.deepEqual([sent.length, tokenRequests.length], [2, 2]);
    });
  }

  it("that one caller stops waiting for is still delivered to the others", async () => {
    const gate = Promise.withResolvers<void>();
    const stop = new AbortController();
    const { client } = follow([found], {
      apiKey: undefined,
      getToken: async () => {
        await gate.promise;
        return { token: "t", expiry: 0 };
      },
    });
    const reason = new Error("enough");
    const [one, other] = [stop.signal, undefined].map((signal) =>
      client.customerSars.exists("sar-1", { signal }),
    );
    stop.abort(reason);
    await assert.rejects(
      async () => one,
      (error) => error === reason,
    );
    gate.resolve();
    assert.ok((await other) !== undefined);
  });

  it("can come from a function instead of a key", async (test) => {
    test.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 6, 1) });
    const lifeSeconds = 600;
    let count = 0;
    const getToken: SluiceOptions["getToken"] = async () => {
      count += 1;
      return { token: `given_${count}`, expiry: Date.now() / 1_000 + lifeSeconds };
    };
    const { client, sent } = follow([found], { apiKey: undefined, getToken });
    await client.customerSars.exists("sar-1");
    test.mock.timers.tick((lifeSeconds - 61) * 1_000);
    await client.customerSars.exists("sar-1");
    test.mock.timers.tick(1_000);
    await client.customerSars.exists("sar-1");
    assert.deepEqual(
      sent.map(({ headers }) => headers["authorization"]),
      ["Bearer given_1", "Bearer given_1", "Bearer given_2"],
    );
  });

  it("from a function is cached for a while even if it seems to have expired, because of a wrong clock", async () => {
    let count = 0;
    const getToken: SluiceOptions["getToken"] = async () => {
      count += 1;
      return { token: "given", expiry: 1_000_000 };
    };
    const { client } = follow([found], { apiKey: undefined, getToken });
    await client.customerSars.exists("sar-1");
    await client.customerSars.exists("sar-1");
    assert.equal(count, 1);
  });

  it("is refused if it can't be valid, without being shown", async () => {
    const { client, sent } = follow([found], {
      apiKey: undefined,
      getToken: async () => ({ token: "se\ncret", expiry: 0 }),
    });
    await assert.rejects(client.customerSars.exists("sar-1"), (error) => {
      assert.ok(error instanceof TypeError && !error.message.includes("cret"));
      return true;
    });
    assert.equal(sent.length, 0);
  });

  it("is requested again after it could not be fetched", async () => {
    let count = 0;
    const { client } = follow([found], {
      retryForMs: 0,
      fetch: async (url) => {
        if (typeof url === "string" && !url.endsWith("/auth/token"))
          return json(200, { first_seen: "" });
        count += 1;
        return count === 1 ? json(403, { code: 40301, message: "No." }) : json(200, tokenReply(1));
      },
    });
    await assert.rejects(client.customerSars.exists("sar-1"), { code: 40301 });
    assert.ok((await client.customerSars.exists("sar-1")) !== undefined);
  });
});
