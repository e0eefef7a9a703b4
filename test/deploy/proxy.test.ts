// The service behind nginx, behind Caddy and behind the chart's Ingress: what proxies are known to break for clients.
// The console behind nginx, behind Caddy and behind the chart's Ingress: signing in, cookies, and uploads.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:https";
import { after, before, describe, it } from "node:test";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { type Server, startServer } from "../support/server.ts";
import { lacks } from "../support/lacking-program.ts";
import { clientOf, type Proxy, proxyKinds, serverName, startProxy } from "./proxy-process.ts";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { createSignInLink } from "../../src/actions/operator/sign-in-link.ts";
import { addOperator, cookieOf, read, signIn, submit, uploadFile } from "../console/browse.ts";
import type { Client } from "../support/http-client.ts";

const transaction = {
  type: "DEPOSIT",
  method: "SEPA",
  amount: 1_250.5,
  currency: "EUR",
  status: "SETTLED",
  sender_id: "person-81",
  sender_country: "DE",
  timestamp: "2026-01-31T09:30:00Z",
};

interface Sending {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another address of this machine, as another client has it. */
  readonly from?: string;
}

for (const kind of proxyKinds) {
  describe(
    `the service behind ${kind.name}`,
    { skip: lacks(kind.program) || lacks("openssl") },
    () => {
      let server: Server;
      let customer: Customer;
      let proxy: Proxy;

      before(async () => {
        server = await startServer({ environment: { TRUST_PROXY: "127.0.0.1" } });
        customer = await server.operate((app) => makeCustomer(app, server.client));
        proxy = await startProxy(kind, server.address);
      });

      after(async () => {
        await proxy.stop();
        await server.stop();
      });

      const open = ({
        method,
        path,
        token,
        headers,
        from = "127.0.0.1",
      }: Sending): ClientRequest => {
        const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
        return request({
          host: "127.0.0.1",
          port: proxy.port,
          servername: serverName,
          ca: proxy.authority,
          localAddress: from,
          agent: false,
          method,
          path,
          headers: { host: serverName, ...authorization, ...headers },
        });
      };

      const send = async (sending: Sending, body?: unknown) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        const length = String(Buffer.byteLength(text ?? ""));
        const json = { "content-type": "application/json", "content-length": length };
        const type = text === undefined ? {} : json;
        const asking = open({ ...sending, headers: { ...type, ...sending.headers } }).end(text);
        const [reply] = (await once(asking, "response")) as [IncomingMessage];
        return { status: reply.statusCode, text: await readText(reply) };
      };

      const tryToken = (from: string, claimed: string) => {
        const headers = { "x-forwarded-for": claimed };
        const path = "/v2/transaction?tx_id=tx-1";
        return send({ method: "GET", path, token: "invalid", headers, from });
      };

      it("issues tokens, and passes on a DELETE with its body", async () => {
        const { apiKey, organizationId, token } = customer;
        const scopes = { organization_id: organizationId, scopes: ["transactions:write"] };
        const asked = await send(
          { method: "POST", path: "/auth/token", headers: { authorization: apiKey } },
          { expiry_seconds: 300, scopes },
        );
        assert.equal(asked.status, 200, asked.text);
        const path = "/v2/transaction";
        const added = await send(
          { method: "POST", path, token },
          { tx_id: "tx-1", ...transaction },
        );
        assert.equal(added.status, 201, added.text);
        const reason = "request of the customer";
        const deleted = await send({ method: "DELETE", path, token }, { tx_id: "tx-1", reason });
        assert.equal(deleted.status, 200, deleted.text);
        assert.match(deleted.text, /"deletion_request_id":"del_/);
      });

      it("streams both ways: replies arrive while the request is being sent", async () => {
        const headers = { "content-type": "application/x-ndjson" };
        const path = "/v2/transactions/batch";
        const asking = open({ method: "POST", path, token: customer.token, headers });
        asking.write(line(0, { currency: "none" }));
        const [reply] = (await once(asking, "response")) as [IncomingMessage];
        assert.equal(reply.statusCode, 200);
        reply.setEncoding("utf8");
        const [first] = (await once(reply, "data")) as [string];
        assert.match(first, /"currency"/);
        assert.ok(!asking.writableEnded);
        asking.end(line(1, {}));
        assert.match(await readText(reply), /"write_count":1/);
      });

      it("passes on a list of several megabytes", async () => {
        const list = Array.from({ length: 9_000 }, (_, index) => ({
          tx_id: `list-${index}-${"x".repeat(200)}`,
          ...transaction,
        }));
        assert.ok(JSON.stringify(list).length > 3_000_000);
        const path = "/v2/transactions/batch";
        const { status, text } = await send({ method: "POST", path, token: customer.token }, list);
        assert.equal(status, 200, text);
        assert.match(text, /"write_count":9000/);
      });

      it("limits clients by their own addresses, whatever they claim to be", async () => {
        for (let count = 0; count < 20; count += 1)
          await tryToken("127.0.0.2", `198.51.100.${count}`);
        assert.equal((await tryToken("127.0.0.2", "198.51.100.77")).status, 429);
        assert.equal((await tryToken("127.0.0.3", "127.0.0.2")).status, 401);
      });

      it("keeps metrics and health inside", async () => {
        for (const path of ["/metrics", "/health/ready", "/health/live", "/"]) {
          assert.equal((await send({ method: "GET", path })).status, 404, path);
        }
        for (const path of [
          "/openapi.json",
          "/docs",
          "/.well-known/sluice-receipts.json",
          "/.well-known/sluice-heads.json",
        ]) {
          assert.equal((await send({ method: "GET", path })).status, 200, path);
        }
      });
    },
  );
}

async function readText(reply: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of reply) text += String(chunk);
  return text;
}

/** A line of a stream. */
function line(index: number, more: object): string {
  return `${JSON.stringify({ tx_id: `stream-${index}`, ...transaction, ...more })}\n`;
}

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
      const progress = await read(client, `${path}/progress`, { cookie });
      assert.match(progress.text, /"share":/);
      const page = await read(client, path, { cookie });
      assert.match(page.text, /<progress\s/);
      await submit(client, `${path}/stop`, { cookie });
    });
  });
}
