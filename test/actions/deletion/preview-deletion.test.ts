// The preview of a deletion beside many others says until when floors keep it and what gets a pseudonym, which is what
// the page of the completed deletion says.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { previewRequest } from "../../../src/actions/deletion/preview-request.ts";
import { readDeletionDetails } from "../../../src/actions/deletion/show-deletion.ts";
import { requestDeletionOf } from "../../../src/actions/deletion/request-as-operator.ts";
import { setRule } from "../../../src/actions/retention/retention-rules.ts";
import type { Deletion } from "../../../src/domain/deletion/deletion.ts";
import { type OpenApp, openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { acme, draftOf, keyOf, operator, organization } from "../../conformance/scene.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { type TestStore, withActs } from "../../support/test-store.ts";
import { processDeletions } from "../../../src/actions/deletion/process-deletions.ts";

const now = Date.UTC(2026, 2, 1);
const dayMs = 86_400_000;
const old = { timestamp: "2020-01-01T00:00:00Z" };
const recent = { timestamp: "2026-02-15T12:00:00Z" };

const transaction = (id: string, timestamp: string, sender: string) =>
  draftOf("transaction", id, { timestamp, sender_id: sender, sender_country: "DE" });

describe("the preview of a deletion beside 20,000 transactions", () => {
  const folder = makeTempFolder();
  let clock = now;
  let app: OpenApp;
  let store: TestStore;

  before(async () => {
    const config = readConfig(testEnvironment(folder));
    app = await openApp(config, { role: "command", now: () => clock });
    store = withActs(app.store);
    await store.createOrganization(organization(acme), operator);
    for (const id of ["p", "q"]) {
      await store.add("person", id, old);
      await store.add("screening", `of-${id}`, { ...old, related_person_id: id });
    }
    for (let part = 0; part < 20; part += 1) {
      const all = Array.from({ length: 1_000 }, (_, no) => {
        const id = `t${part * 1_000 + no}`;
        return transaction(id, old.timestamp, no === 7 ? "p" : "somebody");
      });
      await store.write(all);
    }
    await setRule(app, { organizationId: acme, resourceType: "transaction", keepDays: 400 });
    await setRule(app, { organizationId: acme, resourceType: "screening", keepDays: 400 });
  });
  after(() => app.close());

  it("names no floor that has ended, and counts each transaction that gets a pseudonym", async () => {
    const preview = await previewRequest(app, keyOf("person", "p"));
    assert.deepEqual(
      [preview.floors, preview.pseudonyms, preview.isCut, preview.earliest],
      [[], 20, false, now],
    );
  });

  it("says when each floor ends that runs, and the earliest day", async () => {
    await store.write(transaction("zz", recent.timestamp, "p"));
    const until = Date.parse(recent.timestamp) + 400 * dayMs;
    const { floors, pseudonyms, earliest } = await previewRequest(app, keyOf("person", "p"));
    const listed = floors.map(({ resourceType, until: end }) => [resourceType, end]);
    assert.deepEqual([listed, pseudonyms, earliest], [[["transaction", until]], 21, until]);
  });

  it("is what the page of the completed deletion says", async () => {
    const key = keyOf("person", "p");
    const { deletionRequestId: id } = await requestDeletionOf(app, { ...key, reason: "asked" });
    const options = { claimant: "test", stopping: new AbortController().signal };
    const processUntil = async (isDone: (deletion: Deletion) => boolean) => {
      // The index of parties advances for a limited time in each pass.
      for (let passes = 0; passes < 100 && !isDone(await store.deletionOf(id)); passes += 1) {
        await processDeletions(app, options);
      }
    };
    await processUntil(({ floorUntil }) => floorUntil !== undefined);
    const waiting = await readDeletionDetails(app, id);
    assert.equal(waiting.deletion.floorUntil, waiting.preview?.earliest);
    clock = waiting.preview?.earliest ?? 0;
    clock += dayMs;
    const { pseudonyms, earliest } = (await readDeletionDetails(app, id)).preview ?? {};
    assert.equal(earliest, clock);
    await processUntil(({ status }) => status === "completed");
    const done = await readDeletionDetails(app, id);
    assert.deepEqual([done.deletion.status, pseudonyms], ["completed", 21]);
    assert.deepEqual(done.pseudonyms, { transaction: 21 });
  });
});
