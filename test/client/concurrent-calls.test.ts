// When the client sends concurrent calls as a list and when not, what becomes of cancelled ones, and what each gets if
// the list fails.

import assert from "node:assert/strict";
import { describe, it, mock, type TestContext } from "node:test";
import { type Sluice, type SluiceError, SluiceNetworkError } from "../../client/src/sluice.ts";
import { makeCustomer } from "../support/customer.ts";
import { startService } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";
import { clientOf } from "./real-site.ts";
import {
  type Answer,
  failConnection,
  follow,
  hang,
  json,
  page,
  refuse,
  reply,
  type Sent,
  written,
} from "./scripted-fetch.ts";

const list = "/v2/person";
const preference = "handling=lenient, verdicts=single";

function person(id: string) {
  const timestamp = "2026-07-01T00:00:00Z";
  return { person_id: id, is_test_user: true, is_retail_customer: true, timestamp };
}

function idsIn({ body }: Sent): readonly string[] {
  const sent = JSON.parse(body) as { person_id: string } | { person_id: string }[];
  return [sent].flat().map(({ person_id }) => person_id);
}

/** As the service answers. */
const accept: Answer = (sent) => {
  const { headers, body } = sent;
  if (headers["prefer"] !== preference || !body.startsWith("[")) return reply(201)(sent);
  const results = idsIn(sent).map((id, index) => ({ index, id, status: "created", message: "1." }));
  return json(201, { ...written, write_count: results.length, results });
};

/** Answers as `accept` does, once `open` is called. */
function heldUp(): { readonly answer: Answer; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { answer: (sent) => promise.then(() => accept(sent)), open: resolve };
}

function timersOf(test: TestContext) {
  const timers = mock.method(globalThis, "setTimeout");
  test.after(() => timers.mock.restore());
  return () => timers.mock.calls.map(({ arguments: [, milliseconds] }) => milliseconds);
}

async function keysOf(calls: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((each) =>
    each.status === "rejected" ? (each.reason as SluiceError).idempotencyKey : "fulfilled",
  );
}

