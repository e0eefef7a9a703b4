// The console behind nginx, behind Caddy and behind the chart's Ingress: signing in, cookies, uploads, and events.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { after, before, describe, it } from "node:test";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { createSignInLink } from "../../src/actions/operator/sign-in-link.ts";
import { addOperator, cookieOf, read, signIn, submit, uploadFile } from "../console/browse.ts";
import type { Client } from "../support/http-client.ts";
import { type Server, startServer } from "../support/server.ts";
import { lacks } from "../support/lacking-program.ts";
import { clientOf, type Proxy, proxyKinds, serverName, startProxy } from "./proxy-process.ts";

const header = "tx_id,type,method,amount,currency,status,sender_id,sender_country,timestamp";
/** More than proxies accept by default, and enough that the import is still running when its progress is shown. */
const rows = 60_000;

for (const kind of proxyKinds) {
  const skip = lacks(kind.program) || lacks("openssl");
  describe(`the console behind ${kind.name}`, { skip }, () => {
    let server: Server;
    let proxy: Proxy;
    let client: Client;
    let cookie: string;

    before(async () => {
      server = await startServer({ environment: { TRUST_PROXY: "127.0.0.1" } });
      proxy = await startProxy(kind, server.address);
      client = clientOf(proxy);
      await server.operate(async (app) => {
        await createOrganization(app, { name: "Acme", organizationId: "acme" });
        await addOperator(app, ["operator"], "anna");
        cookie = await signIn(app, client, "anna");
      });
    });

    after(async () => {
      client.close();
      await proxy.stop();
      await server.stop();
    });

    it("signs people in, with a cookie that only TLS carries", async () => {
      const sent = await read(client, "/console");
      assert.deepEqual([sent.status, sent.headers.location], [303, "/console/sign-in"]);
      assert.equal((await read(client, "/console/sign-in")).status, 200);
      const { secret: token } = await server.operate((app) => createSignInLink(app, "anna"));
      assert.equal((await read(client, `/console/link?token=${token}`)).status, 200);
      const reply = await submit(client, "/console/link", { form: { token } });
      assert.equal(reply.status, 303, reply.text);
      assert.match(reply.headers["set-cookie"]?.[0] ?? "", /^__Host-sluice_session=.*; Secure$/);
      const page = await read(client, "/console", { cookie: cookieOf(reply) });
      assert.equal(page.status, 200);
      assert.match(page.text, /<bdi>anna<\/bdi>/);
      const [style = ""] = /\/console\/asset\/[^"]+\.css[^"]*/.exec(page.text) ?? [];
      assert.equal((await read(client, style)).status, 200);
    });

    it("refuses forms of other sites, also of one that a header claims to be this one", async () => {
      const headers = {
        origin: "https://attacker.example",
        "x-forwarded-host": "attacker.example",
        "x-forwarded-proto": "https",
      };
      const reply = await submit(client, "/console/sign-out", { cookie, headers });
      assert.equal(reply.status, 403);
      assert.equal((await read(client, "/console", { cookie })).status, 200);
    });

    it("receives files and shows the progress of their import while it runs", async () => {
      const lines = Array.from(
        { length: rows },
        (_, index) => `t${index},DEPOSIT,SEPA,1,EUR,PENDING,p1,DE,2026-01-31T09:30:00Z`,
      );
      const content = [header, ...lines].join("\n");
      assert.ok(content.length > 3_000_000);
      const fields = { organization: "acme", type: "transaction" };
      const sent = await uploadFile(client, { cookie, fields, name: "tx.csv", content });
      assert.equal(sent.status, 303, sent.text);
      const path = sent.headers.location ?? "";
      const [, seen = ""] =
        /name="seen" value="(\d+)"/.exec((await read(client, path, { cookie })).text) ?? [];
      const started = await submit(client, `${path}/start`, { cookie, form: { seen } });
      assert.equal(started.status, 303, started.text);
      const first = await readFirstEvent(`${path}/progress`);
      assert.match(first, /^event: state\n/);
      const page = await read(client, path, { cookie });
      assert.match(page.text, /<progress\s/);
      await submit(client, `${path}/stop`, { cookie });
    });

    async function readFirstEvent(path: string): Promise<string> {
      const asking = request({
        host: "127.0.0.1",
        port: proxy.port,
        servername: serverName,
        ca: proxy.authority,
        agent: false,
        path,
        headers: { host: `${serverName}:${proxy.port}`, cookie },
      }).end();
      const [reply] = (await once(asking, "response")) as [IncomingMessage];
      assert.equal(reply.headers["content-type"], "text/event-stream; charset=utf-8");
      reply.setEncoding("utf8");
      const [first] = (await once(reply, "data")) as [string];
      asking.destroy();
      return first;
    }
  });
}
