// An import that writes nothing, in its real thread: it ends with the session of its person.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { listSessions, revokeSession } from "../../src/actions/operator/session.ts";
import { listImports } from "../../src/actions/intake/imports.ts";
import { openApp } from "../../src/process/app.ts";
import { readConfig } from "../../src/settings/config.ts";
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
  // Opened once: an import uses the processor, and each opening would too.
  const app = await openApp(readConfig(server.environment), { role: "command" });
  after(() => app.close());
  await createOrganization(app, { name: "Acme", organizationId: "acme" });

  const begin = async (name: string): Promise<void> => {
    await addOperator(app, ["operator"], name);
    const cookie = await signIn(app, client, name);
    const fields = { organization: "acme", type: "person" };
    const file = { cookie, fields, name: "persons.ndjson.gz", content: endless };
    const path = (await uploadFile(client, file)).headers.location ?? "";
    assert.match((await read(client, path, { cookie })).text, /name="seen" value="1"/);
    await submit(client, `${path}/start`, { cookie, form: { seen: "1" } });
    const listed = async () => (await outcomes()).length > 0;
    await waitFor("the import", listed, { intervalMs: 100 });
    assert.deepEqual(await outcomes(), [undefined]);
  };
  const outcomes = async () => (await listImports(app)).map(({ outcome }) => outcome);

  it("ends when the person signs out", async () => {
    await begin("absent");
    for (const { session } of await listSessions(app)) await revokeSession(app, session.sessionId);
    await waitFor(
      "its end",
      async () => ((await outcomes()).includes(undefined) ? undefined : true),
      { intervalMs: 100 },
    );
    assert.deepEqual(await outcomes(), ["failed"]);
  });
});
