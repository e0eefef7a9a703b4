// Imports that write nothing, in their real thread: they end with the session or the right of their person.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { disableOperator } from "../../src/actions/operator/operators.ts";
import { listSessions, revokeSession } from "../../src/actions/operator/session.ts";
import { listImports } from "../../src/actions/intake/imports.ts";
import { startServer } from "../support/server.ts";
import { waitFor } from "../support/wait-for.ts";
import { addOperator, read, signIn, submit, uploadFile } from "./browse.ts";

/** Reading it takes minutes, and no row of it is written. */
const blank = gzipSync(Buffer.alloc(16_000_000, "\n"));
const endless = Buffer.concat([
  gzipSync('{"person_id":1}\n'.repeat(5)),
  ...Array.from({ length: 500 }, () => blank),
]);

describe("an import that writes nothing", async () => {
  const server = await startServer();
  after(() => server.stop());
  const { client } = server;
  await server.operate((app) => createOrganization(app, { name: "Acme", organizationId: "acme" }));

  const begin = async (name: string): Promise<void> => {
    const cookie = await server.operate(async (app) => {
      await addOperator(app, ["operator"], name);
      return signIn(app, client, name);
    });
    const fields = { organization: "acme", type: "person" };
    const file = { cookie, fields, name: "persons.ndjson.gz", content: endless };
    const path = (await uploadFile(client, file)).headers.location ?? "";
    assert.match((await read(client, path, { cookie })).text, /name="seen" value="1"/);
    await submit(client, `${path}/start`, { cookie, form: { seen: "1" } });
    assert.equal((await outcomes())[0], undefined);
  };
  const outcomes = async () => (await server.operate(listImports)).map(({ outcome }) => outcome);
  const ended = () =>
    waitFor("its end", async () => ((await outcomes()).includes(undefined) ? undefined : true), {
      intervalMs: 100,
    });

  it("ends when the person signs out", async () => {
    await begin("absent");
    await server.operate(async (app) => {
      for (const { session } of await listSessions(app))
        await revokeSession(app, session.sessionId);
    });
    await ended();
  });

  it("ends when the person is disabled", async () => {
    await begin("leaver");
    await server.operate((app) => disableOperator(app, "leaver"));
    await ended();
    assert.deepEqual(await outcomes(), ["failed", "failed"]);
  });
});
