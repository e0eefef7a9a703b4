// What an attacker sends to the console: forged requests of other sites, headers that lie about the host, odd paths,
// slow and large bodies, several requests at once, and links that were used. One service for all of them.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createSignInLink } from "../../src/actions/operator/sign-in-link.ts";
import { routes } from "../../src/process/console-routes.ts";
import { startServerProcess } from "../support/server-process.ts";
import { startService, testEnvironment } from "../support/service.ts";
import { readAllRows } from "../support/table-content.ts";
import { addOperator, read, signIn, submit } from "./browse.ts";
import { exchangeRaw } from "../support/raw-socket.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

describe("the console under attack", async () => {
  const service = await startService();
  const host = service.address.replace("http://", "");
  await addOperator(service.app, ["operator", "officer"], "anna");
  const cookie = await signIn(service.app, service.client, "anna");
  after(() => service.stop());

  /** How far the ledger is known to reach is noted in the background. */
  const allRows = () => readAllRows(`${service.folder}/sluice.db`).replaceAll(/^ledger .*\n/gm, "");
  const posts = routes.filter(({ method }) => method === "POST");

  it("is answered with the methods that its start page has, if it has not this one", async () => {
    const { status, headers } = await service.client.send({ method: "POST", path: "/console" });
    assert.deepEqual([status, headers["allow"]], [405, "GET, HEAD"]);
  });

  it("refuses every form from elsewhere, and changes nothing", async () => {
    const rows = allRows();
    const foreign: readonly Readonly<Record<string, string | undefined>>[] = [
      { origin: undefined },
      { origin: "null" },
      { origin: "https://evil.example" },
      { origin: service.address.toUpperCase() },
      { origin: `${service.address}/` },
      { origin: `${service.address}, https://evil.example` },
      { "sec-fetch-site": "cross-site" },
      { origin: undefined, referer: `${service.address}/console` },
    ];
    for (const { path } of posts) {
      const asked = path.replace("/:id", "/del_none");
      // Within the limit of requests from an address.
      service.clock.advanceMs(1_000);
      for (const headers of foreign) {
        const { status, text } = await submit(service.client, asked, { cookie, headers });
        assert.equal(status, 403, `${path} ${JSON.stringify(headers)}`);
        assert.match(text, /Changes are accepted from pages of the console only/);
      }
    }
    assert.equal(allRows(), rows);
  });

  it("refuses forms of other content types, which browsers send without asking", async () => {
    const rows = allRows();
    for (const type of ["text/plain", "multipart/form-data; boundary=x", "application/json", ""]) {
      const headers = { "content-type": type };
      const { status } = await submit(service.client, "/console/session/revoke", {
        cookie,
        headers,
      });
      assert.equal(status, 415, type);
    }
    assert.equal(allRows(), rows);
  });

  it("shows no page in a frame, from a cache or with content of others", async () => {
    for (const { method, path } of routes) {
      service.clock.advanceMs(1_000);
      const asked = path.replace("/:id", "/none");
      const reply =
        method === "GET"
          ? await read(service.client, asked, { cookie })
          : await submit(service.client, asked, { headers: { origin: "null" } });
      const policy = String(reply.headers["content-security-policy"]);
      assert.match(policy, /^default-src 'none'; .*form-action 'self'.*frame-ancestors 'none'$/);
      assert.equal(reply.headers["x-frame-options"], "DENY", path);
      assert.equal(reply.headers["x-content-type-options"], "nosniff", path);
      assert.equal(reply.headers["cache-control"], "no-store", path);
      assert.equal(reply.headers["referrer-policy"], "same-origin", path);
    }
  });

  it("believes no header about its address but those of a trusted proxy", async () => {
    for (const headers of [
      { host: "evil.example" },
      { "x-forwarded-host": "evil.example" },
      { host: `${host}.evil.example` },
      { host: "evil.example", "x-forwarded-host": host, "x-forwarded-for": "192.0.2.1" },
    ]) {
      service.clock.advanceMs(60_000);
      const form = { token: (await createSignInLink(service.app, "anna")).secret };
      const { status } = await submit(service.client, "/console/link", { form, headers });
      const isTrusted = headers["x-forwarded-host"] === host;
      const expected = isTrusted ? [303] : [400, 403];
      assert.ok(expected.includes(status), `${JSON.stringify(headers)} ${status}`);
    }
    for (const bad of ["", "a b", "[", "evil.example:99999", "user@evil.example"]) {
      const { status } = await read(service.client, "/console/sign-in", { headers: { host: bad } });
      assert.ok(status === 400 || status === 200, `${bad} ${status}`);
    }
  });

  it("finds pages by their exact paths only", async () => {
    for (const path of [
      "/console/../console/account",
      "/console//account",
      "/console/account/",
      "/CONSOLE/account",
      "/console/%61ccount%2f..%2faccount",
      "/console/account%00",
      "/console/deletion/%2e%2e%2faccount",
      "/console/asset/..%2f..%2fconsole.ts",
      "/console/asset/%2e%2e%5cconsole.ts",
      "/console/deletion/%zz",
      "/console/deletion/%ff",
      "/console;a=b",
    ]) {
      const text = await exchangeRaw(
        service.address,
        rawHead("GET", path, { connection: "close" }),
      );
      assert.match(text, /^HTTP\/1.1 40[04] /, path);
    }
  });

  it("bounds forms, also where the length is not declared", async () => {
    const large = { cookie, form: { session: "x".repeat(300_000) } };
    assert.equal((await submit(service.client, "/console/session/revoke", large)).status, 413);
    const many = "a=&".repeat(80_000);
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      origin: service.address,
      cookie,
    };
    const path = "/console/session/revoke";
    const sent = { method: "POST", path, headers, body: many };
    assert.equal((await service.client.send(sent)).status, 404);
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    const head = rawHead("POST", path, { "transfer-encoding": "chunked" });
    assert.match(await exchangeRaw(service.address, head + chunk.repeat(20)), /^HTTP\/1.1 413 /);
  });

  it("answers pipelined requests in order, each with its own session", async () => {
    const one = rawHead("GET", "/console/account", {});
    const other = rawHead("GET", "/console/account", { cookie: "sluice_session=none" });
    const last = rawHead("GET", "/console/sign-in", { connection: "close" });
    const text = await exchangeRaw(service.address, one + other + last);
    const statuses = [...text.matchAll(/HTTP\/1.1 (\d{3}) /g)].map(([, status]) => status);
    assert.deepEqual(statuses, ["200", "303", "200"]);
  });

  function rawHead(method: string, path: string, more: Readonly<Record<string, string>>): string {
    const headers = {
      host,
      origin: service.address,
      cookie,
      ...(method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {}),
      ...more,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return [`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n");
  }

  it("limits attempts by address, whatever they are, and lets others sign in", async () => {
    const from = { "x-forwarded-for": "203.0.113.5" };
    const statuses: number[] = [];
    for (let times = 0; times < 24; times += 1) {
      const path = ["/console/link", "/console/passkey/options"][times % 2] ?? "";
      statuses.push((await submit(service.client, path, { headers: from })).status);
    }
    assert.deepEqual(new Set(statuses.slice(20)), new Set([429]));
    assert.ok(!statuses.slice(0, 20).includes(429));
    service.clock.advanceMs(60_000);
    await signIn(service.app, service.client, "anna");
  });
});

/** Writes what is loaded of a library to standard error. */
const noteLoads = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({ load(url, context, next) {
    if (url.includes("@simplewebauthn")) process.stderr.write("loaded " + url);
    return next(url, context);
  } });`)}`;

it("loads the library of passkeys, which blocks the service, for nobody without one", async (context) => {
  const folder = makeTempFolder();
  const environment = testEnvironment(folder, { NODE_OPTIONS: `--import=${noteLoads}` });
  const server = await startServerProcess(environment);
  context.after(() => server.end("SIGKILL"));
  const headers = { origin: server.address, "content-type": "application/json" };
  const send = async (path: string, body: string) =>
    (await server.client.send({ method: "POST", path, headers, body })).status;
  assert.equal(await send("/console/passkey/options", ""), 200);
  assert.equal(await send("/console/passkey", JSON.stringify({ id: "unknown" })), 403);
  assert.doesNotMatch(server.output().err, /loaded/);
});
