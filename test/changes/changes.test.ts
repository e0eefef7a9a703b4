// Servers and consumers of the feed that are killed under load: every consumer has every change once and in order. And
// the comparison, which has to see what is wrong.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireNothingFound } from "../campaign/in-test.ts";
import { engines } from "../campaign/campaign.ts";
import { changes } from "./run-store.ts";
import {
  compareDelivery,
  compareNotices,
  compareWithStore,
  completedType,
  erasedType,
  type FeedEvent,
} from "./compare.ts";

for (const engine of engines) {
  describe(`consumers of the feed on ${engine}`, () => {
    it("have every change once and in order, whatever is killed", async (test) => {
      const run = { campaign: changes, engine, seed: 20_261_201, count: 3 };
      const amounts = { changes: 600, writers: 4 };
      const figures = await requireNothingFound(test, "changes", { ...run, amounts });
      const { kills = 0, changes: compared = 0, serverKills, consumerKills } = figures;
      assert.ok(kills >= run.count && compared >= amounts.changes, "there was load");
      assert.ok(serverKills !== undefined && consumerKills !== undefined, "both were killed");
    });
  });
}

function event(id: string, parts: Partial<FeedEvent> = {}): FeedEvent {
  return { id, type: "sluice.person.created", subject: id, data: { n: id }, ...parts };
}

const feed = ["a", "b", "c"].map((id) => event(id));
const [first, second, third] = feed as [FeedEvent, FeedEvent, FeedEvent];
const lost = event("lost");

function mayBeGone({ id }: FeedEvent): boolean {
  return id === "lost";
}

function findingsOf(...delivered: readonly FeedEvent[]): readonly string[] {
  return compareDelivery({ name: "consumer", delivered, feed, mayBeGone });
}

describe("the comparison of a consumer with the feed", () => {
  it("accepts every event once and in order, and what was erased since", () => {
    assert.deepEqual(findingsOf(first, lost, second, third), []);
  });

  const wrong: readonly (readonly [string, readonly FeedEvent[], RegExp])[] = [
    ["a skipped event", [first, third], /skipped 1 events, from .+ b /],
    ["the last events", [first], /lacks 2 events/],
    ["a repeated event", [first, first, second, third], /a \(a\) twice/],
    ["another order", [second, first, third], /skipped 1 .+ a /],
    ["an erased event twice", [lost, lost, first, second, third], /lost \(lost\) twice/],
    ["an event of nobody", [event("x"), first, second, third], /x \(x\), which is nowhere/],
  ];
  for (const [what, delivered, message] of wrong) {
    it(`finds ${what}`, () => assert.match(findingsOf(...delivered).join("\n"), message));
  }
});

describe("the comparison of the feed with the store", () => {
  const stored = feed.map(({ subject, data }) => ({
    resourceType: "person",
    resourceId: subject,
    payload: JSON.stringify(data),
  }));

  it("accepts the same changes", () => assert.deepEqual(compareWithStore(feed, stored), []));

  it("finds another order, other content, and what is missing", () => {
    const again = event("d", { subject: "a" });
    const more = [...stored, { resourceType: "person", resourceId: "a", payload: `{"n":"d"}` }];
    assert.deepEqual(compareWithStore([first, third, second], stored).length, 2);
    assert.deepEqual(compareWithStore([first, second, event("c", { data: 1 })], stored).length, 1);
    assert.deepEqual(compareWithStore([first, second], stored).length, 1);
    assert.deepEqual(compareWithStore([...feed, again], more).length, 1);
    const updated = { ...again, type: "sluice.person.updated" };
    assert.deepEqual(compareWithStore([...feed, updated], more), []);
  });
});

describe("the comparison of what a recipient was told", () => {
  const data = { resource_type: "person", deletion_request_id: "del_1" };
  const notice = event("n", { type: erasedType, subject: "a", data });
  const end = event("e", { type: completedType, subject: "del_1", data: {} });
  const deletions = [{ deletionRequestId: "del_1", erased: { person: 1 } }];
  const told = { deletions, erased: new Set(["person/a"]) };

  it("accepts each erasure once, after the events of the record", () => {
    assert.deepEqual(compareNotices([first, second, notice, end, first], told), []);
  });

  const wrong: readonly (readonly [string, readonly FeedEvent[], RegExp])[] = [
    ["no notice", [first, end], /the erasure of person\/a was not told/],
    ["a notice twice", [notice, notice, end], /told twice/],
    ["no end", [notice], /del_1 completed: told 0 times/],
    ["an unknown deletion", [notice, end, { ...end, subject: "x" }], /nothing is known of x/],
    ["an update after it", [notice, end, { ...first, type: "sluice.person.updated" }], /updated/],
    ["a notice too late", [first, first, notice, end], /created again/],
  ];
  for (const [what, delivered, message] of wrong) {
    it(`finds ${what}`, () => assert.match(compareNotices(delivered, told).join("\n"), message));
  }
});
