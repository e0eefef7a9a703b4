// Messages between the threads arrive unchanged.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import {
  flattenJobs,
  flattenResult,
  isOperation,
  type Job,
  type Result,
  type TicketedJob,
  unflattenJobs,
  unflattenResults,
} from "../../../../src/store/sqlite/commit/job.ts";
import type { RecordWrite } from "../../../../src/domain/record/record-write.ts";
import { StoreError } from "../../../../src/store/interface/store-error.ts";
import { anyCharacter } from "../../../support/any-character.ts";

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const text = fc.string({ unit: anyCharacter });
const noNullPrototype = true;
const anyReference = fc.record(
  { to: text, id: text, kind: fc.constantFrom("belongs" as const, "mentions" as const) },
  { noNullPrototype },
);
const anyDraft = fc.record(
  {
    id: text,
    timestamp: text,
    payload: text,
    references: fc.array(anyReference, { maxLength: 3 }),
  },
  { noNullPrototype },
);
const anyMark = fc.record({ keyHash: bytes, fingerprint: bytes });
/** A write has a mark, or one for each draft. */
const anyMarks = fc.oneof(
  fc.constant({}),
  fc.record({ idempotency: anyMark }, { noNullPrototype }),
  fc.record({ marks: fc.array(anyMark, { maxLength: 4 }) }, { noNullPrototype }),
);
const anyContent = fc.record(
  {
    organizationId: text,
    resourceType: text,
    mode: fc.constantFrom("add" as const, "append" as const, "update" as const),
    lenient: fc.boolean(),
    receivedAt: fc.nat(),
    drafts: fc.array(anyDraft, { maxLength: 4 }),
  },
  { noNullPrototype },
);
const anyWrite = fc
  .tuple(anyContent, anyMarks)
  .map(([content, marks]): RecordWrite => ({ ...content, ...marks }));
const anyOperation = fc.record(
  {
    name: fc.constantFrom("ping", "holds.place"),
    args: fc.constantFrom([], [{ key: { id: "k" }, reason: "r" }, 5]),
  },
  { noNullPrototype },
);

function ticketed(jobs: readonly Job[]): readonly TicketedJob[] {
  return jobs.map((job, index) => ({ ticket: 7 * index, job }));
}

function plain(jobs: readonly TicketedJob[]): unknown {
  return jobs.map(({ ticket, job }) => {
    if (isOperation(job)) return { ticket, job };
    const { idempotency, marks, ...rest } = job;
    const hashes = [idempotency, ...(marks ?? [])].map(
      (mark) => mark && [Buffer.from(mark.keyHash), Buffer.from(mark.fingerprint)],
    );
    return { ticket, job: rest, hashes };
  });
}

describe("jobs between threads", () => {
  it("are the same on the other side", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyWrite, anyOperation)), (jobs) => {
        assert.deepEqual(
          plain(unflattenJobs(structuredClone(flattenJobs(ticketed(jobs))))),
          plain(ticketed(jobs)),
        );
      }),
    );
  });

  it("do not include the memory around their hashes", () => {
    const pool = new Uint8Array(100_000);
    const keyHash = pool.subarray(10, 42);
    const flat = flattenJobs(
      ticketed([
        {
          organizationId: "o",
          resourceType: "t",
          mode: "add",
          lenient: false,
          receivedAt: 1,
          drafts: [],
          idempotency: { keyHash, fingerprint: keyHash },
        },
      ]),
    );
    assert.ok(flat.every((item) => typeof item !== "object"));
  });
});

function pass(result: Result): Result | undefined {
  const flat: unknown[] = [];
  flattenResult(flat, 3, result);
  let passed: Result | undefined;
  unflattenResults(structuredClone(flat), (ticket, arrived) => {
    assert.equal(ticket, 3);
    passed = arrived;
  });
  return passed;
}

describe("results between threads", () => {
  it("are the same on the other side", () => {
    const values = [{ written: 3, drafts: "cuc" }, undefined, null, true, 7, "text", { a: [1] }];
    const results: Result[] = values.map((value) => ({ ok: true, value }));
    const flat: unknown[] = [];
    for (const [ticket, result] of results.entries()) flattenResult(flat, ticket, result);
    const passed: Result[] = [];
    unflattenResults(structuredClone(flat), (ticket, result) => (passed[ticket] = result));
    assert.deepEqual(passed, results);
  });

  it("keep the kind and the text of other errors", () => {
    const store = pass({ ok: false, error: new StoreError("full") });
    assert.ok(store?.ok === false && store.error instanceof StoreError);
    assert.equal(store.error.message, "full");
    const other = pass({ ok: false, error: new TypeError("wrong") });
    assert.ok(other?.ok === false && other.error instanceof TypeError);
    assert.equal(other.error.message, "wrong");
    const thrown = pass({ ok: false, error: "a text" });
    assert.ok(thrown?.ok === false && thrown.error instanceof Error);
  });
});
