// Two processes that make the index at the same time, while its key changes.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import { beginIndex, IndexBuilder } from "../../../src/actions/search/build-index.ts";
import { findSubjects } from "../../../src/actions/search/find-subjects.ts";
import { makeKey, replaceKey } from "../../../src/data-folder/receipt-key.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { draftOf } from "../../conformance/scene.ts";
import { operate } from "../../support/server.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";

const folder = makeTempFolder();
after(() => removeFolder(folder));

async function addPerson(app: App, organizationId: string): Promise<void> {
  await createOrganization(app, { name: organizationId, organizationId });
  const drafts = [draftOf("person", "p", { name: "Ada Example" })];
  const kind = { organizationId, resourceType: "person", mode: "add" } as const;
  await app.store.writeRecords({ ...kind, drafts, lenient: false, receivedAt: 1_000 });
}

async function build(builder: IndexBuilder): Promise<void> {
  while (await builder.step());
}

async function countFound(app: App, organizationId: string): Promise<number> {
  const request = { organizationId, reason: "Inquiry 17/26", skip: 0, limit: 10 };
  const found = await findSubjects(app, { ...request, wanted: { name: "Ada Example" } });
  assert.equal(found.incomplete, undefined);
  return found.total;
}

describe("the index of persons", () => {
  it("is complete after a change of the key, wherever another process stopped before", async () => {
    const environment = testEnvironment(folder);
    const config = readConfig(environment);
    replaceKey(config, makeKey());
    const ids = ["acme", "other"];
    await operate(environment, async (app) => {
      for (const id of ids) await addPerson(app, id);
      const first = new IndexBuilder(app);
      await first.step();
      await first.step();
      await build(new IndexBuilder(app));
      await build(first);
      replaceKey(config, makeKey());
      await beginIndex(app);
      await build(first);
      for (const id of ids) assert.equal(await countFound(app, id), 1);
    });
  });
});