describe("concurrent calls of a client", () => {
  it("are one list", async () => {
    const { client, sent } = follow([accept]);
    const ids = Array.from({ length: 64 }, (_, index) => `p-${index}`);
    const results = await Promise.all(ids.map((id) => client.persons.add(person(id))));
    assert.deepEqual(results, Array<unknown>(64).fill(written));
    assert.deepEqual(
      sent.map((each) => [each.method, each.path, each.headers["prefer"], idsIn(each)]),
      [["POST", list, preference, ids]],
    );
  });

  it("are single requests if batching is off", async () => {
    const { client, sent } = follow([accept], { batching: false });
    await Promise.all(["a", "b"].map((id) => client.persons.add(person(id))));
    assert.deepEqual(
      sent.map((each) => [each.headers["prefer"], idsIn(each)]),
      [
        [undefined, ["a"]],
        [undefined, ["b"]],
      ],
    );
  });

  it("are sent alone with a key of the caller, and as they are if they are lists", async () => {
    const { client, sent } = follow([accept]);
    await Promise.all([
      client.persons.add(person("a"), { idempotencyKey: "mine" }),
      client.persons.add(person("b")),
      client.persons.add([person("c")]),
      client.persons.update(person("d")),
    ]);
    const shown = sent.map((each) => {
      const isList = each.body.startsWith("[");
      return `${each.method} ${isList ? "list" : "record"} ${idsIn(each).join()}`;
    });
    const wanted = ["POST list c", "POST record a", "POST record b", "PUT record d"];
    assert.deepEqual(shown.toSorted(), wanted);
    assert.ok(sent.some(({ headers }) => headers["idempotency-key"] === "mine"));
  });

  it("wait for nothing if there is only one, at once and again", async (test) => {
    const { client, sent } = follow([accept]);
    await client.persons.exists("the token");
    const timers = timersOf(test);
    for (const id of ["a", "b"]) await client.persons.add(person(id));
    assert.deepEqual(sent.slice(1).map(idsIn), [["a"], ["b"]]);
    assert.ok(sent.every(({ headers }) => headers["prefer"] === undefined));
    // The time limits of the attempts.
    assert.deepEqual(timers(), [30_000, 30_000]);
  });

  it("do not wait for a request in flight, except for one that has their record", async () => {
    const held = heldUp();
    const { client, sent } = follow([held.answer, accept]);
    const first = client.persons.add(person("a"));
    await waitFor("the first request", async () => sent.length === 1 || undefined);
    const others = [
      client.persons.update(person("a")),
      client.persons.add(person("b")),
      client.persons.update(person("a")),
    ];
    await others[1];
    assert.deepEqual(sent.map(idsIn), [["a"], ["b"]]);
    held.open();
    await Promise.all([first, ...others]);
    const [, , last] = sent;
    assert.deepEqual([last?.method, last && idsIn(last)], ["PUT", ["a", "a"]]);
  });

  it("are lists of up to a thousand, of which two are in flight", async () => {
    const held = heldUp();
    const { client, sent } = follow([held.answer]);
    const ids = Array.from({ length: 4_500 }, (_, index) => `p-${index}`);
    const all = ids.map((id) => client.persons.add(person(id)));
    await waitFor("two requests", async () => sent.length === 2 || undefined);
    held.open();
    await Promise.all(all);
    assert.deepEqual(
      sent.map((each) => idsIn(each).length),
      [1_000, 1_000, 1_000, 1_000, 500],
    );
    assert.deepEqual(sent.flatMap(idsIn), ids);
  });

  it("are lists of up to a million characters", async () => {
    const { client, sent } = follow([accept]);
    const name = "n".repeat(300_000);
    await Promise.all(
      ["a", "b", "c", "d"].map((id) => client.persons.add({ ...person(id), name })),
    );
    assert.deepEqual(sent.map((each) => idsIn(each).join()).toSorted(), ["a,b,c", "d"]);
  });

  it("are not sent if they are cancelled before", async () => {
    const { client, sent } = follow([accept]);
    const cancelled = new AbortController();
    const { signal } = cancelled;
    const all = ["a", "b", "c"].map((id) =>
      client.persons.add(person(id), id === "b" ? { signal } : {}),
    );
    cancelled.abort(new Error("enough"));
    const settled = await Promise.allSettled(all);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    await assert.rejects(all[1] ?? Promise.resolve(), /^Error: enough$/);
    await assert.rejects(client.persons.add(person("d"), { signal }), /^Error: enough$/);
    assert.deepEqual(sent.map(idsIn), [["a", "c"]]);
  });

  it("end at once if they are cancelled, and their list if all are", async () => {
    const { client, sent } = follow([hang]);
    const signals = [new AbortController(), new AbortController()];
    const all = signals.map(({ signal }, at) => client.persons.add(person(`p-${at}`), { signal }));
    await waitFor("the request", async () => sent.length === 1 || undefined);
    for (const [at, cancelled] of signals.entries()) {
      assert.equal(sent[0]?.signal.aborted, false);
      cancelled.abort(new Error("enough"));
      await assert.rejects(all[at] ?? Promise.resolve(), /^Error: enough$/);
    }
    assert.equal(sent[0]?.signal.aborted, true);
  });

  it("end their list if a signal of all of them aborts", async () => {
    const { client, sent } = follow([hang]);
    const cancelled = new AbortController();
    const { signal } = cancelled;
    const all = ["a", "b"].map((id) => client.persons.add(person(id), { signal }));
    await waitFor("the request", async () => sent.length === 1 || undefined);
    cancelled.abort(new Error("enough"));
    for (const call of all) await assert.rejects(call, /^Error: enough$/);
    assert.equal(sent[0]?.signal.aborted, true);
  });

  it("fail as single requests do, with the invalid fields in the message", async () => {
    const refusal = {
      code: 40000,
      message: "No.",
      errors: [{ field: "name", message: "is long" }],
    };
    const results = [0, 1].map((index) => ({ index, status: "refused", ...refusal }));
    const together = follow([reply(200, { ...written, results })]);
    const alone = follow([reply(400, refusal)], { batching: false });
    for (const { client } of [together, alone]) {
      for (const call of both(client)) await assert.rejects(call, { message: "No. name is long" });
    }
  });
});

