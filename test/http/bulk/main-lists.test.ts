// Lists of moderate size, read on the main thread in turns, and only while the client is connected.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { requireRecordType } from "../../../src/domain/record-types.ts";
import type { RecordWrite } from "../../../src/domain/record/record-write.ts";
import { makeMainLists } from "../../../src/http/bulk/main-lists.ts";

const type = requireRecordType("transaction");
const acme = "org-acme";
const connected = new AbortController().signal;

function makeLists() {
  const writes: RecordWrite[] = [];
  const lists = makeMainLists(
    {
      writeRecords: (write) => {
        writes.push(write);
        const drafts = write.drafts.map(() => "created" as const);
        return Promise.resolve({ written: drafts.length, drafts });
      },
    },
    () => undefined,
  );
  return { lists, writes };
}

function taskOf(items: readonly unknown[]) {
  const order = {
    resourceType: "transaction",
    form: "list" as const,
    mode: "append" as const,
    organizationId: acme,
    receivedAt: Date.now(),
    timestampMin: "1980-01-01",
    lenient: false,
    asSingle: false,
    key: undefined,
  };
  return [order, Buffer.from(JSON.stringify(items))] as const;
}

const transaction = (index: number) => ({ ...type.example, tx_id: `tx-${index}` });

describe("a list on the main thread", () => {
  it("is stored, and reports what it has cost", async () => {
    const { lists, writes } = makeLists();
    const task = taskOf(Array.from({ length: 200 }, (_, index) => transaction(index)));
    const outcome = await lists.writeList(...task, connected);
    assert.ok("report" in outcome);
    assert.equal(outcome.report.written, 200);
    assert.equal(outcome.work.items, 200);
    assert.equal(outcome.work.bytes, task[1].length);
    assert.deepEqual(
      writes.map(({ drafts }) => drafts.length),
      [200],
    );
  });

  it("is validated in several turns, between which other events are processed", async () => {
    const { lists } = makeLists();
    const ticking = new AbortController();
    const items = Array.from({ length: 2_000 }, () => ({}));
    const writing = lists.writeList(...taskOf(items), connected).then((outcome) => {
      ticking.abort();
      return outcome;
    });
    let ticks = 0;
    while (!ticking.signal.aborted) {
      await nextTick();
      ticks += 1;
    }
    assert.ok(ticks >= items.length / 128, `${ticks} ticks`);
    const outcome = await writing;
    assert.ok("error" in outcome && outcome.error.message.includes("2000"));
    assert.equal(outcome.work.bytes > 0, true);
  });

  it("ends a turn early when its items take long", async (test) => {
    const { lists, writes } = makeLists();
    let now = 0;
    test.mock.method(performance, "now", () => (now += 1));
    const writing = lists.writeList(
      ...taskOf(Array.from({ length: 60 }, (_, index) => transaction(index))),
      connected,
    );
    let ticks = 0;
    while (writes.length === 0) {
      await nextTick();
      ticks += 1;
    }
    // With a clock that advances by 1 ms whenever it is read, a turn has at most four items.
    assert.ok(ticks >= 60 / 4, `${ticks} ticks`);
    assert.ok("report" in (await writing));
  });

  it("waits for one turn of each other list, not for all of them", async () => {
    const { lists } = makeLists();
    const ended: string[] = [];
    const long = taskOf(Array.from({ length: 2_000 }, () => ({})));
    const short = taskOf([transaction(1)]);
    await Promise.all([
      lists.writeList(...long, connected).then(() => ended.push("long")),
      lists.writeList(...short, connected).then(() => ended.push("short")),
    ]);
    assert.deepEqual(ended, ["short", "long"]);
  });

  it("is not stored once its client has disconnected", async () => {
    const { lists, writes } = makeLists();
    const gone = new AbortController();
    const writing = lists.writeList(...taskOf([transaction(1)]), gone.signal);
    gone.abort();
    assert.ok("error" in (await writing));
    assert.deepEqual(writes, []);
  });
});
