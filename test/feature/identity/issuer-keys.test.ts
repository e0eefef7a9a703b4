// How the keys of an issuer are read at POST /auth/token, also of one that is slow, hostile or away, and what refusals
// disclose.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, describe, it } from "node:test";
import type { WantedRule } from "../../../src/feature/identity/rules.ts";
import { makeJwt, type PlatformIssuer, startPlatformIssuer } from "./platform-issuer.ts";
import { startProgramScene } from "./program-scene.ts";
import { fromNewAddress, withoutRequestId } from "../../contract/scene.ts";

const scene = await startProgramScene();
const { clock, issuer, send, service, trust, withTrust } = scene;
after(() => scene.stop());

async function withIssuer(
  work: (own: PlatformIssuer, ask: (token?: string) => Promise<number>) => Promise<void>,
  more: (own: PlatformIssuer) => Partial<WantedRule> = () => ({}),
): Promise<void> {
  const own = await startPlatformIssuer(clock.now);
  try {
    const customer = await scene.makeCustomer();
    await trust(customer, own, { reusable: true, ...more(own) });
    const ask = async (token = own.sign({ sub: "intake" })) => (await send(customer, token)).status;
    await work(own, ask);
  } finally {
    await own.stop();
  }
}
const both = ["/.well-known/openid-configuration", "/keys"];

describe("the keys of an issuer", () => {
  it("are read once, and again after ten minutes", async () => {
    await withIssuer(async (own, ask) => {
      const statuses = await Promise.all(Array.from({ length: 10 }, () => ask()));
      assert.deepEqual(new Set(statuses), new Set([200]));
      assert.deepEqual(own.requests, both);
      clock.advanceMs(599_000);
      await ask();
      assert.deepEqual(own.requests, both);
      clock.advanceMs(1_000);
      await ask();
      assert.deepEqual(own.requests, [...both, "/keys"]);
    });
  });

  it("are read again for an unknown kid, at most every 30 seconds", async () => {
    await withIssuer(async (own, ask) => {
      assert.equal(await ask(), 200);
      const key = own.addKey("second");
      const seconds = Math.floor(clock.now() / 1_000);
      const claims = { iss: own.address, aud: "sluice", sub: "intake", exp: seconds + 300 };
      const token = makeJwt({ alg: "ES256", kid: "second" }, claims, key);
      assert.equal(await ask(token), 401);
      clock.advanceMs(30_000);
      assert.equal(await ask(token), 200);
      assert.equal(own.requests.length, 3);
      for (let count = 0; count < 5; count += 1) {
        assert.equal(await ask(own.sign({ sub: "intake" }, { kid: `unknown ${count}` })), 401);
      }
      assert.equal(own.requests.length, 3);
    });
  });

  it("are read again when the clock was set back, also if the last request failed", async () => {
    await withIssuer(async (own, ask) => {
      own.answer = (_request, response) => response.writeHead(500).end();
      assert.equal(await ask(), 401);
      own.answer = undefined;
      const twoYearsMs = 730 * 86_400_000;
      clock.advanceMs(-twoYearsMs);
      assert.equal(await ask(), 200);
      clock.advanceMs(twoYearsMs);
    });
  });

  it("that the issuer has withdrawn are of no use after ten minutes", async () => {
    await withIssuer(async (own, ask) => {
      assert.equal(await ask(), 200);
      own.keys = [];
      own.addKey("second");
      clock.advanceMs(600_000);
      assert.equal(await ask(), 401);
    });
  });

  it("are used for ten minutes while the issuer does not answer, and again when it does", async () => {
    await withIssuer(async (own, ask) => {
      assert.equal(await ask(), 200);
      own.answer = (_request, response) => response.writeHead(500).end();
      clock.advanceMs(599_000);
      assert.equal(await ask(), 200);
      clock.advanceMs(1_000);
      assert.deepEqual([await ask(), await ask(), own.requests.length], [401, 401, 3]);
      own.answer = undefined;
      clock.advanceMs(30_000);
      assert.equal(await ask(), 200);
    });
  });

  it(
    "are not waited for longer than three seconds, however slow the issuer is",
    { timeout: 30_000 },
    async () => {
      await withIssuer(async (own, ask) => {
        own.answer = (_request, response) => void response.writeHead(200).write("{");
        assert.equal(await ask(), 401);
        // Without another request to the issuer.
        assert.equal(await ask(), 401);
        assert.equal(own.requests.length, 1);
      });
    },
  );

  it("are not read from another host by a redirect, by metadata, or in replies without an end", async () => {
    const other = await startPlatformIssuer(clock.now);
    const set = () => JSON.stringify({ keys: other.keys });
    const answers: readonly NonNullable<PlatformIssuer["answer"]>[] = [
      (request, response) =>
        response.writeHead(302, { location: other.address + (request.url ?? "") }).end(),
      (_request, response) =>
        response.end(JSON.stringify({ issuer: other.address, jwks_uri: `${other.address}/keys` })),
      (_request, response) => response.end("{"),
      (_request, response) => response.end("null"),
      (_request, response) => response.end(Buffer.alloc(300 * 1_024, " ")),
      (_request, response) => response.writeHead(404).end(set()),
    ];
    try {
      for (const answer of answers) {
        await withIssuer(async (own, ask) => {
          own.answer = answer;
          assert.equal(await ask(), 401);
          own.answer = (_request, response) =>
            response.end(
              JSON.stringify({ issuer: own.address, jwks_uri: `${other.address}/keys` }),
            );
          clock.advanceMs(30_000);
          assert.equal(await ask(), 401);
        });
      }
      assert.deepEqual(other.requests, []);
    } finally {
      await other.stop();
    }
  });

  for (const length of [1_000, 10_000]) {
    it(`are at most 100, and not ${length}`, async () => {
      await withIssuer(async (own, ask) => {
        const [first = {}] = own.keys;
        const others = Array.from({ length }, (_, index) => ({ kty: "RSA", kid: `${index}` }));
        own.keys = [first, ...others];
        assert.equal(await ask(), 401);
        own.keys = own.keys.slice(0, 100);
        clock.advanceMs(30_000);
        assert.equal(await ask(), 200);
      });
    });
  }

  it("are read from the address of the rule, and not by metadata", async () => {
    await withIssuer(
      async (own, ask) => {
        assert.equal(await ask(), 200);
        assert.deepEqual(own.requests, ["/elsewhere"]);
      },
      ({ address }) => ({ jwksUrl: `${address}/elsewhere` }),
    );
  });

  it("are not those that another rule has read at the same address in another way", async () => {
    const own = await startPlatformIssuer(clock.now);
    own.answer = ({ url }, response) => {
      if (url === "/") response.end(JSON.stringify({ keys: own.keys }));
      else response.writeHead(404).end();
    };
    try {
      const [direct, byMetadata] = [await scene.makeCustomer(), await scene.makeCustomer()];
      await trust(direct, own, { jwksUrl: own.address });
      await trust(byMetadata, own);
      const token = own.sign({ sub: "intake" });
      assert.equal((await send(direct, token)).status, 200);
      assert.equal((await send(byMetadata, token)).status, 401);
    } finally {
      await own.stop();
    }
  });
});

