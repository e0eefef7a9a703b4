// Several deletions that are completed together on SQLite: the bytes of all are gone from every
// file, also of those that had to be tried again, and wherever a process was killed.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { SealReceipt } from "../../../src/store/interface/deletion.ts";
import { draftOf, keyOf, worker } from "../../conformance/scene.ts";
import { makeRandom } from "../../support/random.ts";
import { makeTestSeal } from "../../support/seal.ts";
import { openRecorded } from "./erase/recorded-store.ts";
import { makePlace, type Place } from "./place.ts";
import type { TestStore } from "../../support/test-store.ts";

const program = join(import.meta.dirname, "complete-deletions-process.ts");
const secret = "top-secret-";
const persons = ["p1", "p2", "p3"] as const;

/** Three persons with screenings in pages that others share, and a deletion of each. */
async function prepare(store: TestStore, screenings = 900): Promise<readonly string[]> {
  const random = makeRandom(11);
  for (const id of persons) await store.add("person", id, { name: `${secret}${id}` });
  for (let from = 0; from < screenings; from += 30) {
    const list = Array.from({ length: 30 }, (_, index) => {
      const goes = index % 3 === 0;
      const text = `${goes ? secret : "harmless-"}${from + index}`;
      const person = persons[(from / 30) % 3];
      return draftOf("screening", `${text}-id`, {
        outcome_details: text.repeat(random.integer(1, 30)),
        ...(goes ? { related_person_id: person } : {}),
      });
    });
    await store.write(list, { resourceType: "screening" });
  }
  const ids: string[] = [];
  for (const id of persons) ids.push(await store.request(keyOf("person", id)));
  return ids;
}

async function erase(store: TestStore, ids: readonly string[]): Promise<void> {
  for (const _ of ids) await store.claim();
  for (const id of ids) while (!(await store.eraseOne(id, 100)));
}

function findSecret(place: Place): readonly string[] {
  const files = [...place.readFiles()];
  return files.flatMap(([name, bytes]) => (bytes.includes(secret) ? [name] : []));
}

async function receiptsOf(store: TestStore): Promise<readonly string[]> {
  const kept = await store.listReceipts(0, 10);
  return kept.map(({ receipt }) => receipt.deletion_request_id);
}

/** Runs once, after everything was found clean and before the last check. */
function sealAfter(act: () => void): SealReceipt {
  const seal = makeTestSeal();
  let done = false;
  return (deletion, context) => {
    if (!done) act();
    done = true;
    return seal(deletion, context);
  };
}

