// Completed means verified: remaining data, whatever its origin, is found by the check before
// completion, and the deletion is not completed until it is gone. An erasure that never finishes
// stays processing, and operators see why.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { App } from "../../../src/actions/app.ts";
import {
  type ProcessedDeletions,
  processDeletions,
} from "../../../src/actions/deletion/process-deletions.ts";
import { openStoreLedger } from "../../../src/store/open-store.ts";
import { offsetsOf } from "../../../src/actions/change/offset.ts";
import { CallerCache } from "../../../src/actions/access/caller-cache.ts";
import { InFlightKeys } from "../../../src/actions/intake/idempotency.ts";
import { limits } from "../../../src/domain/limits.ts";
import {
  acme,
  draftOf,
  keyOf,
  operator,
  organization,
  transaction,
  worker,
} from "../../conformance/scene.ts";
import { makePlace, type Place } from "../../store/sqlite/place.ts";
import type { TestStore } from "../../support/test-store.ts";

async function eraseAll(store: TestStore, id: string): Promise<void> {
  await store.claim();
  while (!(await store.eraseOne(id, 100)));
}

async function prepare(store: TestStore): Promise<string> {
  for (const id of ["t", "stays"]) await store.add("transaction", id);
  await store.add("transaction_alert", "a", { related_tx_ids: ["t", "stays"] });
  const id = await store.request(keyOf("transaction", "t"));
  assert.ok(id);
  return id;
}

function makeApp(place: Place, store: TestStore): App {
  return {
    store,
    ledger: openStoreLedger(place.folder, "store_test", { now: () => worker.now }),
    now: () => worker.now,
    operator: "test",
    signer: () => undefined,
    derive: () => undefined,
    knownTime: { at: 0 },
    clockJumpMs: 0,
    setting: (item) => item.read(item.fallback) as never,
    timestampMin: "1980-01-01",
    offsets: offsetsOf(store),
    callers: new CallerCache(),
    inFlight: new InFlightKeys(),
  };
}

describe("a deletion is not completed while anything is left", () => {
  it("such as a change of the record that was written directly to the database", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    const id = await prepare(store);
    await eraseAll(store, id);
    place.withDatabase((database) => {
      database.exec(`
        INSERT INTO record VALUES ('org_acme', 'transaction', 't', 900, '2026', '2026');
        INSERT INTO change VALUES (900, 900, 1, NULL, '{"tx_id":"t"}', NULL);
        UPDATE counter SET value = 900`);
    });
    assert.equal(await store.completeOne(id), undefined);
    assert.equal((await store.deletionOf(id)).status, "processing");
    assert.equal((await store.finish(id)).status, "completed");
    assert.equal(await store.findRecord(keyOf("transaction", "t")), undefined);
    await store.requireConsistent();
  });

  it("such as a reference in a record that stays, without a relation for it", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    const id = await prepare(store);
    const before = place.withDatabase((database) =>
      database.prepare("SELECT payload FROM change WHERE payload LIKE '%\"a\"%'").get(),
    );
    await eraseAll(store, id);
    place.withDatabase((database) => {
      database
        .prepare("UPDATE change SET payload = ? WHERE payload LIKE '%\"a\"%'")
        .run(String(before?.["payload"]));
    });
    assert.equal(await store.completeOne(id), undefined);
    assert.equal((await store.finish(id)).status, "completed");
    const [payload] = await store.payloadsOf(keyOf("transaction_alert", "a"));
    assert.deepEqual(payload?.["related_tx_ids"], ["stays"]);
    await store.requireConsistent();
  });
});

/** The store, with some of its methods replaced. */
function replaceMethods(store: TestStore, methods: Partial<TestStore>): TestStore {
  return new Proxy(store, {
    get: (_, name) => {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(store, name, store);
      return typeof value === "function" ? value.bind(store) : value;
    },
  });
}

describe("a deletion of many steps", () => {
  it("is verified only when nothing is left of its plan", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    const id = await prepare(store);
    const calls: string[] = [];
    const slow = replaceMethods(store, {
      eraseStep: async (...args) => {
        calls.push("erase");
        const nothing = { done: [], workMs: 0, latestArrival: 0 };
        return calls.length < 30 ? nothing : store.eraseStep(...args);
      },
      completeDeletions: async (...args) => {
        calls.push("verify");
        return store.completeDeletions(...args);
      },
    });
    const stopping = new AbortController().signal;
    await processDeletions(makeApp(place, slow), { claimant: "test", stopping });
    assert.equal((await store.deletionOf(id)).status, "completed");
    assert.deepEqual(calls, [...Array.from({ length: 30 }, () => "erase"), "verify"]);
  });
});

