// The evaluation of a group of writes in memory: what earlier writes of the group change for later ones, what a
// rejected list leaves, and the stored outcomes of Idempotency-Keys.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../../src/domain/limits.ts";
import { type Draft, keyText, type RecordWrite } from "../../../src/domain/record/record-write.ts";
import { evaluateGroup, type Known } from "../../../src/store/group/evaluate-group.ts";
import type { KnownRecord } from "../../../src/store/group/group-records.ts";
import type { StoredReply } from "../../../src/store/group/group-replies.ts";
import { unpackOutcome } from "../../../src/store/group/packed-outcome.ts";
import { acme, mark, transaction } from "../../conformance/scene.ts";

const keyOf = (resourceId: string) =>
  keyText({ organizationId: acme, resourceType: "transaction", resourceId });
const march: KnownRecord = { firstSeen: "2026-03-01T00:00:00", lastSeen: "2026-03-31T00:00:00" };

function known(records: Readonly<Record<string, KnownRecord>> = {}, reply?: StoredReply): Known {
  return {
    records: new Map(Object.entries(records).map(([id, record]) => [keyOf(id), record])),
    refusals: new Map(),
    closed: new Set(),
    hasIdentical: () => false,
    replies: reply === undefined ? [] : [reply],
  };
}

function write(drafts: readonly Draft[], options: Partial<RecordWrite> = {}): RecordWrite {
  const defaults = { organizationId: acme, mode: "append", lenient: false, receivedAt: 0 } as const;
  return { ...defaults, resourceType: "transaction", drafts, ...options };
}

/** A transaction at a time, which is also its payload. */
function at(id: string, timestamp: string): Draft {
  return transaction(id, { timestamp: `${timestamp}Z` });
}

function outcomesOf(writes: readonly RecordWrite[], before: Known) {
  const group = evaluateGroup(writes, before);
  const outcomes = group.evaluations.map((evaluation) =>
    evaluation.ok ? unpackOutcome(evaluation.value) : evaluation.error.errorName,
  );
  return { group, outcomes };
}

const rejected = { written: 0, drafts: ["created", "record_exists"] };

describe("a refused list in a group", () => {
  const list = write([at("a", "2026-04-01T00:00:00"), at("known", "2026-04-01T00:00:00")], {
    mode: "add",
  });

  it("leaves no record and no payload for later writes to find", () => {
    const again = write([at("a", "2026-04-01T00:00:00")]);
    const { group, outcomes } = outcomesOf([list, again, again], known({ known: march }));
    assert.deepEqual(outcomes, [
      rejected,
      { written: 1, drafts: ["created"] },
      { written: 0, drafts: ["unchanged"] },
    ]);
    assert.deepEqual(
      group.changes.map(({ draft, first }) => [draft.id, first]),
      [["a", true]],
    );
    assert.deepEqual(
      group.records.created.map(({ record }) => record.resourceId),
      ["a"],
    );
  });

  it("leaves no payload of a record that exists", () => {
    const same = at("known", "2026-04-01T00:00:00");
    const refused = write([same, at("missing", "2026-04-01T00:00:00")], { mode: "update" });
    const { group, outcomes } = outcomesOf([refused, write([same])], known({ known: march }));
    assert.deepEqual(outcomes[1], { written: 1, drafts: ["updated"] });
    assert.equal(group.changes.length, 1);
  });

  it("leaves the payloads that earlier writes of the group stored", () => {
    const same = at("known", "2026-04-01T00:00:00");
    const refused = write([same, at("missing", "2026-04-01T00:00:00")], { mode: "update" });
    const writes = [write([same]), refused, write([same])];
    const { group, outcomes } = outcomesOf(writes, known({ known: march }));
    assert.deepEqual(outcomes[2], { written: 0, drafts: ["unchanged"] });
    assert.equal(group.changes.length, 1);
  });

  it("restores the times at which a record was seen", () => {
    const early = at("known", "2026-01-01T00:00:00");
    const refused = write([early, at("missing", "2026-04-01T00:00:00")], { mode: "update" });
    const { group } = outcomesOf(
      [write([at("known", "2026-02-01T00:00:00")]), refused],
      known({ known: march }),
    );
    assert.deepEqual(
      group.records.widened.map(({ firstSeen, lastSeen }) => ({ firstSeen, lastSeen })),
      [{ ...march, firstSeen: "2026-02-01T00:00:00" }],
    );
  });
});

describe("the sightings of a group", () => {
  const times = ["2026-03-15T00:00:00", "2026-02-01T00:00:00", "2026-04-01T00:00:00"];

  it("are widened by its earliest and its latest change", () => {
    const writes = times.map((time) => write([at("known", time)], { mode: "update" }));
    const { group } = outcomesOf(writes, known({ known: march }));
    assert.deepEqual(group.records.created, []);
    const [state] = group.records.widened;
    assert.equal(state?.firstSeen, "2026-02-01T00:00:00");
    assert.equal(state.lastSeen, "2026-04-01T00:00:00");
  });

  it("are not written where a change lies between those that were known", () => {
    const { group } = outcomesOf([write([at("known", times[0] ?? "")])], known({ known: march }));
    assert.deepEqual(group.records.widened, []);
    assert.equal(group.changes.length, 1);
  });

  it("of a new record are those of all its changes", () => {
    const writes = times.map((time) => write([at("new", time)]));
    const { group } = outcomesOf(writes, known());
    assert.deepEqual(
      group.records.created.map(({ firstSeen, lastSeen }) => [firstSeen, lastSeen]),
      [["2026-02-01T00:00:00", "2026-04-01T00:00:00"]],
    );
    assert.deepEqual(group.records.widened, []);
  });

  it("are written in the order of the keys, in which every process locks them", () => {
    const before = known({ known: march, another: march });
    const writes = ["new", "known", "another", "b"].map((id) => write([at(id, times[1] ?? "")]));
    const { group } = outcomesOf(writes, before);
    const ids = [group.records.created, group.records.widened].map((records) =>
      records.map(({ record }) => record.resourceId),
    );
    assert.deepEqual(ids, [
      ["b", "new"],
      ["another", "known"],
    ]);
  });
});

describe("an Idempotency-Key in a group", () => {
  const one = mark("key", "one");
  const other = mark("key", "other");
  const draft = at("a", "2026-04-01T00:00:00");
  const first = (receivedAt: number) => write([draft], { idempotency: one, receivedAt });
  const second = (receivedAt: number) => write([draft], { idempotency: other, receivedAt });
  const late = 2 * limits.idempotencyKeptMs;
  const stored = { written: 1, drafts: "c" };
  const reply: StoredReply = {
    ...one,
    organizationId: acme,
    outcome: JSON.stringify(stored),
    createdAt: 5_000,
  };
  const kept = known({ a: march }, reply);

  it("repeats the outcome of a write before it, in the group or stored", () => {
    const repeated = { written: 1, drafts: ["created"], repeated: true };
    assert.deepEqual(outcomesOf([first(0), first(1), second(2)], known()).outcomes, [
      { written: 1, drafts: ["created"] },
      repeated,
      "idempotency_reused",
    ]);
    const { group, outcomes } = outcomesOf([first(late), second(late)], kept);
    assert.deepEqual(outcomes, [repeated, "idempotency_reused"]);
    assert.deepEqual([group.changes, group.replies], [[], []]);
  });
});