describe("deletions that are completed together", () => {
  it("leave no byte of any in a file, and later operations bring none back", async (test) => {
    const place = makePlace(test);
    const store = await place.open({ sealReceipt: makeTestSeal() });
    const ids = await prepare(store);
    await erase(store, ids);
    assert.notDeepEqual(findSecret(place), [], "erasing alone leaves nothing to look for");
    const outcomes = await store.completeDeletions(ids, worker);
    assert.ok(outcomes.every(({ result }) => result === "completed"));
    assert.deepEqual(findSecret(place), []);
    for (let count = 0; count < 20; count += 1) await store.add("transaction", `t${count}`);
    await store.close();
    assert.deepEqual(findSecret(place), []);
  });

  it("include those after one that fails the last check", async (test) => {
    const place = makePlace(test);
    const late: Promise<unknown>[] = [];
    const sealReceipt = sealAfter(() => {
      const fields = { related_person_id: "p1", outcome_details: `${secret}late` };
      late.push(store.add("screening", "late", fields));
    });
    const store = await place.open({ sealReceipt });
    const ids = await prepare(store);
    const [first = "", second = "", third = ""] = ids;
    await erase(store, ids);
    const outcomes = await store.completeDeletions(ids, worker);
    await Promise.all(late);
    assert.deepEqual(
      outcomes.map(({ result }) => result),
      ["again", "completed", "completed"],
    );
    assert.equal((await store.deletionOf(first)).status, "processing");
    assert.deepEqual(await receiptsOf(store), [second, third]);
    assert.equal((await store.finish(first, 100)).erased["screening"], 101);
    assert.equal(await store.exists(keyOf("screening", "late")), false);
    assert.deepEqual(findSecret(place), []);
    await store.requireConsistent();
  });

  it("leave nothing that a writer still had in memory and wrote between the checks", async (test) => {
    const place = makePlace(test);
    const late: Promise<unknown>[] = [];
    const sealReceipt = sealAfter(() => {
      const texts = Array.from({ length: 900 }, (_, index) => `harmless-${index}-id`);
      const list = texts
        .filter((_, index) => index % 3 !== 0)
        .map((id) => draftOf("screening", id, { timestamp: "2027-01-01T00:00:00Z" }));
      late.push(store.write(list, { resourceType: "screening", mode: "update" }));
    });
    const store = await place.open({ sealReceipt });
    const ids = await prepare(store);
    await erase(store, ids);
    const outcomes = await store.completeDeletions(ids, worker);
    assert.ok(outcomes.every(({ result }) => result === "completed"));
    assert.equal((await Promise.all(late)).length, 1);
    assert.deepEqual(findSecret(place), []);
  });

  it("are completed though another process writes between the checks", async (test) => {
    const place = makePlace(test);
    const sealReceipt = sealAfter(() =>
      place.withDatabase((database) => database.exec("UPDATE counter SET value = value + 1")),
    );
    const store = await place.open({ sealReceipt });
    const ids = await prepare(store);
    await erase(store, ids);
    const outcomes = await store.completeDeletions(ids, worker);
    assert.ok(outcomes.every(({ result }) => result === "completed"));
    assert.deepEqual(findSecret(place), []);
    assert.deepEqual(await receiptsOf(store), ids);
    await store.requireConsistent();
  });

  it("leave nothing that moved within the file since the first check of the process", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.add("transaction", "first");
    const first = await store.request(keyOf("transaction", "first"));
    await store.claim();
    await store.finish(first);
    // From here on only what was written is checked.
    const ids = await prepare(store, 3_000);
    await erase(store, ids);
    const outcomes = await store.completeDeletions(ids, worker);
    assert.ok(outcomes.every(({ result }) => result === "completed"));
    assert.deepEqual(findSecret(place), []);
  });
});

/** Undefined if it was killed. */
async function run(place: Place, point: number): Promise<number | undefined> {
  const child = fork(program, [place.path, `${point}`]);
  let points: number | undefined;
  child.on("message", (message: { points: number; results: readonly string[] }) => {
    assert.ok(message.results.every((result) => result === "completed"));
    ({ points } = message);
  });
  await once(child, "exit");
  assert.equal(child.signalCode, points === undefined ? "SIGKILL" : null, `point ${point}`);
  return points;
}

function copyOf(test: TestContext, original: Place): Place {
  const place = makePlace(test);
  cpSync(dirname(original.path), dirname(place.path), { recursive: true });
  return place;
}

describe("a process that is killed while it completes deletions together", () => {
  it("leaves, at many points, deletions that are completed once, and no byte", async (test) => {
    const original = makePlace(test);
    const store = await original.open();
    const ids = await prepare(store, 300);
    await store.close();
    const points = (await run(copyOf(test, original), 0)) ?? 0;
    assert.ok(points >= 10, `${points}`);
    const known = new Set<boolean>();
    // A few of them, because each takes half a second.
    for (let point = 1; point <= points; point += Math.ceil(points / 5)) {
      const place = copyOf(test, original);
      assert.equal(await run(place, point), undefined);
      const { store: after, scrubs } = await openRecorded(place.path);
      const later = worker.now + 3_600_000;
      for (let next = await after.claim(later); next; next = await after.claim(later)) {
        await after.finish(next.deletionRequestId, 100);
      }
      for (const id of ids) assert.equal((await after.deletionOf(id)).status, "completed");
      assert.deepEqual((await receiptsOf(after)).toSorted(), [...ids].toSorted(), `point ${point}`);
      assert.deepEqual(findSecret(place), [], `point ${point}`);
      assert.deepEqual(await after.countRecords("org_acme"), { screening: 200 });
      await after.add("transaction", "later", { description: `${secret}later` });
      await after.request(keyOf("transaction", "later"));
      assert.equal((await after.processAll(later)).length, 1);
      assert.deepEqual(findSecret(place), [], `point ${point}`);
      known.add(scrubs[0] !== undefined);
      await after.requireConsistent();
      await after.close();
    }
    assert.ok(known.has(true), "a mark lasted, and so the tests above were about marks");
  });
});
