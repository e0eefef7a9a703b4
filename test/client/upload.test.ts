// How an upload reads its source and sends its records: bounds, order, failures on either side,
// signals.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SluiceNetworkError } from "../../client/src/sluice.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Answer, failConnection, follow, json, page, refuse } from "./scripted-fetch.ts";

interface Numbered {
  readonly sar_id: string;
  readonly status: "FILED";
  readonly timestamp: string;
}

function numbered(nth: number): Numbered {
  return { sar_id: `sar-${nth}`, status: "FILED", timestamp: "2026-07-01T00:00:00Z" };
}

function* count(to: number): Generator<Numbered> {
  for (let nth = 0; nth < to; nth += 1) yield numbered(nth);
}

function readList(body: string): readonly Partial<Numbered>[] {
  return JSON.parse(body) as readonly Partial<Numbered>[];
}

/** Writes every record of a list. */
const accept: Answer = ({ body }) => {
  const results = readList(body).map((_, index) => ({ index, status: "created" }));
  return json(201, { success: true, write_count: results.length, results });
};

/** Rejects the first of a list and writes the others. */
const refuseFirst: Answer = ({ body }) => {
  const [, ...others] = readList(body);
  const results = [{ index: 0, status: "refused", code: 40000, message: "No." }];
  return json(201, { success: true, write_count: others.length, results });
};

function isBad({ sar_id: id }: Partial<Numbered>): boolean {
  return id === "sar-3" || id === "sar-6";
}

const sizeOf = ({ body }: { body: string }): number => readList(body).length;