describe("a refusal", () => {
  it("is the same whatever the reason", async () => {
    const customer = await withTrust({ reusable: true });
    const untrusting = await scene.makeCustomer();
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const forged = makeJwt(
      { alg: "RS256", kid: "first" },
      {
        iss: issuer.address,
        aud: "sluice",
        sub: "intake",
        exp: Math.floor(clock.now() / 1_000) + 300,
      },
      privateKey,
    );
    const token = issuer.sign({ sub: "intake" });
    const replies = [
      await send(customer, forged),
      await send(customer, issuer.sign({ sub: "other" })),
      await send(customer, "no token at all"),
      await send(untrusting, token),
      await send({ ...customer, organizationId: "org_of_nobody" }, token),
    ];
    const [first, ...others] = replies.map((reply) => withoutRequestId(reply));
    for (const other of others) assert.deepEqual(other, first);
  });

  it("counts against the address, and 429 comes in its place beyond 20 a minute", async () => {
    const customer = await withTrust({ reusable: true });
    const headers = fromNewAddress();
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) {
      statuses.push((await send(customer, "no token", { headers })).status);
    }
    assert.deepEqual(statuses, [...Array<number>(20).fill(401), 429]);
    assert.equal((await send(customer, issuer.sign({ sub: "intake" }), { headers })).status, 200);
  });

  it("comes after 60 access tokens a minute of one rule", async () => {
    const customer = await withTrust({ reusable: true });
    const token = issuer.sign({ sub: "intake" });
    for (let count = 0; count < 60; count += 1) {
      assert.equal((await send(customer, token)).status, 200);
    }
    const reply = await send(customer, token);
    assert.equal(reply.status, 429);
    assert.match(String(reply.headers["ratelimit-policy"]), /token-issuing/);
  });

  it("is never logged with the token", () => {
    assert.ok(!service.log.some((line) => line.includes("eyJ")));
  });
});
