// Text that a store can't hold, in every field of every page and form: answered with what is wrong, on PostgreSQL,
// which refuses NUL itself.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { after, before, beforeEach, describe, it } from "node:test";
import { routes } from "../../src/process/console-routes.ts";
import { operatorRoles } from "../../src/domain/operator.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { type Service, startService } from "../support/service.ts";
import { addOperator, read, signIn, submit, uploadFile } from "./browse.ts";

/** The names of all fields of queries and forms that the console reads. */
const fields = [
  ...new Set(
    globSync("src/console/**/*.ts").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/(?:get(?:All)?\(|read\w+\(\w+, )"([a-z_]+)"/g)].map(
        ([, name = ""]) => name,
      ),
    ),
  ),
];

/** A fifth of them, others for the next page: each field is tried on many pages, and each page with many fields. */
function someFields(index: number): readonly string[] {
  return fields.filter((_, place) => (place + index) % 5 === 0);
}

describe("a character that can't be stored", () => {
  let server: PostgresServer;
  let service: Service;
  let cookie: string;
  before(async () => {
    server = await startPostgres();
    service = await startService({ environment: { DATABASE_URL: await server.makeDatabase() } });
    await addOperator(service.app, operatorRoles, "anna");
    cookie = await signIn(service.app, service.client, "anna");
  });
  after(async () => {
    await service.stop();
    await server.remove();
  });
  beforeEach(() => service.clock.advanceMs(60_000));

  it("is looked for in the fields that the console has", () => {
    for (const name of ["organization", "id", "reason", "credential", "token", "after"]) {
      assert.ok(fields.includes(name), name);
    }
  });

  it("is refused in parameters of every page, by name", async () => {
    for (const [index, { method, path }] of routes.entries()) {
      for (const field of method === "GET" ? someFields(index) : fields.slice(0, 1)) {
        service.clock.advanceMs(10);
        const place = `${path.replace(":id", "x")}?id=x&organization=x&${field}=a%00b`;
        const send = method === "GET" ? read : submit;
        const { status, text } = await send(service.client, place, { cookie });
        assert.equal(status, 400, `${method} ${place}: ${text}`);
        assert.match(text, new RegExp(`&quot;${field}&quot;.*U\\+0000`), place);
      }
    }
  });

  it("is refused in the path of every page", async () => {
    for (const { method, path } of routes.filter((route) => route.path.includes(":id"))) {
      const send = method === "GET" ? read : submit;
      const { status } = await send(service.client, path.replace(":id", "a%00b"), { cookie });
      assert.equal(status, 400, `${method} ${path}`);
    }
  });

  it("is refused in fields of every form", async () => {
    let refused = 0;
    const forms = routes.filter(({ method }) => method === "POST");
    for (const [index, { path }] of forms.entries()) {
      if (path === "/console/sign-out") continue;
      for (const field of someFields(index)) {
        service.clock.advanceMs(6_000);
        const form = { confirm: "x", id: "x", organization: "x", [field]: "a\u0000b" };
        const place = path.replace(":id", "x");
        const { status, text } = await submit(service.client, place, { cookie, form });
        assert.ok(status < 500, `${path} ${field}: ${text}`);
        if (status === 400 && text.includes(`&quot;${field}&quot;`)) refused += 1;
      }
    }
    assert.ok(refused > 4 * fields.length, `${refused} of ${forms.length} forms`);
  });

  it("is refused in the fields and the name of a file, and in the id of a passkey", async () => {
    const file = { cookie, name: "a.csv", content: "tx_id\n", fields: { organization: "x" } };
    for (const sent of [
      { ...file, fields: { organization: "a\u0000b" } },
      { ...file, fields: { organization: "x", type: "\u0000" } },
    ]) {
      assert.equal((await uploadFile(service.client, sent)).status, 400);
    }
    const { status } = await service.client.send({
      method: "POST",
      path: "/console/passkey",
      headers: { origin: service.address, "content-type": "application/json" },
      body: { id: "a\u0000b", response: {} },
    });
    assert.equal(status, 403);
  });
});
