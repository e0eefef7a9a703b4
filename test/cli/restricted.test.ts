// The restricted store on the command line: a deletion completes although a report has to be kept; officers list, show
// and export what was kept, with an audit entry each; it is erased without anybody asking. The list of deletions does
// not end at those that a person may not know of, however many they are.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeFakeClock } from "../support/fake-clock.ts";
import { operate } from "../support/server.ts";
import { makeCommandLine, ndjsonOf } from "./command-line.ts";
import { processAll } from "./process-all.ts";
import { addRecord, addTransaction } from "./write-transactions.ts";
import { listDeletions } from "../../src/actions/deletion/list-deletions.ts";
import { showing } from "../../src/actions/operator/viewer.ts";
import { draftOf } from "../conformance/scene.ts";
import { withActs } from "../support/test-store.ts";

const clock = makeFakeClock(Date.UTC(2026, 2, 1));
const line = makeCommandLine({ now: clock.now });
const ofAcme = ["--organization", "acme"] as const;
await line.ask("organization create --name Acme --id acme");
await line.ask("organization create --name Other --id other");
await line.beside(async (app) => {
  for (const id of ["tx-1", "tx-2"]) await addTransaction(app, "acme", { tx_id: id });
  await addRecord(app, "acme", {
    type: "transaction_suspicious_activity",
    fields: {
      suspicious_activity_id: "report-1",
      detection_date: "2026-01-31T00:00:00Z",
      report_filed_at: "2026-02-01T00:00:00Z",
      related_tx_ids: ["tx-1", "tx-2"],
      timestamp: "2026-02-01T00:00:00Z",
    },
  });
});
const process = () => processAll(line);

async function audited(action: string): Promise<readonly Record<string, unknown>[]> {
  const { out } = await line.type("audit export");
  return ndjsonOf(out).filter((entry) => entry["action"] === action);
}

describe("restricted", () => {
  it("list, show and export print what a deletion had to keep, each with an audit entry", async () => {
    await line.ask(
      "retention set --type transaction_suspicious_activity --keep-days 60 --from report_filed_at",
      ...ofAcme,
    );
    const asked = await line.ask("deletion request transaction tx-1 --reason r", ...ofAcme);
    const id = String(asked["deletion_request_id"]);
    await process();
    const deleted = await line.ask("deletion show", id, "--include-confidential");
    assert.deepEqual((await line.ask("deletion show", id))["kept"], {});
    assert.deepEqual([deleted["status"], deleted["kept"]], ["completed", { transaction: 1 }]);
    await process();

    const { sets } = (await line.ask("restricted list", ...ofAcme)) as {
      sets: readonly Record<string, unknown>[];
    };
    const kept = {
      deletion_request_id: id,
      organization_id: "acme",
      resource_type: "transaction",
      resource_id: "tx-1",
      status: "pending",
      kept_until: "2026-04-02T00:00:00.000Z",
      records: { transaction: 1 },
    };
    const [set] = sets;
    assert.deepEqual({ ...set, ...kept }, set);
    assert.match(String(set?.["waiting_for"]), /floor of transaction suspicious activity report-1/);
    const none = await line.ask("restricted list --organization other");
    assert.deepEqual(none, { sets: [] });

    const shown = await line.ask("restricted show", id, ...ofAcme, "--reason", "review");
    const [record] = shown["list"] as readonly Record<string, unknown>[];
    assert.equal(record?.["resource_id"], "tx-1");
    const [reference] = shown["references"] as readonly Record<string, unknown>[];
    assert.deepEqual([reference?.["from_id"], reference?.["to_id"]], ["report-1", "tx-1"]);
    const { out: text } = await line.type("restricted show", id, ...ofAcme);
    assert.match(text, /^kept until +2026-04-02/m);

    const { out } = await line.type("restricted export", id, ...ofAcme);
    const [change] = ndjsonOf(out);
    const payload = change?.["payload"] as Record<string, unknown> | undefined;
    assert.equal(payload?.["tx_id"], "tx-1");
    for (const [action, count] of [
      ["list", 1],
      ["show", 2],
      ["export", 1],
    ] as const) {
      const entries = await audited(`restricted.${action}`);
      const ofThese = entries.filter((entry) => entry["organization_id"] === "acme");
      assert.equal(ofThese.length, count, action);
      assert.equal(ofThese[0]?.["actor"], "operator");
    }
    const [first] = await audited("restricted.show");
    assert.deepEqual(first?.["detail"], { reason: "review" });
    assert.deepEqual((await line.ask("check"))["findings"], []);
  });

  it("refuses what does not exist", async () => {
    for (const [words, name, message] of [
      [["restricted list --organization nobody"], "no_such_organization", /There are: acme/],
      [["restricted show del_1", ...ofAcme], "no_such_restricted_set", /restricted list/],
      [["restricted export del_1", ...ofAcme], "no_such_restricted_set", /del_1/],
      [
        ["deletion hold transaction tx-9 --reason r --restricted del_1", ...ofAcme],
        "no_such_restricted_set",
        /del_1/,
      ],
    ] as const) {
      const failed = await line.fail(...words);
      assert.equal(failed.name, name);
      assert.match(failed.message, message);
    }
  });
});

describe("closing an organization", () => {
  it("leaves its restricted sets, as it says to everybody, and shows them to officers", async () => {
    const { message } = await line.fail("organization close", ...ofAcme);
    assert.match(message, /Restricted sets, if there are any, stay until their own holds/);
    const other = await line.fail("organization close --organization other");
    assert.match(other.message, /Restricted sets, if there are any, stay/);
    await line.ask("organization close --yes", ...ofAcme);
    await process();
    const shown = await line.ask("organization show acme --include-confidential");
    assert.equal(shown["has_restricted_sets"], true);
    assert.equal((await line.ask("organization show acme"))["has_restricted_sets"], undefined);
    const none = await line.ask("organization show other --include-confidential");
    assert.equal(none["has_restricted_sets"], false);
    const { out } = await line.type("organization show acme --include-confidential");
    assert.match(out, /^It has restricted sets: .*restricted list --organization acme$/m);
    const { out: text } = await line.type("organization show acme");
    assert.doesNotMatch(text, /estricted sets/);
    const { sets } = (await line.ask("restricted list", ...ofAcme)) as { sets: readonly unknown[] };
    assert.equal(sets.length, 1);
  });
});

const shownLine = makeCommandLine();
/** More than a part of the list examines. */
const hidden = 1_001;

async function addPersons(organizationId: string, ids: readonly string[]): Promise<void> {
  await shownLine.ask("organization create --name A --id", organizationId);
  await operate(shownLine.environment, async ({ store }) => {
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
  await shownLine.ask("organization close --organization closed --yes");
  const ids = await operate(shownLine.environment, async (app) => {
    const viewer = showing(app, { includeConfidential: false });
    const { shown } = await listDeletions(viewer, {}, { limit: 50 });
    return shown.map(({ deletion }) => deletion.deletionRequestId);
  });
  assert.deepEqual(ids, ["del_openp"]);
});
