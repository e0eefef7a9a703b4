// Tokens that are not to be trusted at POST /auth/token, each refused in the same way.

import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync } from "node:crypto";
import { after, describe, it } from "node:test";
import type { WantedRule } from "../../../src/feature/identity/rules.ts";
import { makeJwt, startPlatformIssuer } from "./platform-issuer.ts";
import { requireRefused, startProgramScene } from "./program-scene.ts";

const scene = await startProgramScene();
const { issuer, send, service, withTrust, clock } = scene;
after(() => scene.stop());

/** Reusable, so that only what the case is about can be the reason. */
async function requireOneRefused(token: string, more: Partial<WantedRule> = {}): Promise<void> {
  const customer = await withTrust({ reusable: true, ...more });
  assert.equal((await send(customer, issuer.sign({ sub: "intake" }))).status, 200);
  requireRefused(await send(customer, token));
}
const seconds = () => Math.floor(clock.now() / 1_000);
const claims = () => ({
  iss: issuer.address,
  aud: "sluice",
  sub: "intake",
  exp: seconds() + 300,
});
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");

describe("a token that is not to be trusted is refused", () => {
  it("without a signature", async () => {
    for (const alg of ["none", "None", "NONE", ""]) {
      const unsigned = `${encode({ alg, kid: "first" })}.${encode(claims())}.`;
      await requireOneRefused(unsigned);
      await requireOneRefused(`${unsigned}AAAA`);
    }
  });

  it("with the public key as the secret of an HMAC", async () => {
    const pem = issuer.publicKey.export({ type: "spki", format: "pem" });
    const secrets = [pem, JSON.stringify(issuer.keys[0]), String(issuer.keys[0]?.["n"])];
    for (const secret of secrets) {
      const signed = `${encode({ alg: "HS256", kid: "first" })}.${encode(claims())}`;
      const signature = createHmac("sha256", secret).update(signed).digest("base64url");
      await requireOneRefused(`${signed}.${signature}`);
    }
  });

  it("with a key of another kind than its algorithm", async () => {
    const curve = issuer.addKey("curve");
    const good = makeJwt({ alg: "ES256", kid: "curve" }, claims(), curve);
    const customer = await withTrust();
    clock.advanceMs(30_000);
    assert.equal((await send(customer, good)).status, 200);
    await requireOneRefused(makeJwt({ alg: "RS256", kid: "curve" }, claims(), curve));
    await requireOneRefused(issuer.sign({ sub: "intake" }, { alg: "ES256" }));
    await requireOneRefused(issuer.sign({ sub: "intake" }, { alg: "PS256" }));
    await requireOneRefused(issuer.sign({ sub: "intake" }, { alg: "RS384" }));
  });

  it("with a key that it brings itself, or says where to find", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const other = await startPlatformIssuer(clock.now);
    try {
      const jwk = publicKey.export({ format: "jwk" });
      for (const header of [
        { jwk },
        { jku: `${other.address}/keys` },
        { x5u: other.address },
        { kid: "first", jwk },
      ]) {
        await requireOneRefused(makeJwt({ alg: "RS256", ...header }, claims(), privateKey));
        await requireOneRefused(other.sign(claims(), header));
      }
      assert.deepEqual(other.requests, []);
    } finally {
      await other.stop();
    }
  });

  it("with a kid that is a path, in other letters, or no text", async () => {
    const kids = [
      "../first",
      "/keys",
      "first\u0000",
      "FIRST",
      "ﬁrst",
      "",
      "x".repeat(5_000),
      1,
      null,
      ["first"],
      { a: 1 },
    ];
    for (const kid of kids) await requireOneRefused(issuer.sign({ sub: "intake" }, { kid }));
  });

  it("with a changed part, or a signature of another token", async () => {
    const token = issuer.sign({ sub: "intake" });
    const [header, , signature] = token.split(".");
    await requireOneRefused(
      `${header}.${encode({ ...claims(), sub: "intake", more: 1 })}.${signature}`,
    );
    await requireOneRefused(`${token.slice(0, -4)}AAAA`);
    for (const odd of [
      `${token}.`,
      `${token}.x`,
      ` ${token}`,
      token.replace(".", ".."),
      "",
      "..",
      "a.b.c",
    ])
      if (odd !== "") await requireOneRefused(odd);
  });

  it("with a claim that is another, or missing", async () => {
    const rule = { claims: { sub: "intake", ref: "refs/heads/main" } };
    const customer = await withTrust({ ...rule, reusable: true });
    const good = issuer.sign({ sub: "intake", ref: "refs/heads/main" });
    assert.equal((await send(customer, good)).status, 200);
    for (const ref of [undefined, "refs/heads/other", ["refs/heads/main"], true, { a: 1 }])
      requireRefused(await send(customer, issuer.sign({ sub: "intake", ref })));
    for (const sub of [undefined, "other", 1, "", "intake\n", "x".repeat(256)])
      requireRefused(await send(customer, issuer.sign({ sub, ref: "refs/heads/main" })));
  });

  it("with a name twice, or with deep JSON", async () => {
    const { sub: _sub, ...rest } = claims();
    const twice = JSON.stringify(rest).replace("{", '{"sub":"other","sub":"intake",');
    const { privateKey } = issuer;
    await requireOneRefused(makeJwt({ alg: "RS256", kid: "first" }, twice, privateKey));
    await requireOneRefused(
      makeJwt('{"alg":"none","alg":"RS256","kid":"first"}', claims(), privateKey),
    );
    const deep = `${"[".repeat(4_000)}${"]".repeat(4_000)}`;
    await requireOneRefused(
      makeJwt(
        { alg: "RS256", kid: "first" },
        JSON.stringify(claims()).replace("{", `{"deep":${deep},`),
        privateKey,
      ),
    );
    for (const payload of ["[]", "null", '"x"', "{", "\ufeff{}", "{}{}"])
      await requireOneRefused(makeJwt({ alg: "RS256", kid: "first" }, payload, privateKey));
  });

  it("that is of another kind, such as a logout token", async () => {
    const customer = await withTrust({ reusable: true });
    for (const typ of [
      undefined,
      "JWT",
      "jwt",
      "JOSE",
      "application/at+jwt",
      "client-authentication+jwt",
    ])
      assert.equal((await send(customer, issuer.sign({ sub: "intake" }, { typ }))).status, 200);
    for (const typ of ["logout+jwt", "secevent+jwt", "dpop+jwt", "", null, 5, ["JWT"]])
      await requireOneRefused(issuer.sign({ sub: "intake" }, { typ }));
  });

  it("with a weak key, or one that is not for signatures", async () => {
    const weak = generateKeyPairSync("rsa", { modulusLength: 1_024 });
    const other = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    issuer.keys.push({ ...weak.publicKey.export({ format: "jwk" }), kid: "weak" });
    issuer.keys.push({ ...other.publicKey.export({ format: "jwk" }), kid: "other", use: "enc" });
    const strong = issuer.addKey("strong");
    clock.advanceMs(30_000);
    const all = { ...claims(), sub: "intake" };
    await requireOneRefused(makeJwt({ alg: "RS256", kid: "weak" }, all, weak.privateKey));
    await requireOneRefused(makeJwt({ alg: "RS256", kid: "other" }, all, other.privateKey));
    const good = makeJwt({ alg: "ES256", kid: "strong" }, all, strong);
    assert.equal((await send(await withTrust(), good)).status, 200);
  });

  it("with a critical extension, or an unencoded payload", async () => {
    await requireOneRefused(issuer.sign({ sub: "intake" }, { crit: ["exp"] }));
    await requireOneRefused(issuer.sign({ sub: "intake" }, { crit: ["b64"], b64: false }));
  });
});

