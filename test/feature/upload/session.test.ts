// A file whose rows are checked before its import, in its real thread: that ends with the session of its person.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { listSessions, revokeSession } from "../../../src/actions/operator/session.ts";
import { listImports } from "../../../src/feature/import/imports.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { startServer } from "../../support/server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { addOperator, read, signIn, submit, uploadFile } from "../../console/browse.ts";

/** Reading it takes minutes, and no row of it is written. */
const blank = gzipSync(Buffer.alloc(16_000_000, "\n"));
const endless = Buffer.concat([
  gzipSync('{"person_id":1}\n'.repeat(5)),
  ...Array.from({ length: 500 }, () => blank),
]);

describe("a check of all rows", async () => {
  const server = await startServer();
  after(() => server.stop());
  const { client } = server;
  // Opened once: an import uses the processor, and each opening would too.
  const app = await openApp(readConfig(server.environment), { role: "command" });
  after(() => app.close());
  await createOrganization(app, { name: "Acme", organizationId: "acme" });

  const begin = async (name: string): Promise<string> => {
    await addOperator(app, ["operator"], name);
    const cookie = await signIn(app, client, name);
    const fields = { organization: "acme", type: "person" };
    const file = { cookie, fields, name: "persons.ndjson.gz", content: endless };
    const path = (await uploadFile(client, file)).headers.location ?? "";
    assert.match((await read(client, path, { cookie })).text, /name="seen" value="1"/);
    await submit(client, `${path}/start`, { cookie, form: { seen: "1" } });
    assert.match((await read(client, path, { cookie })).text, /<h1>Checking all rows<\/h1>/);
    return path;
  };

  it("ends when the person signs out", async () => {
    const path = await begin("absent");
    for (const { session } of await listSessions(app)) await revokeSession(app, session.sessionId);
    const cookie = await signIn(app, client, "absent");
    const ended = async () => {
      const { text } = await read(client, path, { cookie });
      return text.includes('id="result"') ? text : undefined;
    };
    const page = await waitFor("its end", ended, { intervalMs: 100 });
    assert.match(page, /The session in which it was started has ended/);
    assert.deepEqual(await listImports(app), []);
  });
});
