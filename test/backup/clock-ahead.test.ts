// A store whose clock was ahead when its backup was made, and when deletions were completed: after the clock is put
// right, the backup can be restored.

import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import { requestDeletionOf } from "../../src/actions/deletion/request-as-operator.ts";
import { addedSettings } from "../../src/process/added-settings.ts";
import { openApp } from "../../src/process/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { acme, keyOf, transaction } from "../conformance/scene.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const yearMs = 366 * 86_400_000;

it("a restore replays what was completed at a time that has not come", async () => {
  const environment = { CLOCK_JUMP_HOURS: "24" };
  const line = makeCommandLine({ folder: makeTempFolder(), environment });
  await line.ask("migrate");
  const file = join(makeTempFolder(), "backup.db");
  const ahead = Date.now() + yearMs;
  const config = readConfig(line.environment, addedSettings);
  const app = await openApp(config, { role: "serve", now: () => ahead });
  await app.store.clock.move(ahead, true);
  await createOrganization(app, { name: "Acme", organizationId: acme });
  const rest = { mode: "add", lenient: false, receivedAt: ahead } as const;
  const drafts = [transaction("t")];
  await app.store.writeRecords({
    organizationId: acme,
    resourceType: "transaction",
    drafts,
    ...rest,
  });
  await line.ask("backup", file);
  const key = keyOf("transaction", "t");
  const { deletionRequestId } = await requestDeletionOf(app, { ...key, reason: "asked for" });
  const { signal: stopping } = new AbortController();
  const [done] = await processDeletions(app, { claimant: "worker", stopping });
  assert.equal(done?.result, "completed");
  await app.close();
  const restored = await line.ask("restore", file, "--replace");
  assert.deepEqual(restored["carried_out"], [deletionRequestId]);
  assert.equal((await line.ask("check"))["ok"], true);
});
