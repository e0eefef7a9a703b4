// Text that a store can't hold, in every field of every page and form: answered with what is wrong, on PostgreSQL,
// which refuses NUL itself.

import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { routes } from "../../src/process/console-routes.ts";
import { operatorRoles } from "../../src/domain/operator.ts";
import { startPostgres } from "../support/postgres/postgres-server.ts";
import { startService } from "../support/service.ts";
import { addOperator, read, signIn, submit, uploadFile } from "./browse.ts";

/** Of queries and forms; each page and each form is tried with one of them. */
const fields = ["organization", "id", "reason", "type", "after", "confirm"] as const;

const fieldAt = (index: number) => fields[index % fields.length] ?? "id";

describe("a character that can't be stored", async () => {
  const server = await startPostgres();
  const service = await startService({
    environment: { DATABASE_URL: await server.makeDatabase() },
  });
  await addOperator(service.app, operatorRoles, "anna");
  const cookie = await signIn(service.app, service.client, "anna");
  after(async () => {
    await service.stop();
    await server.remove();
  });
  beforeEach(() => service.clock.advanceMs(60_000));

  it("is refused in parameters of every page, by name", async () => {
    for (const [index, { method, path }] of routes.entries()) {
      service.clock.advanceMs(100);
      const field = fieldAt(index);
      const place = `${path.replace(":id", "x")}?${field}=a%00b`;
      const send = method === "GET" ? read : submit;
      const { status, text } = await send(service.client, place, { cookie });
      assert.equal(status, 400, `${method} ${place}: ${text}`);
      assert.match(text, new RegExp(`&quot;${field}&quot;.*U\\+0000`), place);
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
      service.clock.advanceMs(6_000);
      const field = fieldAt(index);
      const form = { [field]: "a\u0000b" };
      const { status, text } = await submit(service.client, path.replace(":id", "x"), {
        cookie,
        form,
      });
      assert.ok(status < 500, `${path} ${field}: ${text}`);
      if (status === 400 && text.includes(`&quot;${field}&quot;`)) refused += 1;
    }
    assert.ok(refused > forms.length / 2, `${refused} of ${forms.length} forms`);
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
