// The search in the audit trail and the verification of parts of its chain; the same on every engine.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Store } from "../../src/store/interface/store.ts";
import type { AuditQuery } from "../../src/store/interface/trail.ts";
import { type Engine, useSite } from "./engine.ts";
import { operator } from "./scene.ts";

const hour = 3_600_000;
const count = 40;

const any: AuditQuery = {
  actor: undefined,
  organizationId: undefined,
  action: undefined,
  from: undefined,
  until: undefined,
  before: undefined,
  limit: 100,
  examinedMax: 100,
};

export function testTrail(engine: Engine): void {
  describe(`${engine.name}: searching the audit trail`, () => {
    const site = useSite(engine);
    let store: Store;
    let first: number;
    before(async () => {
      ({ store } = site());
      first = (await store.trail.head()).no + 1;
      // One an hour, of two people and two actions.
      for (let index = 0; index < count; index += 1) {
        const note = {
          action: index % 4 < 2 ? ("receipt.export" as const) : ("receipt_key.create" as const),
          organizationId: index === 7 ? "acme" : undefined,
          subject: `subject ${index}`,
          detail: {},
        };
        const actor = index % 2 === 0 ? "anna" : "ben";
        await store.trail.note(note, { actor, now: operator.now + index * hour });
      }
    });

    const search = async (query: Partial<AuditQuery>) => {
      const { entries, next } = await store.trail.search({ ...any, ...query });
      return { found: entries.map(({ entryNo }) => entryNo - first), next };
    };

    it("is searched by all that is given, newest first", async () => {
      assert.deepEqual((await search({ actor: "anna", limit: 3 })).found, [38, 36, 34]);
      assert.deepEqual((await search({ organizationId: "acme" })).found, [7]);
      assert.deepEqual((await search({ action: "receipt", limit: 3 })).found, [37, 36, 33]);
      assert.deepEqual((await search({ action: "receipt.export", actor: "ben" })).found[0], 37);
      assert.deepEqual((await search({ action: "receipt.exp" })).found, []);
      const from = operator.now + 10 * hour;
      const until = operator.now + 13 * hour;
      assert.deepEqual(await search({ from, until }), { found: [12, 11, 10], next: undefined });
      assert.deepEqual(
        (await search({ until: operator.now + 2 * hour })).found.slice(0, 2),
        [1, 0],
      );
      assert.deepEqual((await search({ from: operator.now + count * hour })).found, []);
    });

    it("is read in parts, of which none reads more than it may", async () => {
      const found: number[] = [];
      let place: number | undefined;
      do {
        const part = await search({ actor: "ben", before: place, limit: 4, examinedMax: 7 });
        assert.ok(part.found.length <= 4);
        found.push(...part.found);
        place = part.next;
      } while (place !== undefined && place > first);
      assert.deepEqual(
        found,
        Array.from({ length: count / 2 }, (_, index) => count - 1 - 2 * index),
      );
    });

    it("is verified part by part, each tied to the one before by its hash", async () => {
      const head = await store.trail.head();
      let last = await store.trail.verify({ no: 0, hash: "0".repeat(64), limit: 7 });
      while (!last.isEnd && last.fault === undefined) {
        last = await store.trail.verify({ no: last.no, hash: last.hash, limit: 7 });
      }
      assert.deepEqual(last, { ...head, fault: undefined, isEnd: true });
      const wrong = await store.trail.verify({ no: first, hash: "0".repeat(64), limit: 7 });
      assert.equal(wrong.fault, `The audit chain is broken at entry ${first + 1}.`);
      assert.equal(wrong.no, first);
    });
  });
}