describe("a replay is refused", () => {
  it("for a token with an id, for another with the same id, and for one without", async () => {
    const customer = await withTrust();
    const other = await withTrust();
    const token = issuer.sign({ sub: "intake", jti: "one" });
    assert.equal((await send(customer, token)).status, 200);
    requireRefused(await send(customer, token));
    requireRefused(await send(customer, issuer.sign({ sub: "intake", jti: "one", more: 1 })));
    assert.equal((await send(other, token)).status, 200);
    const without = issuer.sign({ sub: "intake" });
    assert.equal((await send(customer, without)).status, 200);
    requireRefused(await send(customer, without));
  });

  it("also with another signature of the same claims, which anybody can compute", async () => {
    const curve = issuer.addKey("replayed");
    clock.advanceMs(30_000);
    const [customer, other] = [await withTrust(), await withTrust()];
    const token = makeJwt({ alg: "ES256", kid: "replayed" }, claims(), curve);
    const [header, payload, signature = ""] = token.split(".");
    const [r, s] = [0, 32].map((from) =>
      Buffer.from(signature, "base64url").subarray(from, from + 32),
    );
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const negated = (order - BigInt(`0x${s?.toString("hex")}`)).toString(16).padStart(64, "0");
    const both = Buffer.concat([r ?? Buffer.alloc(0), Buffer.from(negated, "hex")]);
    const again = `${header}.${payload}.${both.toString("base64url")}`;
    assert.equal((await send(customer, token)).status, 200);
    requireRefused(await send(customer, again));
    assert.equal((await send(other, again)).status, 200);
  });

  it("also of what was sent at the same time", async () => {
    const customer = await withTrust();
    const token = issuer.sign({ sub: "intake", jti: "at once" });
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(customer, token)));
    assert.deepEqual(
      replies.map(({ status }) => status).sort((one, other) => one - other),
      [200, ...Array<number>(7).fill(401)],
    );
  });

  it("until the token has expired for every clock", async () => {
    const customer = await withTrust();
    const exp = Math.floor(clock.now() / 1_000) + 300;
    const token = issuer.sign({ sub: "intake", jti: "late", exp });
    assert.equal((await send(customer, token)).status, 200);
    clock.advanceMs(359_000);
    await service.app.store.purgeExpired(clock.now());
    requireRefused(await send(customer, token));
  });

  it("unless the rule says that tokens are reusable", async () => {
    const customer = await withTrust({ reusable: true });
    const token = issuer.sign({ sub: "intake", jti: "file" });
    for (let count = 0; count < 3; count += 1) {
      assert.equal((await send(customer, token)).status, 200);
    }
  });

  it("but a request that is refused for its scopes uses nothing up", async () => {
    const customer = await withTrust();
    const token = issuer.sign({ sub: "intake", jti: "kept" });
    assert.equal((await send(customer, token, { form: { scope: "company:read" } })).status, 403);
    assert.equal((await send(customer, token)).status, 200);
  });
});