/** As a service that knows no preferences, of which a record is refused. */
const strict: Answer = ({ body }) =>
  body.startsWith("[") ? json(409, { code: 40901, message: "1 of 2." }) : json(201, written);

function both(client: Sluice) {
  return ["a", "b"].map((id) => client.persons.add(person(id)));
}

describe("a list of concurrent calls", () => {
  it("that fails gives each call the error, with the key of its item", async () => {
    for (const [answer, error] of [
      [failConnection, { name: "SluiceNetworkError", attempts: 1 }],
      [refuse(42901, { "retry-after": "7" }), { code: 42901, retryAfterMs: 7_000 }],
      [refuse(40104), { code: 40104, status: 401 }],
    ] as const) {
      const { client, sent } = follow([answer], { retryForMs: 0 });
      const calls = both(client);
      for (const call of calls) await assert.rejects(call, error);
      const key = sent[0]?.headers["idempotency-key"];
      assert.deepEqual(await keysOf(calls), [`${key}.0`, `${key}.1`]);
    }
  });

  it("that is refused for its size or form is sent one by one, under the keys of its items", async () => {
    for (const answer of [page(413), refuse(41301), refuse(40001)]) {
      const { client, sent } = follow([answer, accept]);
      assert.deepEqual(await Promise.all(both(client)), [written, written]);
      const key = sent[0]?.headers["idempotency-key"];
      assert.deepEqual(
        sent.slice(1).map((each) => [each.headers["idempotency-key"], ...idsIn(each)]),
        [
          [`${key}.0`, "a"],
          [`${key}.1`, "b"],
        ],
      );
    }
  });

  it("without verdicts fails its calls, and is the last one", async () => {
    const { client, sent } = follow([reply(201, { ...written, write_count: 2 }), accept]);
    for (const call of both(client)) await assert.rejects(call, SluiceNetworkError);
    await Promise.all(both(client));
    assert.deepEqual(sent.slice(1).map(idsIn), [["a"], ["b"]]);
  });

  it("that was refused as a strict list is sent one by one, and is the last one", async () => {
    const { client, sent } = follow([strict]);
    assert.deepEqual(await Promise.all(both(client)), [written, written]);
    assert.deepEqual(await Promise.all(both(client)), [written, written]);
    assert.deepEqual(sent.map(idsIn), [["a", "b"], ["a"], ["b"], ["a"], ["b"]]);
  });

  it("without verdicts is the last one, also of the calls that waited for it", async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const { client, sent } = follow([() => opened.then(() => json(201, written))]);
    const first = both(client);
    await waitFor("the list", async () => sent.length === 1 || undefined);
    const others = both(client);
    open();
    for (const call of first) await assert.rejects(call, SluiceNetworkError);
    assert.deepEqual(await Promise.all(others), [written, written]);
    assert.deepEqual(sent.map(idsIn), [["a", "b"], ["a"], ["b"]]);
  });

  it("whose reply was lost has effect once if its calls are made again with their keys", async () => {
    const service = await startService();
    try {
      const customer = await makeCustomer(service.app, service.client);
      let isLost = false;
      const lossy: typeof fetch = async (...sent) => {
        const response = await fetch(...sent);
        if (isLost) throw new TypeError("lost");
        return response;
      };
      const client = clientOf(customer, service.address, { retryForMs: 0, fetch: lossy });
      await Promise.all(both(client));
      isLost = true;
      const keys = await keysOf(["a", "b"].map((id) => client.persons.update(person(id))));
      isLost = false;
      for (const [at, id] of ["a", "b"].entries()) {
        const idempotencyKey = String(keys[at]);
        const again = await client.persons.update(person(id), { idempotencyKey });
        assert.equal(again.write_count, 1);
        const key = { organizationId: customer.organizationId, resourceType: "person" } as const;
        const history = await service.app.store.readHistory({ ...key, resourceId: id });
        assert.equal(history?.changes.length, 2);
      }
    } finally {
      await service.stop();
    }
  });
});
