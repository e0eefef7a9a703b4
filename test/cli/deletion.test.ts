// The commands for deletions and holds, with the worker run manually.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeFakeClock } from "../support/fake-clock.ts";
import { makeCommandLine } from "./command-line.ts";
import { processAll } from "./process-all.ts";
import { addTransaction, deleteTransaction } from "./write-transactions.ts";

const clock = makeFakeClock();
const line = makeCommandLine({ now: clock.now });
await line.ask("organization create --name Acme --id acme");
await line.ask("organization create --name Other --id other");

function addAndDelete(txId: string, graceSeconds = 0): Promise<string> {
  return line.beside(async (app) => {
    await addTransaction(app, "acme", { tx_id: txId });
    return deleteTransaction(app, "acme", { txId, graceSeconds });
  });
}

async function show(id: string): Promise<Readonly<Record<string, unknown>>> {
  return line.ask("deletion show", id);
}

async function ids(...words: readonly string[]): Promise<readonly unknown[]> {
  const { deletions } = await line.ask("deletion list", ...words);
  return (deletions as readonly Record<string, unknown>[]).map((one) => one["deletion_request_id"]);
}

describe("deletion list and show", () => {
  it("list says when there are none", async () => {
    assert.deepEqual(await line.ask("deletion list"), { deletions: [] });
    assert.match((await line.type("deletion list")).out, /There is no deletion request to list/);
  });

  it("show has everything that an operator can know", async () => {
    const id = await addAndDelete("tx-show");
    const shown = await show(id);
    assert.deepEqual(shown, {
      deletion_request_id: id,
      resource_type: "transaction",
      resource_id: "tx-show",
      status: "pending",
      requested_at: new Date(clock.now()).toISOString(),
      organization_id: "acme",
      reason: "asked by the customer",
      basis: null,
      requested_by: "key_test",
      requester: "key_test",
      due_at: new Date(clock.now()).toISOString(),
      floor_until: null,
      started_at: null,
      redacted: 0,
      kept: {},
      restricted_of: null,
      attempts: 0,
      next_attempt_at: null,
      waiting_for: null,
      approval: null,
      holds: [],
      plan: {
        erases: { transaction: 1 },
        references_removed: {},
        pseudonyms: 0,
        records_on_hold: 0,
        floors: [],
        not_before: new Date(clock.now()).toISOString(),
        complete: true,
      },
    });
    const { out } = await line.type("deletion show", id);
    assert.match(out, /^erases +1 transaction$/m);
    assert.match(out, /^status +pending$/m);
    assert.match(out, /^record +transaction tx-show$/m);
  });

  it("show has the counts of erased records", async () => {
    const id = await addAndDelete("tx-erased");
    await processAll(line);
    const shown = await show(id);
    assert.equal(shown["status"], "completed");
    assert.deepEqual(shown["erased"], { transaction: 1 });
    assert.match((await line.type("deletion show", id)).out, /^erased +1 transaction$/m);
  });

  it("list can be filtered by organization, status and number, newest first", async () => {
    const first = await addAndDelete("tx-list-1");
    clock.advanceMs(1_000);
    const second = await addAndDelete("tx-list-2");
    assert.deepEqual((await ids("--status", "pending")).slice(0, 2), [second, first]);
    assert.deepEqual(await ids("--limit", "1"), [second]);
    assert.deepEqual(await ids("--organization", "other"), []);
    assert.ok(!(await ids("--status", "completed")).includes(first));
  });

  it("an unknown id is an error", async () => {
    for (const words of [
      ["show", "del_x"],
      ["cancel", "del_x"],
      ["release", "del_x"],
      ["hold", "del_x", "--reason", "r"],
    ]) {
      await line.refused("no_such_deletion", /"del_x".*sluice deletion list/, "deletion", ...words);
    }
    assert.equal((await line.fail("deletion list --organization x")).name, "no_such_organization");
  });

  it("show how long a grace period delays a deletion", async () => {
    const id = await addAndDelete("tx-grace", 60);
    const until = new Date(clock.now() + 60_000).toISOString();
    assert.equal((await show(id))["waiting_for"], `its grace period, until ${until}`);
  });
});

describe("deletion cancel", () => {
  it("cancels one that is pending, permanently", async () => {
    const id = await addAndDelete("tx-cancel");
    assert.equal((await line.ask("deletion cancel", id))["status"], "cancelled");
    await processAll(line);
    assert.equal((await show(id))["status"], "cancelled");
    await line.ask("record show transaction tx-cancel --organization acme");
  });

  it("refuses one that is completed or cancelled, and says which", async () => {
    const id = await addAndDelete("tx-late");
    await processAll(line);
    const { name, message } = await line.fail("deletion cancel", id);
    assert.equal(name, "not_pending");
    assert.match(message, /is completed; only one that is pending/);
  });
});

describe("deletion hold and release", () => {
  const held = ["transaction", "tx-held", "--organization", "acme"] as const;

  it("a held record is not erased, list and show say why, and its release lets the deletion continue", async () => {
    const id = await addAndDelete("tx-held");
    const hold = await line.ask("deletion hold", ...held, "--reason", "court order 12/2026");
    assert.equal(hold["reason"], "court order 12/2026");
    assert.equal(hold["placed_by"], "operator");
    assert.match(String((await show(id))["waiting_for"]), /hold.*court order 12\/2026/);
    await processAll(line);
    const shown = await show(id);
    assert.equal(shown["status"], "pending");
    assert.match(String(shown["waiting_for"]), /hold.*court order 12\/2026/);
    const { out } = await line.type("deletion list --status pending");
    assert.match(out, new RegExp(`^${id} .*hold.*court order 12/2026`, "m"));

    await line.ask("deletion release", ...held);
    clock.advanceMs(10 * 60_000);
    await processAll(line);
    assert.equal((await show(id))["status"], "completed");
  });

  it("both accept the id of a deletion request for its record", async () => {
    const id = await addAndDelete("tx-by-request");
    const hold = await line.ask("deletion hold", id, "--reason", "audit");
    assert.deepEqual(
      [hold["resource_type"], hold["resource_id"]],
      ["transaction", "tx-by-request"],
    );
    const released = await line.ask("deletion release", id);
    assert.equal(released["resource_id"], "tx-by-request");
  });
});
