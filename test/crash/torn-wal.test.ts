// The check of a torn WAL can fail, and knows which part of a WAL can be torn.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recordTypeByName } from "../../src/domain/record-types.ts";
import { keyOf, Ledger, type SentChange, sortedJson, type Submission, textOf } from "./ledger.ts";
import type { Stored, StoredRecord } from "./stored.ts";
import { compareTorn, tearable } from "./torn-wal.ts";

const type = recordTypeByName("person") ?? assert.fail();
const organizationId = "o";
const timestamp = "2026-01-31T09:30:00Z";

function send(ledger: Ledger, ids: readonly string[]): Submission {
  const changes = ids.map((id) => {
    const record = ledger.record(type, { organizationId, id });
    const change = ledger.change(record, { person_id: id, timestamp });
    change.standing = "stored";
    return change;
  });
  const submission: Submission = {
    ask: { method: "POST", path: "/v2/person" },
    changes,
    atomic: true,
    sender: "one",
    idempotent: false,
    refusedWith: undefined,
    writeCount: undefined,
    answer: { status: 201, text: "" },
  };
  ledger.recent.push(submission);
  return submission;
}

function storeOf(...changes: readonly (SentChange | undefined)[]): Stored {
  const records = new Map<string, StoredRecord>();
  for (const change of changes) {
    if (change === undefined) continue;
    const key = keyOf({ organizationId, resourceType: "person", resourceId: change.record.id });
    const seen = { firstSeen: change.moment, lastSeen: change.moment };
    records.set(key, { ...seen, payloads: [textOf(change)] });
  }
  return { records, faults: [] };
}

function kinds(ledger: Ledger, stored: Stored): readonly string[] {
  return compareTorn(ledger, stored).map(({ kind }) => kind);
}

describe("a store whose WAL was torn", () => {
  it("can lack what was sent last", () => {
    const ledger = new Ledger();
    const first = send(ledger, ["a", "b"]);
    send(ledger, ["c"]);
    assert.deepEqual(kinds(ledger, storeOf(...first.changes)), []);
    assert.deepEqual(kinds(ledger, storeOf()), []);
  });

  it("must not contain half of a list", () => {
    const ledger = new Ledger();
    const { changes } = send(ledger, ["a", "b"]);
    assert.deepEqual(kinds(ledger, storeOf(changes[0])), ["half"]);
  });

  it("must not contain a later request without the earlier ones", () => {
    const ledger = new Ledger();
    send(ledger, ["a"]);
    const { changes } = send(ledger, ["b"]);
    assert.deepEqual(kinds(ledger, storeOf(...changes)), ["order"]);
  });

  it("must not contain what nobody sent, nor duplicates", () => {
    const ledger = new Ledger();
    const { changes } = send(ledger, ["a"]);
    const [[key, record] = assert.fail()] = storeOf(...changes).records;
    const unexpected = sortedJson({ person_id: "a", timestamp, name: "unexpected" });
    const twice = { ...record, payloads: [...record.payloads, ...record.payloads] };
    for (const wrong of [{ ...record, payloads: [unexpected, ...record.payloads] }, twice]) {
      assert.deepEqual(kinds(ledger, { records: new Map([[key, wrong]]), faults: [] }), [
        "never sent",
      ]);
    }
  });
});

describe("the part of a WAL that may be torn", () => {
  const pageBytes = 4_096;
  const frameBytes = pageBytes + 24;

  function files({ frames, copied }: { frames: number; copied: number }): [Buffer, Buffer] {
    const wal = Buffer.alloc(32 + frames * frameBytes);
    wal.writeUInt32BE(pageBytes, 8);
    const index = Buffer.alloc(32_768);
    index.writeUInt32LE(frames, 16);
    index.writeUInt32LE(copied, 96);
    return [wal, index];
  }

  it("begins after the frames that a checkpoint has copied", () => {
    assert.deepEqual(tearable(...files({ frames: 5, copied: 2 })), {
      from: 32 + 2 * frameBytes,
      to: 32 + 5 * frameBytes,
    });
  });

  it("is empty where all frames were copied", () => {
    assert.equal(tearable(...files({ frames: 5, copied: 5 })), undefined);
    assert.equal(tearable(Buffer.alloc(0), Buffer.alloc(0)), undefined);
  });
});
