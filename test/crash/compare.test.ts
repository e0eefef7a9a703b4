// The checks after a crash can fail: they report every difference between what was answered and what is stored. A store
// whose WAL was torn may lack what was sent last, and nothing else.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recordTypeByName } from "../../src/domain/record-types.ts";
import { compare, type FindingKind } from "./compare.ts";
import { keyOf, Ledger, type SentChange, type Standing, textOf } from "./ledger.ts";
import type { Stored } from "./stored.ts";
import { compareTorn, tearable } from "./torn-wal.ts";

const type = recordTypeByName("person") ?? assert.fail();
const organizationId = "o";
const nameOfId = (id: string) => keyOf({ organizationId, resourceType: "person", resourceId: id });

/** What is stored, by the name of a record; a test may alter it. */
type Contents = Map<string, string[]>;

/** A change of each record, of this standing, in one request that is answered unless it is `unknown`. */
function send(ledger: Ledger, standing: Standing, ids: readonly string[]): readonly SentChange[] {
  const changes = ids.map((id) => {
    const record = ledger.record(type, { organizationId, id });
    const timestamp = `2026-01-31T09:30:0${record.changes.length}Z`;
    const change = ledger.change(record, { person_id: id, timestamp });
    change.standing = standing;
    return change;
  });
  ledger.recent.push({
    ask: { method: "POST", path: "/v2/person" },
    changes,
    atomic: true,
    sender: "one",
    idempotent: false,
    refusedWith: undefined,
    writeCount: undefined,
    answer: standing === "unknown" ? undefined : { status: 201, text: "" },
  });
  return changes;
}

function contentsOf(changes: readonly SentChange[]): Contents {
  const byRecord = Map.groupBy(changes, ({ record }) => nameOfId(record.id));
  return new Map([...byRecord].map(([name, own]) => [name, own.map(textOf)]));
}

/** First and last seen as the two changes of `a` have them, unless a record has only the first. */
function storedOf(contents: Contents, firstSeen = "2026-01-31T09:30:00"): Stored {
  const records = [...contents].map(([name, payloads]) => {
    const lastSeen = name === nameOfId("a") ? "2026-01-31T09:30:01" : "2026-01-31T09:30:00";
    return [name, { firstSeen, lastSeen, payloads }] as const;
  });
  return { records: new Map(records), faults: [] };
}

describe("the checks after a crash", () => {
  const [a, list] = [nameOfId("a"), nameOfId("unanswered 1")];
  const unknown = '{"person_id":"a"}';
  const cases: Readonly<Record<string, readonly [(contents: Contents) => void, FindingKind[]]>> = {
    "nothing in a correct store": [() => undefined, []],
    "a missing change": [(all) => all.get(a)?.pop(), ["lost", "times"]],
    "a missing record": [(all) => all.delete(a), ["lost"]],
    "a duplicate change": [(all) => all.get(a)?.push(all.get(a)?.[1] ?? ""), ["twice"]],
    "an altered change": [
      (all) => all.get(a)?.splice(1, 1, unknown),
      ["lost", "never sent", "times"],
    ],
    "a record that nobody sent": [(all) => all.set("o/person/x", [unknown]), ["never sent"]],
    "changes in another order": [(all) => all.set(a, all.get(a)?.toReversed() ?? []), ["order"]],
    "a list that is stored in part": [(all) => all.delete(list), ["half"]],
    "what was refused": [(all) => all.set(nameOfId("absent"), []), ["unwanted"]],
    "what was erased": [(all) => all.set(nameOfId("erased"), []), ["unwanted"]],
  };
  for (const [what, [alter, kinds]] of Object.entries(cases)) {
    it(`report ${what}`, () => {
      const ledger = new Ledger();
      const stored = ["a", "b", "a"].flatMap((id) => send(ledger, "stored", [id]));
      stored.push(...send(ledger, "unknown", ["unanswered 1", "unanswered 2"]));
      const gone = (["absent", "erased"] as const).flatMap((one) => send(ledger, one, [one]));
      const contents = contentsOf(stored);
      alter(contents);
      for (const change of gone) contents.get(nameOfId(change.record.id))?.push(textOf(change));
      const found = compare(ledger, storedOf(contents)).map(({ kind }) => kind);
      assert.deepEqual([...new Set(found)].sort(), kinds);
    });
  }

  it("report times that do not match the changes, and errors of the engine", () => {
    const ledger = new Ledger();
    const stored = storedOf(contentsOf(send(ledger, "stored", ["b"])), "2030-01-01T00:00:00");
    const found = compare(ledger, { ...stored, faults: ["damaged"] }).map(({ kind }) => kind);
    assert.deepEqual(found, ["integrity", "times"]);
  });
});

describe("a store whose WAL was torn", () => {
  it("can lack what was sent last, and no half of a list or earlier request", () => {
    const ledger = new Ledger();
    const first = send(ledger, "stored", ["x", "y"]);
    const second = send(ledger, "stored", ["z"]);
    const kinds = (...stored: readonly SentChange[]) =>
      compareTorn(ledger, storedOf(contentsOf(stored))).map(({ kind }) => kind);
    assert.deepEqual([kinds(...first, ...second), kinds(...first), kinds()], [[], [], []]);
    assert.deepEqual([kinds(...first.slice(0, 1)), kinds(...second)], [["half"], ["order"]]);
    assert.deepEqual(kinds(...first, ...first.slice(0, 1)), ["never sent"]);
  });

  it("was torn after the frames that a checkpoint has copied", () => {
    const frameBytes = 4_096 + 24;
    const files = (copied: number): [Buffer, Buffer] => {
      const wal = Buffer.alloc(32 + 5 * frameBytes);
      wal.writeUInt32BE(4_096, 8);
      const index = Buffer.alloc(32_768);
      index.writeUInt32LE(5, 16);
      index.writeUInt32LE(copied, 96);
      return [wal, index];
    };
    const whole = { from: 32 + 2 * frameBytes, to: 32 + 5 * frameBytes };
    assert.deepEqual([tearable(...files(2)), tearable(...files(5))], [whole, undefined]);
  });
});
