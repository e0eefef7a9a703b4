// Sign-in with OpenID Connect, against a real issuer over HTTP: who somebody is, which roles, and what others make of
// an answer that is not theirs.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { auditPages } from "../../src/actions/pages.ts";
import { disableOperator } from "../../src/actions/operator/operators.ts";
import {
  clientSecret,
  followToAnswer,
  type Issuer,
  startIssuer,
} from "../support/openid-issuer.ts";
import type { Reply } from "../support/http-client.ts";
import { type Service, startService } from "../support/service.ts";
import { addOperator, cookieOf, read, signIn, submit } from "./browse.ts";

const url = "https://sluice.example.com";
const answerPath = "/console/openid/answer";
const headers = { origin: url };

function environmentOf(issuer: string): Readonly<Record<string, string>> {
  return {
    CONSOLE_URL: url,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: "sluice",
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_SCOPE: "openid profile",
    OIDC_ROLES: "ops=operator,compliance=officer,staff=viewer",
  };
}

describe("sign-in with OpenID Connect", () => {
  let issuer: Issuer;
  let service: Service;
  before(async () => {
    issuer = await startIssuer(`${url}${answerPath}`);
    service = await startService({ environment: environmentOf(issuer.address) });
  });
  after(async () => {
    await service.stop();
    await issuer.stop();
  });

  /** The cookie of the attempt, and the answer of the issuer. */
  async function begin(): Promise<{ readonly cookie: string; readonly answer: string }> {
    service.clock.advanceMs(60_000);
    const page = await submit(service.client, "/console/openid", { headers });
    assert.equal(page.status, 200, page.text);
    const start = (/content="0; url=([^"]+)"/.exec(page.text)?.[1] ?? "").replaceAll("&amp;", "&");
    const answer = (await followToAnswer(start, url)).slice(url.length);
    return { cookie: cookieOf(page), answer };
  }

  const accept = (answer: string, cookie?: string) =>
    read(service.client, answer, { cookie, headers: { "sec-fetch-site": "cross-site" } });

  async function enter(
    subject: string,
    claims?: Readonly<Record<string, unknown>>,
  ): Promise<Reply> {
    if (claims !== undefined) issuer.people.set(subject, claims);
    issuer.current = subject;
    const { cookie, answer } = await begin();
    return accept(answer, cookie);
  }

  const show = (path: string, cookie: string) => read(service.client, path, { cookie });

  it("begins with a form, with PKCE, state and nonce, and a cookie for the answer", async () => {
    const page = await read(service.client, "/console/sign-in");
    const { host } = new URL(issuer.address);
    assert.match(page.text, new RegExp(`action="/console/openid">.*Sign in with ${host}`, "s"));
    service.clock.advanceMs(60_000);
    const left = await submit(service.client, "/console/openid", { headers });
    const start = /content="0; url=([^"]+)"/.exec(left.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const { origin, searchParams } = new URL(start);
    assert.equal(origin, issuer.address);
    assert.equal(searchParams.get("redirect_uri"), `${url}${answerPath}`);
    assert.equal(searchParams.get("code_challenge_method"), "S256");
    const secrets = ["state", "nonce", "code_challenge"].map(
      (name) => searchParams.get(name) ?? "",
    );
    assert.equal(new Set(secrets).size, 3);
    for (const secret of secrets) assert.match(secret, /^[\w-]{43}$/);
    assert.match(
      left.headers["set-cookie"]?.[0] ?? "",
      /^__Host-sluice_openid=[\w-]{72}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    const again = await submit(service.client, "/console/openid", { headers });
    assert.notEqual(cookieOf(again), cookieOf(left));
    const foreign = { origin: "https://evil.example" };
    const { status } = await submit(service.client, "/console/openid", { headers: foreign });
    assert.equal(status, 403);
  });

  it("makes somebody an operator, with the roles of the claim, and starts a session", async () => {
    const reply = await enter("sub-1", { preferred_username: "zoe", groups: ["ops", "else"] });
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.text, /content="0; url=\/console"/);
    assert.match(
      reply.headers["set-cookie"]?.[0] ?? "",
      /^__Host-sluice_session=.*SameSite=Strict/,
    );
    const account = await show("/console/account", cookieOf(reply));
    assert.match(account.text, /<bdi>zoe<\/bdi>[^]*with the role operator/);
    assert.match(account.text, />oidc<\/td>/);
    assert.match(account.text, /can't add a passkey/);
    const operator = await service.app.store.operators.findByName("zoe");
    assert.deepEqual(operator?.identity, { issuer: issuer.address, subject: "sub-1" });
    const actions: string[] = [];
    for await (const page of auditPages(service.app)) {
      actions.push(...page.filter(({ actor }) => actor === "zoe").map(({ action }) => action));
    }
    assert.deepEqual(actions, ["operator.create", "operator.sign_in"]);
  });

  it("accepts an answer once, from the browser that began, for ten minutes", async () => {
    issuer.current = "sub-1";
    const { cookie, answer } = await begin();
    const other = await begin();
    assert.equal((await accept(answer)).status, 403);
    assert.equal((await accept(answer, other.cookie)).status, 403);
    assert.equal((await accept(answer, `${cookie}; ${other.cookie}`)).status, 403);
    assert.equal((await accept(answerPath, cookie)).status, 403);
    const replies = await Promise.all([accept(answer, cookie), accept(answer, cookie)]);
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200, 403]));
    assert.equal((await accept(answer, cookie)).status, 403);
    service.clock.advanceMs(10 * 60_000);
    assert.equal((await accept(other.answer, other.cookie)).status, 403);
  });

  it("refuses the code of another sign-in, which PKCE binds to its browser", async () => {
    issuer.current = "sub-1";
    const victim = await begin();
    const thief = await begin();
    const stolen = new URL(thief.answer, url);
    const code = new URL(victim.answer, url).searchParams.get("code") ?? "";
    stolen.searchParams.set("code", code);
    const reply = await accept(`${stolen.pathname}${stolen.search}`, thief.cookie);
    assert.equal(reply.status, 403);
    assert.equal(reply.headers["set-cookie"], undefined);
    assert.match(
      service.log.join(""),
      /"why":"[^"[]+","msg":"a sign-in with OpenID Connect failed/,
    );
    assert.ok(!service.log.join("").includes(code));
  });

  it("reads the roles at each sign-in, and ends the sessions of somebody who has none any more", async () => {
    const first = cookieOf(await enter("sub-2", { preferred_username: "kim", groups: ["ops"] }));
    const both = { preferred_username: "renamed", groups: ["compliance", "staff"] };
    const second = cookieOf(await enter("sub-2", both));
    for (const cookie of [first, second]) {
      const { text } = await show("/console", cookie);
      assert.match(text, /<bdi>kim<\/bdi> <small>officer, viewer<\/small>/);
    }
    const refused = await enter("sub-2", { preferred_username: "kim", groups: ["else"] });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /none of your groups has a role here/);
    assert.equal((await show("/console", second)).status, 303);
    const newcomer = await enter("sub-3", { preferred_username: "newcomer" });
    assert.equal(newcomer.status, 403);
    assert.equal(await service.app.store.operators.findByName("newcomer"), undefined);
  });

  it("never takes over a name", async () => {
    await addOperator(service.app, ["operator"], "Anna");
    const names = [
      ["sub-4", { preferred_username: "Anna", groups: "staff" }, /^Anna-[0-9a-f]{12}$/],
      ["sub-5", { preferred_username: "anna", email: "a@x.example", groups: "staff" }, /^a@x\.ex/],
      ["sub-6", { preferred_username: "worker", groups: "staff" }, /^person-[0-9a-f]{12}$/],
      ["sub-7", { preferred_username: "<b>", groups: ["staff"] }, /^person-[0-9a-f]{12}$/],
    ] as const;
    for (const [subject, claims, expected] of names) {
      assert.equal((await enter(subject, claims)).status, 200, subject);
      const identity = { issuer: issuer.address, subject };
      const found = await service.app.store.operators.findByIdentity(identity);
      assert.match(found?.name ?? "", expected);
    }
    const own = await service.app.store.operators.findByName("Anna");
    assert.deepEqual([own?.roles, own?.identity], [["operator"], undefined]);
  });

  it("creates one operator for a person who signs in twice at the same moment", async () => {
    issuer.people.set("sub-8", { preferred_username: "twice", groups: ["staff"] });
    issuer.current = "sub-8";
    const begun = [await begin(), await begin()];
    const replies = await Promise.all(begun.map(({ answer, cookie }) => accept(answer, cookie)));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    const all = await service.app.store.operators.list(service.clock.now());
    assert.equal(all.filter(({ name }) => name.startsWith("twice")).length, 1);
  });

  it("refuses somebody whom the issuer refuses, and an operator who is disabled", async () => {
    issuer.current = undefined;
    const { cookie, answer } = await begin();
    const cancelled = await accept(answer, cookie);
    assert.equal(cancelled.status, 403);
    assert.match(cancelled.text, /did not sign you in \(access_denied\)/);
    const session = cookieOf(await enter("sub-1"));
    await disableOperator(service.app, "zoe");
    assert.equal((await show("/console", session)).status, 303);
    const disabled = await enter("sub-1");
    assert.equal(disabled.status, 403);
    assert.match(disabled.text, /is disabled/);
  });

  it("refuses a subject that is longer than the standard allows", async () => {
    const person = { preferred_username: "long", groups: ["staff"] };
    assert.equal((await enter("s".repeat(255), person)).status, 200);
    assert.equal((await enter("s".repeat(256), person)).status, 403);
  });
});

describe("sign-in while the issuer can't be reached", () => {
  it("says so, and links go on", async (test) => {
    const service = await startService({ environment: environmentOf("http://127.0.0.1:2") });
    test.after(() => service.stop());
    const reply = await submit(service.client, "/console/openid", { headers });
    assert.equal(reply.status, 503);
    assert.match(reply.text, /127\.0\.0\.1:2 can&#39;t be reached/);
    await addOperator(service.app, ["viewer"], "anna");
    const cookie = await signIn(service.app, service.client, "anna", { headers });
    assert.equal((await read(service.client, "/console", { cookie })).status, 200);
  });

  it("is not offered without OIDC_ISSUER", async (test) => {
    const service = await startService();
    test.after(() => service.stop());
    assert.doesNotMatch((await read(service.client, "/console/sign-in")).text, /openid/);
    assert.equal((await submit(service.client, "/console/openid")).status, 404);
    assert.equal((await read(service.client, answerPath)).status, 404);
  });
});
