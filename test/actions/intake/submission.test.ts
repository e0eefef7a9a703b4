// The bounds of one request at their edges, and what is stored of a lenient one.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { reasonOf } from "../../../src/actions/operator/operator-error.ts";
import { type RecordWriter, Submission } from "../../../src/actions/intake/submission.ts";
import { limits } from "../../../src/domain/limits.ts";
import type { RecordWrite } from "../../../src/domain/record/record-write.ts";
import { acme, mark, typeNamed } from "../../conformance/scene.ts";

const relatedMax = limits.listItemsMax - 1;

/** A check that takes 1,000 rows: its own, and one for each transaction. */
function wideCheck(index: number): object {
  const { example } = typeNamed("transaction_check");
  const related_tx_ids = Array.from({ length: relatedMax }, (_, at) => `tx-${index}-${at}`);
  return { ...example, check_id: `check-${index}`, related_tx_ids };
}

function submissionOf(items: readonly unknown[], lenient: boolean): Submission {
  const submission = new Submission({
    organizationId: acme,
    type: typeNamed("transaction_check"),
    mode: "add",
    lenient,
    single: false,
    receivedAt: Date.UTC(2026, 5, 1),
    timestampMin: "1980-01-01",
  });
  for (const item of items) submission.add(item);
  return submission;
}

/** Creates every record, and lists the writes. */
function makeWriter(): RecordWriter & { readonly writes: RecordWrite[] } {
  const writes: RecordWrite[] = [];
  return {
    writes,
    writeRecords: async (write) => {
      writes.push(write);
      return { written: write.drafts.length, drafts: write.drafts.map(() => "created" as const) };
    },
  };
}

/** A check that takes one row. */
function checkNamed(id: string, fields: object = {}): object {
  const { example } = typeNamed("transaction_check");
  return { ...example, related_tx_ids: [], check_id: id, ...fields };
}

/** How many parts of a list of 1,005 items are stored at once. */
async function storingAtOnce(list: readonly object[]): Promise<number> {
  let [storing, most] = [0, 0];
  const writer = makeWriter();
  await submissionOf(list, true).store({
    writeRecords: async (write) => {
      storing += 1;
      most = Math.max(most, storing);
      await setImmediate();
      storing -= 1;
      return writer.writeRecords(write);
    },
  });
  assert.deepEqual(
    writer.writes.map(({ drafts }) => drafts.length),
    [1_000, 5],
  );
  return most;
}

/** An item with only this many fields that do not exist. */
function withUnknown(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`no_${at}`, at]));
}

/** The error of a strict list. */
async function messageOf(items: readonly object[]): Promise<string> {
  try {
    await submissionOf(items, false).store(makeWriter());
    return "";
  } catch (error) {
    return reasonOf(error);
  }
}

describe("a submission", () => {
  const many = Array.from({ length: limits.listRowsMax / (relatedMax + 1) }, (_, at) =>
    wideCheck(at),
  );

  it("may have exactly as many rows as a list, and not one more", async () => {
    const writer = makeWriter();
    const whole = submissionOf(many, false);
    assert.equal(whole.rows, limits.listRowsMax);
    assert.equal((await whole.store(writer)).written, many.length);
    const { example } = typeNamed("transaction_check");
    const more = { ...example, check_id: "one more", related_tx_ids: [] };
    for (const lenient of [false, true]) {
      await assert.rejects(submissionOf([...many, more], lenient).store(writer), {
        errorName: "too_large",
      });
    }
    assert.equal(writer.writes.length, 1);
  });

  it("is stored part by part only if a record is in two parts", async () => {
    const items = Array.from({ length: 1_005 }, (_, at) => checkNamed(`c ${at}`));
    assert.equal(await storingAtOnce(items), 2);
    const repeated = items.with(1_002, checkNamed("c 3", { status: "FAILED" }));
    assert.equal(await storingAtOnce(repeated), 1);
  });

  it("that is lenient is stored in parts, and its results are in the order of its items", async () => {
    const writer = makeWriter();
    const report = await submissionOf([...many, {}], true).store(writer);
    assert.ok(writer.writes.length > 1);
    const rows = writer.writes.map(({ drafts }) => drafts.length * (relatedMax + 1));
    assert.ok(rows.every((count) => count <= limits.groupRowsMax));
    assert.equal(report.written, many.length);
    const shown = report.results?.map(({ id, status }) => [id, status]);
    const created = many.map((_, at) => [`check-${at}`, "created"]);
    assert.deepEqual(shown, [...created, [undefined, "refused"]]);
  });

  it("that is lenient and has no valid item is stored only for an Idempotency-Key", async () => {
    const writer = makeWriter();
    assert.equal((await submissionOf([{}], true).store(writer)).written, 0);
    assert.equal(writer.writes.length, 0);
    await submissionOf([{}], true).store(writer, mark("key"));
    assert.deepEqual(
      writer.writes.map(({ drafts }) => drafts),
      [[]],
    );
  });

  it("that is lenient lists at most 10,000 errors over all items", async () => {
    const items = Array.from({ length: 102 }, () => withUnknown(100));
    const { results = [] } = await submissionOf(items, true).store(makeWriter());
    const counts = results.map(({ errors = [] }) => errors.length);
    assert.deepEqual(counts, [...Array.from({ length: 100 }, () => 100), 0, 0]);
    assert.ok(results.every(({ status }) => status === "refused"));
  });

  it("says how many errors it does not list, or how many at least if an item has more than are counted", async () => {
    const required = typeNamed("transaction_check").example;
    const items = [60, 60].map((count) => ({ ...required, ...withUnknown(count) }));
    const all = "2 of 2 items were refused; nothing was written. The first 100 errors are listed; ";
    assert.equal(await messageOf(items), `${all}there are 20 more.`);
    const [first = {}] = items;
    assert.equal(await messageOf([first, withUnknown(200)]), `${all}there are at least 61 more.`);
  });
});
