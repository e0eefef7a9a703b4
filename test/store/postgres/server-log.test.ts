// What the server's own log has after a group of new records met one that exists: no id, whichever role the service
// has. An erasure does not reach that log.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transaction } from "../../conformance/scene.ts";
import { urlOf, usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore } from "../../support/test-store.ts";

const server = await usePostgres({
  own: true,
  settings: { logging_collector: "on", log_error_verbosity: "verbose" },
});

async function readLog(): Promise<string> {
  const [log] = await server.query("SELECT pg_read_file(pg_current_logfile()) AS text");
  return String(log?.["text"]);
}

describe("the server's log", () => {
  for (const role of ["sluice_owner", "postgres"]) {
    it(`does not name a record that was sent again, as ${role}`, async () => {
      const url = urlOf(await server.makeDatabase(), { user: role });
      const id = `log-canary-${role}`;
      for (const outcome of ["created", "identical_record_exists"]) {
        const store = await openTestStore(url, { role: "command" });
        const { drafts } = await store.write([transaction(id), transaction(`new ${outcome}`)]);
        assert.equal(drafts[0], outcome);
        await store.close();
      }
      const log = await readLog();
      assert.ok(log.includes("sluice"), "the log has nothing of the service");
      assert.ok(!log.includes(id), log);
    });
  }
});
