// A closed organization on SQLite: no file of the data folder contains a byte of its records, its neighbour keeps
// everything, and a restore of a backup from before the closing does not bring it back.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { closeOrganization } from "../../src/actions/access/close-organization.ts";
import type { App } from "../../src/actions/app.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { operator, organization } from "../conformance/scene.ts";
import { makeDraft } from "../../src/domain/record/payload.ts";
import { operate } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { canaryRecord, goes, stays } from "./canary.ts";
import { filesWith, processDue } from "./kill-scene.ts";
import { withActs } from "../support/test-store.ts";

const related = {
  screening: { related_tx_id: "transaction-0" },
  customer_sar: { related_person_id: "person-0" },
} as const;

/** A record of every type in both organizations, with a word by which their bytes are recognised. */
async function fill(app: App): Promise<void> {
  for (const [organizationId, word] of [
    ["closed", goes],
    ["open", stays],
  ] as const) {
    await app.store.createOrganization(organization(organizationId), operator);
    for (const type of recordTypes) {
      const { resourceType, idField } = type;
      const fields = related[resourceType as keyof typeof related];
      const id = { [idField]: `${resourceType}-0` };
      const draft = makeDraft(type, canaryRecord(resourceType, word, { ...fields, ...id }));
      await withActs(app.store).write(draft, { organizationId, resourceType });
    }
  }
}

async function requireErased({ store }: App): Promise<void> {
  assert.deepEqual(await store.countRecords("closed"), {});
  const each = recordTypes.map(({ resourceType }) => [resourceType, 1]);
  assert.deepEqual(await store.countRecords("open"), Object.fromEntries(each));
  const receipts = (await store.listReceipts(Number.MIN_SAFE_INTEGER, 10)).map(
    ({ receipt }) => receipt,
  );
  assert.equal(receipts.length, 1);
  const deletion = await store.findDeletion(receipts[0]?.deletion_request_id ?? "", "closed");
  assert.deepEqual(deletion?.erased, Object.fromEntries(each));
  assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
}

describe("the deletion of a closed organization", () => {
  const line = makeCommandLine({ folder: makeTempFolder() });
  const backup = join(makeTempFolder(), "backup.db");
  const prepared = makeTempFolder();

  before(async () => {
    await operate(line.environment, fill);
    await line.ask("backup", backup);
    const closing = { organizationId: "closed", reason: "ended" };
    await operate(line.environment, (app) => closeOrganization(app, closing));
    cpSync(line.folder, prepared, { recursive: true });
    await operate(line.environment, processDue);
  });

  it("leaves no byte of its records in any file, and its neighbour as it was", async () => {
    assert.deepEqual(filesWith(prepared, goes), ["sluice.db"]);
    assert.deepEqual(filesWith(line.folder, goes), []);
    assert.deepEqual(filesWith(line.folder, stays), ["sluice.db"]);
    await operate(line.environment, requireErased);
    assert.equal((await line.type("check --erasure")).code, 0);
  });

  it("is replayed after a restore, which also closes the organization again", async () => {
    const restored = await line.ask("restore", backup, "--replace");
    assert.equal((restored["carried_out"] as readonly string[]).length, 1);
    const shown = await line.ask("organization show closed --include-confidential");
    assert.match(String(shown["closed_at"]), /Z$/);
    assert.equal(shown["deletion_status"], "completed");
    assert.deepEqual(shown["records"], {});
    assert.deepEqual(filesWith(line.folder, goes), []);
    const created = await line.fail("key", "create", "--organization", "closed");
    assert.equal(created.name, "organization_closed");
    assert.equal((await line.type("check --erasure")).code, 0);
  });
});
