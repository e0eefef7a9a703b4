// Signing in and out over HTTP: links, sessions, cookies, and requests that other sites send.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createSignInLink } from "../../src/actions/operator/sign-in-link.ts";
import { disableOperator } from "../../src/actions/operator/operators.ts";
import { type Service, startService } from "../support/service.ts";
import { addOperator, cookieOf, read, signIn, submit } from "./browse.ts";

const hourMs = 3_600_000;

describe("the console", () => {
  let service: Service;
  before(async () => {
    service = await startService();
    await addOperator(service.app, ["viewer"], "anna");
    await addOperator(service.app, ["operator"], "ben");
  });
  after(() => service.stop());
  const signInAs = (name: string) => {
    service.clock.advanceMs(60_000);
    return signIn(service.app, service.client, name);
  };

  it("shows nothing without a session but how to sign in", async () => {
    const reply = await read(service.client, "/console");
    assert.deepEqual([reply.status, reply.headers.location], [303, "/console/sign-in"]);
    const page = await read(service.client, "/console/sign-in");
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /anna|ben/);
    assert.equal((await submit(service.client, "/console/sign-out")).status, 403);
  });

  it("signs in by a link, which only a form uses, and only once", async () => {
    const { secret } = await createSignInLink(service.app, "anna");
    const path = `/console/link?token=${secret}`;
    for (let times = 0; times < 2; times += 1) {
      const page = await read(service.client, path);
      assert.equal(page.status, 200);
      assert.match(page.text, /<bdi>anna<\/bdi>/);
      assert.equal(page.headers["set-cookie"], undefined);
    }
    const form = { token: secret };
    const replies = await Promise.all(
      [1, 2].map(() => submit(service.client, "/console/link", { form })),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([303, 403]));
    assert.equal((await read(service.client, path)).status, 403);
    const cookie = replies.map(cookieOf).find((found) => found !== "");
    const page = await read(service.client, "/console", { cookie });
    assert.equal(page.status, 200);
    assert.match(page.text, /<bdi>anna<\/bdi>/);
  });

  it("sets a cookie that no script and no other site can use, with a new secret", async () => {
    const { secret } = await createSignInLink(service.app, "anna");
    const planted = `sluice_session=sluice_session_${"0".repeat(49)}`;
    const reply = await submit(service.client, "/console/link", {
      form: { token: secret },
      cookie: planted,
    });
    const set = reply.headers["set-cookie"]?.[0] ?? "";
    assert.match(
      set,
      /^sluice_session=sluice_session_\w{49}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    assert.notEqual(cookieOf(reply), planted);
    assert.equal((await read(service.client, "/console", { cookie: planted })).status, 303);
    const twice = `${cookieOf(reply)}; ${planted}`;
    assert.equal((await read(service.client, "/console", { cookie: twice })).status, 303);
  });

  it("sets a cookie for TLS only where a trusted proxy terminates TLS", async () => {
    const { secret } = await createSignInLink(service.app, "anna");
    const host = service.address.replace("http://", "");
    const headers = { "x-forwarded-proto": "https", origin: `https://${host}` };
    const sent = { form: { token: secret }, headers };
    const reply = await submit(service.client, "/console/link", sent);
    assert.equal(reply.status, 303);
    assert.match(reply.headers["set-cookie"]?.[0] ?? "", /^__Host-sluice_session=.*; Secure$/);
  });

  it("ends a session after twelve hours, when it is ended, and when the person is disabled", async () => {
    const first = await signInAs("ben");
    service.clock.advanceMs(12 * hourMs - 1);
    assert.equal((await read(service.client, "/console", { cookie: first })).status, 200);
    service.clock.advanceMs(1);
    assert.equal((await read(service.client, "/console", { cookie: first })).status, 303);

    const second = await signInAs("ben");
    const out = await submit(service.client, "/console/sign-out", { cookie: second });
    assert.match(out.headers["set-cookie"]?.[0] ?? "", /Max-Age=0/);
    assert.equal((await read(service.client, "/console", { cookie: second })).status, 303);

    await addOperator(service.app, ["viewer"], "leaving");
    const third = await signInAs("leaving");
    await disableOperator(service.app, "leaving");
    assert.equal((await read(service.client, "/console", { cookie: third })).status, 303);
  });

  it("lets people end their own sessions only, and those with the right any", async () => {
    const [anna, ben] = [await signInAs("anna"), await signInAs("ben")];
    const idOf = async (cookie: string) =>
      /ses_\w{16}/.exec((await read(service.client, "/console/account", { cookie })).text)?.[0] ??
      "";
    const [ofAnna, ofBen] = [await idOf(anna), await idOf(ben)];
    const end = async (path: string, cookie: string, session: string) =>
      (await submit(service.client, path, { cookie, form: { session } })).status;
    assert.equal(await end("/console/account/session/end", anna, ofBen), 404);
    assert.equal(await end("/console/session/revoke", anna, ofBen), 403);
    assert.equal((await read(service.client, "/console", { cookie: ben })).status, 200);
    assert.equal(await end("/console/session/revoke", ben, ofAnna), 303);
    assert.equal((await read(service.client, "/console", { cookie: anna })).status, 303);
  });

  it("opens a link from another site, with which browsers send no strict cookie", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    const reply = await read(service.client, "/console", { headers });
    assert.equal(reply.status, 200);
    assert.match(reply.text, /http-equiv="refresh"/);
  });

  it("answers other paths, methods and bodies with an error", async () => {
    const cookie = await signInAs("anna");
    assert.equal((await read(service.client, "/console/nothing", { cookie })).status, 404);
    assert.equal((await read(service.client, "/console/asset/nothing", { cookie })).status, 404);
    assert.equal((await submit(service.client, "/console/account", { cookie })).status, 404);
    for (const body of ["", "[]", "{", '{"id": 1}', '{"id": "unknown"}']) {
      const headers = { "content-type": "application/json", origin: service.address };
      const sent = { method: "POST", path: "/console/passkey", headers, body };
      service.clock.advanceMs(60_000);
      const { status } = await service.client.send(sent);
      assert.ok(status === 400 || status === 403, `${body} ${status}`);
    }
    assert.deepEqual(
      service.log.filter((line) => line.includes('"level":"error"')),
      [],
    );
  });
});

describe("CONSOLE=off", () => {
  it("removes every route", async (test) => {
    const service = await startService({ environment: { CONSOLE: "off" } });
    test.after(() => service.stop());
    for (const path of ["/console", "/console/sign-in", "/console/asset/console.css"]) {
      assert.equal((await read(service.client, path)).body.code, 40403);
    }
    assert.equal((await submit(service.client, "/console/link")).status, 404);
  });
});

describe("CONSOLE_URL", () => {
  it("is the only origin from which changes are accepted", async (test) => {
    const url = "https://sluice.example.com";
    const service = await startService({ environment: { CONSOLE_URL: url } });
    test.after(() => service.stop());
    await addOperator(service.app, ["viewer"], "anna");
    const { secret } = await createSignInLink(service.app, "anna");
    const form = { token: secret };
    assert.equal((await submit(service.client, "/console/link", { form })).status, 403);
    const reply = await submit(service.client, "/console/link", { form, headers: { origin: url } });
    assert.match(reply.headers["set-cookie"]?.[0] ?? "", /^__Host-/);
  });
});
