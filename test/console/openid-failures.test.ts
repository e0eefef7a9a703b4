// An issuer of OpenID Connect that fails or sends what it should not: each ends in an error for people, with the reason
// in the log, and nothing is sent to where the issuer may not send anybody.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { OperatorError } from "../../src/actions/operator/operator-error.ts";
import { readNames, readRoles } from "../../src/console/sign-in/openid/claims.ts";
import { makeOpenId } from "../../src/console/sign-in/openid/provider.ts";
import { AppError } from "../../src/domain/error.ts";

function json(body: object): (response: ServerResponse) => void {
  return (response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body));
  };
}

const attempt = { secret: "secret", redirectUri: "https://sluice.example.com/answer" };

describe("an issuer that fails", async () => {
  const server = createServer((_request, response) => answer(response));
  let answer: (response: ServerResponse) => void;
  const reasons: string[] = [];
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  after(() => server.close());

  const open = (now = () => 0) =>
    makeOpenId({
      issuer,
      clientId: "sluice",
      clientSecret: "secret",
      scope: "openid",
      roles: { claim: "groups", mapping: [] },
      now,
      onFailure: (reason) => reasons.push(reason),
    });
  const begin = () => open().beginAt(attempt);

  it("can't be reached if it breaks the connection, or has an error of its own", async () => {
    const failures: readonly ((response: ServerResponse) => void)[] = [
      (response) => response.destroy(),
      (response) => response.writeHead(500).end(),
      (response) => response.writeHead(503, { "content-type": "application/json" }).end("{}"),
    ];
    for (const fail of failures) {
      answer = fail;
      const error = await begin().catch((caught: unknown) => caught);
      assert.ok(error instanceof AppError && error.errorName === "unavailable", String(error));
    }
    assert.equal(reasons.length, failures.length);
  });

  it("is not believed if its metadata are not valid, too large or of another issuer", async () => {
    const large = { issuer, filler: "x".repeat(2 * 1_024 * 1_024) };
    const bodies = [{}, large, { issuer: "https://other.example.com" }, { issuer: 1 }];
    const replies = [
      ...bodies.map(json),
      (response: ServerResponse) => response.end("<html>"),
      (response: ServerResponse) =>
        response.writeHead(302, { location: "http://192.0.2.1/" }).end(),
    ];
    for (const reply of replies) {
      answer = reply;
      const error = await begin().catch((caught: unknown) => caught);
      assert.ok(error instanceof OperatorError && error.errorName === "sign_in", String(error));
    }
  });

  it("gets nothing sent without TLS to another machine", async () => {
    const elsewhere = "http://192.0.2.1/token";
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: elsewhere,
    };
    answer = json({ ...metadata, jwks_uri: `${issuer}/jwks`, response_types_supported: ["code"] });
    const openId = open();
    const state = (await openId.beginAt(attempt)).searchParams.get("state") ?? "";
    await assert.rejects(openId.identify(attempt, new URLSearchParams({ state, code: "c" })));
    assert.match(reasons.at(-1) ?? "", /an address without TLS/);
  });

  it("is asked again after a pause, and by one request for all who wait", async () => {
    let asked = 0;
    let now = 0;
    answer = (response) => {
      asked += 1;
      response.writeHead(500).end();
    };
    const openId = open(() => now);
    const begun = () => openId.beginAt(attempt).catch(() => undefined);
    await Promise.all([begun(), begun(), begun()]);
    await begun();
    assert.equal(asked, 1);
    now = 5_000;
    await begun();
    assert.equal(asked, 2);
  });
});

const mapping = [
  ["ops", "operator"],
  ["ops", "auditor"],
  ["staff", "viewer"],
] as const;

function read(claims: object, claim = "groups") {
  return readRoles({ ...claims }, { claim, mapping });
}

describe("the claims of an issuer", () => {
  it("have roles by a name or a path, as a text or a list", () => {
    assert.deepEqual(read({ groups: "staff" }), ["viewer"]);
    assert.deepEqual(read({ groups: ["ops", "staff", "ops", 1, null] }), [
      "operator",
      "auditor",
      "viewer",
    ]);
    assert.deepEqual(read({ realm_access: { roles: ["ops"] } }, "realm_access.roles"), [
      "operator",
      "auditor",
    ]);
    assert.deepEqual(read({ "https://a.example/b": ["staff"] }, "https://a.example/b"), ["viewer"]);
    assert.equal(read({}), undefined);
    assert.equal(read({ groups: null }), undefined);
    assert.equal(read({}, "constructor.name"), undefined);
    assert.deepEqual(read({ groups: { staff: true } }), []);
    assert.deepEqual(read({ groups: Array.from({ length: 5_001 }, () => "staff") }), []);
  });

  it("have names, of which only texts count", () => {
    assert.deepEqual(readNames({ preferred_username: 1, email: "a@b", name: "A" }), ["a@b", "A"]);
  });
});