describe("an upload", () => {
  it("does nothing until it is iterated", async () => {
    let asked = 0;
    const source = { [Symbol.iterator]: () => ((asked += 1), count(1)) };
    const { client, sent } = follow([accept]);
    const upload = client.customerSars.addAll(source);
    assert.deepEqual([asked, sent.length], [0, 0]);
    assert.deepEqual(await Array.fromAsync(upload), []);
    assert.deepEqual([asked, sent.length], [1, 1]);
    assert.deepEqual(await Array.fromAsync(upload), []);
    assert.deepEqual([asked, sent.length], [1, 1]);
  });

  it("sends full batches in order, each under its own key, with lenient handling", async () => {
    const { client, sent } = follow([accept]);
    const upload = client.customerSars.addAll(count(25), { batchSize: 10 });
    assert.deepEqual(await Array.fromAsync(upload), []);
    assert.deepEqual(sent.map(sizeOf), [10, 10, 5]);
    const ids = sent.flatMap(({ body }) => readList(body).map(({ sar_id: id }) => id));
    assert.deepEqual(
      ids,
      [...count(25)].map(({ sar_id: id }) => id),
    );
    assert.equal(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size, 3);
    assert.ok(sent.every(({ headers }) => headers["prefer"] === "handling=lenient"));
    assert.deepEqual(upload.tally, { received: 25, written: 25, unchanged: 0, refused: 0 });
  });

  it("reads no more from its source than one batch ahead", async () => {
    let given = 0;
    let aheadMax = 0;
    async function* source(): AsyncGenerator<Numbered> {
      for (const record of count(1_000)) {
        given += 1;
        yield record;
      }
    }
    const { client } = follow([
      (asked) => {
        const before = upload.tally.received + sizeOf(asked);
        aheadMax = Math.max(aheadMax, given - before);
        return accept(asked);
      },
    ]);
    const upload = client.customerSars.addAll(source(), { batchSize: 20 });
    assert.deepEqual(await Array.fromAsync(upload), []);
    assert.equal(given, 1_000);
    // A waiting batch, and the record that did not fit any more.
    assert.ok(aheadMax <= 21, `${aheadMax} ahead`);
  });

  for (const [batchSize, charactersMax, itemsMax] of [
    [10, 1_000_000, 10],
    [1_000, 1_000_000, 16],
    [3_000, 3_000_000, 49],
    [10_000, 5_000_000, 83],
  ] as const) {
    it(`limits a batch of large records to ${charactersMax} characters: up to ${batchSize} records`, async () => {
      const { client, sent } = follow([accept]);
      const large = [...count(100)].map((record) => ({
        ...record,
        sar_reason: "x".repeat(60_000),
      }));
      const upload = client.customerSars.addAll(large, { batchSize });
      assert.deepEqual(await Array.fromAsync(upload), []);
      assert.equal(upload.tally.received, 100);
      assert.equal(Math.max(...sent.map(sizeOf)), itemsMax);
      assert.ok(sent.every(({ body }) => body.length < charactersMax * 1.001));
    });
  }

  it("sends the available records when the source is slow", async () => {
    const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
    async function* source(): AsyncGenerator<Numbered> {
      for (const [nth, gate] of gates.entries()) {
        yield numbered(nth);
        await gate.promise;
      }
    }
    const { client, sent } = follow([accept]);
    const ended = Array.fromAsync(client.customerSars.addAll(source()));
    for (const [nth, gate] of gates.entries()) {
      await waitFor("the record to be sent", () => sent[nth]);
      gate.resolve();
    }
    assert.deepEqual(await ended, []);
    assert.deepEqual(sent.map(sizeOf), [1, 1, 1]);
  });

  it("sends what came before its source failed, then fails as the source did", async () => {
    const failure = new Error("the file ends in the middle");
    async function* source(): AsyncGenerator<Numbered> {
      yield* count(15);
      throw failure;
    }
    const { client } = follow([accept]);
    const upload = client.customerSars.addAll(source(), { batchSize: 10 });
    await assert.rejects(Array.fromAsync(upload), (error) => error === failure);
    assert.equal(upload.tally.received, 15);
  });

  it("refuses by itself what can't be JSON, in its position, and sends the others", async () => {
    const cyclic: Record<string, unknown> = { ...numbered(1) };
    cyclic["sar_reason"] = cyclic;
    const invalid = [cyclic, undefined, { ...numbered(2), amount: Number.NaN }, { large: 1n }];
    const { client, sent } = follow([refuseFirst]);
    const source = [numbered(3), ...invalid, numbered(4)] as readonly Numbered[];
    const upload = client.customerSars.addAll(source);
    const refusals = await Array.fromAsync(upload);
    assert.deepEqual(
      refusals.map(({ index, code }) => [index, code]),
      [0, 1, 2, 3, 4].map((index) => [index, 40000]),
    );
    assert.match(refusals[3]?.message ?? "", /^amount must be a finite number, but is NaN\.$/);
    assert.deepEqual(sent.map(sizeOf), [2]);
    assert.deepEqual(upload.tally, { received: 6, written: 1, unchanged: 0, refused: 5 });
  });

  it("without anything that can be JSON sends nothing", async () => {
    const { client, sent } = follow([accept]);
    const upload = client.customerSars.addAll([undefined] as unknown as readonly Numbered[]);
    assert.equal((await Array.fromAsync(upload)).length, 1);
    assert.equal(sent.length, 0);
  });

  it("that fails reports its position and the key of the batch, and closes its source", async () => {
    let released = false;
    function* source(): Generator<Numbered> {
      try {
        yield* count(100);
      } finally {
        released = true;
      }
    }
    const { client, sent } = follow([accept, accept, failConnection], { retryForMs: 0 });
    const upload = client.customerSars.addAll(source(), { batchSize: 10 });
    await assert.rejects(Array.fromAsync(upload), (error) => {
      assert.ok(error instanceof SluiceNetworkError);
      assert.equal(error.idempotencyKey, sent[2]?.headers["idempotency-key"]);
      return true;
    });
    assert.equal(upload.tally.received, 20);
    await waitFor("the source to be closed", () => released || undefined);
  });

  it("that is left early sends no more, and closes its source", async () => {
    let released = false;
    async function* source(): AsyncGenerator<Numbered> {
      try {
        yield* count(100);
      } finally {
        released = true;
      }
    }
    const { client, sent } = follow([refuseFirst]);
    const upload = client.customerSars.addAll(source(), { batchSize: 10 });
    for await (const refusal of upload) {
      assert.deepEqual(
        [refusal.index, refusal.code, refusal.message, refusal.errors],
        [0, 40000, "No.", []],
      );
      break;
    }
    await waitFor("the source to be closed", () => released || undefined);
    assert.equal(sent.length, 1);
    assert.deepEqual(upload.tally, { received: 10, written: 9, unchanged: 0, refused: 1 });
  });

  it("ends with its signal, even while the source is waiting", async () => {
    const reason = new Error("enough");
    const stop = new AbortController();
    const silent = Promise.withResolvers<void>();
    async function* source(): AsyncGenerator<Numbered> {
      yield numbered(0);
      await silent.promise;
    }
    const { client } = follow([accept]);
    const upload = client.customerSars.addAll(source(), { signal: stop.signal });
    const ended = Array.fromAsync(upload);
    await waitFor("the first record", () => upload.tally.received || undefined);
    stop.abort(reason);
    await assert.rejects(ended, (error) => error === reason);
    silent.resolve();
  });

  it("halves a batch that is refused as a whole, until the invalid record is found", async () => {
    const { client, sent } = follow([
      (asked) => (readList(asked.body).some(isBad) ? refuse(41301)(asked) : accept(asked)),
    ]);
    const upload = client.customerSars.addAll(count(8));
    const refusals = await Array.fromAsync(upload);
    assert.deepEqual(
      refusals.map(({ index, code, record }) => [index, code, record.sar_id]),
      [
        [3, 41301, "sar-3"],
        [6, 41301, "sar-6"],
      ],
    );
    assert.deepEqual(upload.tally, { received: 8, written: 6, unchanged: 0, refused: 2 });
    assert.equal(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size, sent.length);
  });

  it("halves a batch that a proxy finds too large", async () => {
    const { client } = follow([(asked) => (sizeOf(asked) > 3 ? page(413)(asked) : accept(asked))]);
    const upload = client.customerSars.addAll(count(10));
    assert.deepEqual(await Array.fromAsync(upload), []);
    assert.equal(upload.tally.written, 10);
  });

  it("does not halve a batch that is refused for another reason", async () => {
    for (const [answer, code] of [
      [page(400), 400],
      [refuse(40301), 40301],
    ] as const) {
      const { client, sent } = follow([answer]);
      await assert.rejects(Array.fromAsync(client.customerSars.addAll(count(8))), { code });
      assert.equal(sent.length, 1);
    }
  });

  it("names the fields of a record that was refused in a list of one as those of the record", async () => {
    const errors = [{ field: "[0].sar_reason", message: "is bad" }, { message: "as a whole" }];
    const { client } = follow([() => json(400, { code: 40000, message: "No.", errors })]);
    const [refusal] = await Array.fromAsync(client.customerSars.addAll(count(1)));
    assert.deepEqual(refusal?.errors, [
      { field: "sar_reason", message: "is bad" },
      { message: "as a whole" },
    ]);
  });

  it("accepts a batch size of 1 to 10,000", () => {
    const { client } = follow([accept]);
    for (const batchSize of [0, 10_001, 1.5, Number.NaN]) {
      assert.throws(
        () => client.customerSars.addAll([], { batchSize }),
        /^TypeError: batchSize must/,
      );
    }
  });
});
