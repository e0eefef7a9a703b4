// The list of deletions does not end at those that a person may not know of, however many they are.

import assert from "node:assert/strict";
import { it } from "node:test";
import { listDeletions } from "../../src/actions/deletion/list-deletions.ts";
import { showing } from "../../src/actions/operator/viewer.ts";
import { draftOf } from "../conformance/scene.ts";
import { operate } from "../support/server.ts";
import { withActs } from "../support/test-store.ts";
import { makeCommandLine } from "./command-line.ts";

const line = makeCommandLine();
/** More than a part of the list examines. */
const hidden = 1_001;

async function addPersons(organizationId: string, ids: readonly string[]): Promise<void> {
  await line.ask("organization create --name A --id", organizationId);
  await operate(line.environment, async ({ store }) => {
    const drafts = ids.map((id) => draftOf("person", id));
    await withActs(store).write(drafts, { organizationId, resourceType: "person" });
    const at = Date.now();
    const requests = ids.map((resourceId) => {
      const key = { organizationId, resourceType: "person", resourceId };
      const deletionRequestId = `del_${organizationId}${resourceId}`;
      const request = { ...key, reason: "asked", deletionRequestId, dueAt: at + 86_400_000 };
      return store.requestDeletion(request, { actor: "operator", now: at });
    });
    await Promise.all(requests);
  });
}

it("deletions of an open organization are listed behind very many of a closed one", async () => {
  await addPersons("open", ["p"]);
  await addPersons(
    "closed",
    Array.from({ length: hidden }, (_, at) => `p${at}`),
  );
  await line.ask("organization close --organization closed --yes");
  const ids = await operate(line.environment, async (app) => {
    const viewer = showing(app, { includeConfidential: false });
    const { shown } = await listDeletions(viewer, {}, { limit: 50 });
    return shown.map(({ deletion }) => deletion.deletionRequestId);
  });
  assert.deepEqual(ids, ["del_openp"]);
});