describe("more deletions than are processed together", () => {
  it("are erased while those before them are completed, once each", async (test) => {
    const store = await makePlace(test).open();
    const ids = Array.from({ length: limits.deletionsAtOnceMax + 1 }, (_, index) => `t${index}`);
    await store.write(ids.map((id) => transaction(id)));
    await Promise.all(ids.map((id) => store.request(keyOf("transaction", id))));
    const events: string[] = [];
    const watched = replaceMethods(store, {
      eraseStep: async (...args) => {
        events.push("erase");
        return store.eraseStep(...args);
      },
      completeDeletions: async (...args) => {
        const completed = await store.completeDeletions(...args);
        events.push("completed");
        return completed;
      },
    });
    const done: number[] = [];
    test.mock.method(performance, "now", () => 0);
    const app = makeApp(makePlace(test), watched);
    await processDeletions(app, {
      claimant: "test",
      stopping: new AbortController().signal,
      onDone: async (some) => void done.push(some.length),
    });
    const last = events.lastIndexOf("erase");
    assert.ok(last > 1 && last < events.indexOf("completed"), events.join());
    assert.deepEqual(done, [limits.deletionsAtOnceMax, 1]);
    assert.deepEqual(await store.countRecords(acme), {});
    await store.requireConsistent();
  });
});

async function prepareSome(test: TestContext): Promise<TestStore> {
  const store = await makePlace(test).open();
  for (const id of ["t1", "t2", "t3"]) {
    await store.write(transaction(id));
    await store.request(keyOf("transaction", id));
  }
  return store;
}

describe("deletions that take long to claim", () => {
  it("are processed before others are claimed", async (test) => {
    const store = await prepareSome(test);
    const events: string[] = [];
    let now = 0;
    test.mock.method(performance, "now", () => now);
    const slow = replaceMethods(store, {
      claimDeletions: async (claim) => {
        now += 1_000;
        events.push("claim");
        return store.claimDeletions(claim, 1);
      },
    });
    const options = {
      claimant: "test",
      stopping: new AbortController().signal,
      onDone: async () => void events.push("done"),
    };
    await processDeletions(makeApp(makePlace(test), slow), options);
    assert.deepEqual(events, ["claim", "done"]);
  });

  it("are not claimed once the process stops", async (test) => {
    const store = await prepareSome(test);
    const stopping = new AbortController();
    const slow = replaceMethods(store, {
      claimDeletions: async (claim) => {
        stopping.abort();
        return store.claimDeletions(claim, 1);
      },
    });
    const options = { claimant: "test", stopping: stopping.signal };
    const all = await processDeletions(makeApp(makePlace(test), slow), options);
    assert.equal(all.length, 1);
  });
});

describe("a large deletion whose plan fails", () => {
  it("is postponed longer each time, and reported, while others are completed", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    for (const id of ["large", "small"]) await store.add("transaction", id);
    const checks = Array.from({ length: 2_001 }, (_, index) =>
      draftOf("transaction_check", `c${index}`, { related_tx_ids: ["large"] }),
    );
    await store.write(checks, { resourceType: "transaction_check" });
    const [large, small] = [
      await store.request(keyOf("transaction", "large")),
      await store.request(keyOf("transaction", "small")),
    ];
    place.withDatabase((database) =>
      database.exec(`
        CREATE TRIGGER failing BEFORE INSERT ON deletion_target
        WHEN NEW.deletion_request_id = '${large}' BEGIN SELECT RAISE(ABORT, 'no plan'); END`),
    );
    const reported: string[] = [];
    const options = {
      claimant: "test",
      stopping: new AbortController().signal,
      onDone: async (done: readonly ProcessedDeletions[]) => {
        reported.push(...done.map(({ result, deletion }) => `${result} ${deletion.resourceId}`));
      },
    };
    const attempt = async (now: number) => {
      await processDeletions({ ...makeApp(place, store), now: () => now }, options);
      const { status, waitingFor, nextAttemptAt = 0 } = await store.deletionOf(large);
      assert.deepEqual([status, waitingFor?.includes("no plan")], ["pending", true]);
      return nextAttemptAt;
    };
    const first = await attempt(worker.now);
    assert.ok((await attempt(first)) - first > first - worker.now);
    assert.equal((await store.deletionOf(small)).status, "completed");
    assert.deepEqual(reported.sort(), ["completed small", "postponed large", "postponed large"]);
    place.withDatabase((database) => database.exec("DROP TRIGGER failing"));
  });

  it("does not affect others, even if it can't be postponed, which is reported", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    for (const id of ["failing", "other"]) await store.add("transaction", id);
    for (const id of ["failing", "other"]) await store.request(keyOf("transaction", id));
    const failure = new Error("no plan");
    const failing = replaceMethods(store, {
      claimDeletions: async (...args) =>
        (await store.claimDeletions(...args)).map((deletion) =>
          deletion.resourceId === "failing" ? { ...deletion, failure } : deletion,
        ),
      postponeDeletion: () => Promise.reject(new Error("not now")),
    });
    const stopping = new AbortController().signal;
    const processing = processDeletions(makeApp(place, failing), { claimant: "test", stopping });
    await assert.rejects(processing, /not now/);
    assert.equal(await store.findRecord(keyOf("transaction", "other")), undefined);
  });

  it("is tried and reported once in a round, even if it is due until it is postponed", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.add("transaction", "large");
    const deletion = await store.deletionOf(await store.request(keyOf("transaction", "large")));
    let tries = 0;
    // What PostgreSQL does, which rolls the whole claim back.
    const claimDeletions = async () => {
      tries += 1;
      return [{ ...deletion, failure: new Error("no plan") }];
    };
    const app = { ...makeApp(place, store), store: { ...store, claimDeletions } };
    const options = { claimant: "test", stopping: new AbortController().signal };
    const results = await processDeletions(app, options);
    assert.deepEqual([tries, results.map(({ result }) => result)], [1, ["postponed"]]);
  });
});

describe("a deletion beside which others are requested without end", () => {
  it("is completed before they end", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    const ids = Array.from({ length: 20 }, (_, index) => `p${index}`);
    for (const id of ids) await store.add("person", id);
    const [first = "", ...others] = ids;
    const id = await store.request(keyOf("person", first));
    const busy = replaceMethods(store, {
      eraseStep: async (...args) => {
        const other = others.pop();
        if (other !== undefined) await store.request(keyOf("person", other));
        return store.eraseStep(...args);
      },
    });
    // Others join once a second.
    let now = 0;
    test.mock.method(performance, "now", () => (now += 1_000));
    let left = 0;
    await processDeletions(makeApp(place, busy), {
      claimant: "test",
      stopping: new AbortController().signal,
      onDone: async (done) => {
        const isFirst = done.some(({ deletion }) => deletion.deletionRequestId === id);
        if (isFirst) left = others.length;
      },
    });
    assert.ok(left > 10, `${left} others were still to be requested`);
    assert.equal((await store.countRecords(acme))["person"], undefined);
    await store.requireConsistent();
  });
});

describe("a deletion of a record that others name faster than they can be erased", () => {
  it("pauses writes of its organization until it is completed", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.createOrganization(organization(acme), operator);
    const id = await prepare(store);
    const added: string[] = [];
    const add = async () => {
      const check = draftOf("transaction_check", `c${added.length}`, { related_tx_ids: ["t"] });
      await store.write(check, { resourceType: "transaction_check", receivedAt: worker.now });
      added.push(check.id);
    };
    let refused: unknown;
    const busy = replaceMethods(store, {
      completeDeletions: async (ids, act) => {
        await add().catch((error: unknown) => (refused = error));
        return await store.completeDeletions(ids, act);
      },
    });
    const options = { claimant: "test", stopping: new AbortController().signal };
    await processDeletions(makeApp(place, busy), options);
    assert.equal((await store.deletionOf(id)).status, "completed");
    assert.match(String(refused), /A deletion is being completed/);
    assert.ok(added.length >= 20);
    for (const one of added) assert.ok(!(await store.exists(keyOf("transaction_check", one))));
    await add();
    await store.requireConsistent();
  });
});

describe("an erasure that never finishes", () => {
  it("stays processing, states why, and is tried again later", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    const id = await prepare(store);
    let passes = 0;
    const stubborn = replaceMethods(store, {
      completeDeletions: async () => {
        passes += 1;
        return [{ result: "again" }];
      },
    });
    const stopping = new AbortController().signal;
    const app = makeApp(place, stubborn);
    const results = await processDeletions(app, { claimant: "test", stopping });
    assert.deepEqual(
      results.map(({ result }) => result),
      ["postponed"],
    );
    const { status, waitingFor, nextAttemptAt } = await store.deletionOf(id);
    assert.equal(status, "processing");
    assert.match(waitingFor ?? "", /40 verification passes have each found something/);
    assert.equal(passes, 40);
    assert.ok(nextAttemptAt !== undefined && nextAttemptAt > worker.now);
  });

  it("is not completed when the ledger can't be written either", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    const id = await prepare(store);
    const ledger = {
      ...openStoreLedger(place.folder, "x", { now: () => worker.now }),
      note: async () => Promise.reject(new Error("disk full")),
    };
    const stopping = new AbortController().signal;
    const app = { ...makeApp(place, store), ledger };
    const results = await processDeletions(app, { claimant: "test", stopping });
    assert.deepEqual(
      results.map(({ result }) => result),
      ["postponed"],
    );
    const { status, waitingFor } = await store.deletionOf(id);
    assert.equal(status, "processing");
    assert.match(waitingFor ?? "", /disk full/);
  });
});
