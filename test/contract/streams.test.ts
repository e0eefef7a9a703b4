// Streams of records (application/x-ndjson) at every operation that accepts a list: one record a
// line, each on its own, durable continuously.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { createKey, revokeKey } from "../../src/actions/access/keys.ts";
import { limits } from "../../src/domain/limits.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import type { Store } from "../../src/store/interface/store.ts";
import { fetchToken } from "../support/customer.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import type { Fields } from "../support/record-generator.ts";
import { linesOf, type OpenStream, openStream } from "../support/stream-client.ts";
import { waitFor } from "../support/wait-for.ts";
import { assertCode, idOf, listPathOf, startScene, typeNamed } from "./scene.ts";

let store: Store | undefined;
const scene = await startScene({ wrapStore: (real) => (store = real) });
const { client, records } = scene;
const customer = await scene.makeCustomer();
const { organizationId, token } = customer;
after(() => scene.stop());

const ndjson = { "content-type": "application/x-ndjson" };

interface Sent {
  readonly method?: "POST" | "PUT";
  readonly body: string | Uint8Array;
  readonly headers?: Ask["headers"];
}

function send(type: RecordType, { method = "POST", body, headers }: Sent): Promise<Reply> {
  const path = listPathOf(type);
  return client.send({ method, path, token, body, headers: { ...ndjson, ...headers } });
}

function make(type: RecordType, count: number): Fields[] {
  return Array.from({ length: count }, () => records.record(type));
}

function toLines(items: readonly unknown[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join("");
}

function toLine(text: string): Buffer {
  return Buffer.from(`${text}\n`);
}

/** The last line of a reply, with its counts besides successes. */
function summaryOf(reply: Reply): Record<string, unknown> {
  const { message, organization_id, ...counts } = linesOf(reply).at(-1) ?? {};
  assert.equal(typeof message, "string");
  assert.equal(organization_id, organizationId);
  return counts;
}

function refusalsOf(reply: Reply): unknown[] {
  return linesOf(reply)
    .slice(0, -1)
    .map(({ line, code }) => [line, code]);
}

for (const type of recordTypes) {
  const isBatch = type.batchPath !== undefined;

  describe(`a stream of ${type.resourceType}`, () => {
    it("is added line by line and ends with a summary", async () => {
      const list = make(type, 12);
      const reply = await send(type, { body: toLines(list) });
      assert.equal(reply.status, isBatch ? 200 : 201, reply.text);
      assert.equal(reply.headers["content-type"], "application/x-ndjson");
      assert.ok(reply.headers["x-request-id"] !== undefined);
      assert.ok(reply.headers["ratelimit"] !== undefined);
      assert.equal(linesOf(reply).length, 1);
      const expected = { success: true, write_count: 12, received: 12, unchanged: 0, refused: 0 };
      assert.deepEqual(summaryOf(reply), expected);
      for (const record of list) assert.ok(await scene.exists(customer, type, record));
    });

    it("is updated line by line", async () => {
      const list = make(type, 3);
      await send(type, { body: toLines(list) });
      const updates = list.map((record) => records.update(type, idOf(type, record)));
      const strange = records.update(type, records.id(type));
      const reply = await send(type, { method: "PUT", body: toLines([...updates, strange]) });
      assert.equal(reply.status, 200);
      assert.deepEqual(refusalsOf(reply), [[4, 40401]]);
      const expected = { success: true, write_count: 3, received: 4, unchanged: 0, refused: 1 };
      assert.deepEqual(summaryOf(reply), expected);
    });

    it("has a line for each refused one, with its number, the reason and what to do", async () => {
      const [first = {}, second = {}] = make(type, 2);
      const broken = { ...second, timestamp: "never" };
      const reply = await send(type, { body: toLines([first, broken, first, second]) });
      const [refused, again] = linesOf(reply);
      assert.deepEqual([refused?.["line"], refused?.["code"]], [2, 40000]);
      assert.equal(refused?.["id"], idOf(type, second));
      assert.match(JSON.stringify(refused?.["errors"]), /"field":"timestamp"/);
      if (!isBatch) assert.deepEqual([again?.["line"], again?.["code"]], [3, 40901]);
      const [unchanged, refusedCount] = isBatch ? [1, 1] : [0, 2];
      const counts = { received: 4, unchanged, refused: refusedCount };
      assert.deepEqual(summaryOf(reply), { success: true, write_count: 2, ...counts });
    });
  });
}

const type = typeNamed("risk_assessment");

describe("the lines of a stream", () => {
  it("are independent when one can't be read", async () => {
    const [good] = make(type, 1);
    const body = Buffer.concat([
      toLine('{"a":'),
      toLine("[]"),
      toLine("null"),
      toLine('{"amount":12345678901234567}'),
      toLine("NaN"),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      toLine("\ufeff{}"),
      toLine("[".repeat(30_000)),
      toLine(JSON.stringify(good)),
      toLine("{} {}"),
    ]);
    const reply = await send(type, { body });
    assert.deepEqual(refusalsOf(reply), [
      [1, 40001],
      [2, 40000],
      [3, 40000],
      [4, 40000],
      [5, 40001],
      [6, 40001],
      [7, 40001],
      [8, 40001],
      [10, 40001],
    ]);
    assert.equal(summaryOf(reply)["write_count"], 1);
  });

  it("are bounded in length, and a longer one does not affect others", async () => {
    const [one, two] = ["1", "2"].map((id) =>
      JSON.stringify({ ...type.example, assessment_id: `bounded ${id}` }),
    );
    const most = (one ?? "").padEnd(limits.streamLineBytesMax, " ");
    const longer = " ".repeat(limits.streamLineBytesMax + 1);
    const reply = await send(type, { body: `${most}\n${longer}\n${two}\n${longer}` });
    assert.deepEqual(refusalsOf(reply), [
      [2, 41301],
      [4, 41301],
    ]);
    assert.equal(summaryOf(reply)["write_count"], 2);
  });

  it("can be missing altogether", async () => {
    for (const body of ["", "\n\n"]) {
      const reply = await send(type, { body });
      const expected = { success: true, write_count: 0, received: 0, unchanged: 0, refused: 0 };
      assert.deepEqual(summaryOf(reply), expected);
    }
  });
});

describe("a long stream", () => {
  it("of thousands of lines is added completely, with every refused line in order", async () => {
    const list = make(type, 6_000).map((record, index) =>
      index % 100 === 7 ? { ...record, outcome: 1 } : record,
    );
    const reply = await send(type, { body: toLines(list) });
    const refused = Array.from({ length: 60 }, (_, index) => [index * 100 + 8, 40000]);
    assert.deepEqual(refusalsOf(reply), refused);
    const counts = { received: 6_000, unchanged: 0, refused: 60 };
    assert.deepEqual(summaryOf(reply), { success: true, write_count: 5_940, ...counts });
  });

  it("can be larger than any JSON list", async () => {
    const lines = make(type, 300).map((record) => JSON.stringify(record).padEnd(60_000, " "));
    const body = Buffer.from(lines.join("\n"));
    assert.ok(body.length > limits.bodyBytesMax);
    const reply = await send(type, { body });
    assert.equal(summaryOf(reply)["write_count"], 300);
  });

  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };
  for (const [encoding, encode] of [
    ["gzip", gzipSync],
    ["br", (text: string) => brotliCompressSync(text, quick)],
    ["zstd", zstdCompressSync],
  ] as const) {
    it(`in the content encoding ${encoding} reports where it broke off, and keeps what came before`, async () => {
      const list = make(type, 2_000);
      const whole = encode(toLines(list));
      const body = whole.subarray(0, Math.floor(whole.length * 0.7));
      const reply = await send(type, { body, headers: { "content-encoding": encoding } });
      const { success, code, received, write_count } = summaryOf(reply);
      assert.deepEqual([success, code], [false, 40001]);
      assert.ok(Number(received) < 2_000);
      assert.equal(write_count, received);
      const known = await Promise.all(
        list.slice(0, 20).map((record) => scene.exists(customer, type, record)),
      );
      assert.equal(known.filter(Boolean).length, Math.min(20, Number(write_count)));
    });
  }
});

function open(bearer = token): OpenStream {
  return openStream(client.address, { method: "POST", path: listPathOf(type), token: bearer });
}

describe("a stream in progress", () => {
  it("has made earlier lines durable before it ends", async () => {
    const stream = open();
    for (const record of make(type, 3)) {
      await stream.write(`${JSON.stringify(record)}\n{"half":`);
      await waitFor(
        "the record to be there",
        async () => await scene.exists(customer, type, record),
      );
      await stream.write("1}\n");
    }
    const reply = await stream.end();
    const expected = { success: true, write_count: 3, received: 6, unchanged: 0, refused: 3 };
    assert.deepEqual(summaryOf(reply), expected);
  });

  it("keeps what came before it broke off, and nothing of the line in which it did", async () => {
    const [one = {}, two = {}, three = {}] = make(type, 3);
    const stream = open();
    await stream.write(toLines([one, two]) + JSON.stringify(three));
    await waitFor("the records to be there", async () => await scene.exists(customer, type, two));
    stream.destroy();
    const reply = await send(type, { body: toLines([one, two, three]) });
    assert.deepEqual(refusalsOf(reply), [
      [1, 40901],
      [2, 40901],
    ]);
    assert.equal(summaryOf(reply)["write_count"], 1);
  });

  it("ends with a summary that says so when the store fails, and does not reveal why", async () => {
    const [one = {}, two = {}] = make(type, 2);
    const stream = open();
    await stream.write(toLines([one]));
    await waitFor("the record to be there", async () => await scene.exists(customer, type, one));
    const error = Object.assign(new Error("disk on fire"), { code: "ERR_SQLITE_ERROR" });
    const restore = scene.service.breakStore("writeRecords", error);
    await stream.write(toLines([two]));
    const reply = await stream.end();
    restore();
    const { success, code, write_count } = summaryOf(reply);
    assert.deepEqual([success, code, write_count], [false, 50001, 1]);
    assert.doesNotMatch(reply.text, /fire/);
    const id = String(reply.headers["x-request-id"]);
    assert.ok(scene.service.log.some((line) => line.includes(id) && line.includes("disk on fire")));
    assert.equal(await scene.exists(customer, type, two), false);
  });
});

/**
 * Sends at least two groups, of which the first ends as `first` does, after the second was stored. Returns how many
 * records each had.
 */
async function sendGroups(list: readonly Fields[], first: () => void) {
  const second = Promise.withResolvers<void>();
  const groups: number[] = [];
  const restore = scene.service.replaceStore("writeRecords", async (write) => {
    groups.push(write.drafts.length);
    if (groups.length === 1) {
      await second.promise;
      first();
    }
    const outcome = await store?.writeRecords(write);
    second.resolve();
    assert.ok(outcome);
    return outcome;
  });
  return { reply: await send(type, { body: toLines(list) }).finally(restore), groups };
}

describe("the groups of a stream, two of which are stored at once", () => {
  it("are reported in their order, even if the second is stored before the first", async () => {
    const list = make(type, 1_000);
    for (const at of [7, 700, 950]) list[at] = { ...list[at], amount: {} };
    const { reply } = await sendGroups(list, () => undefined);
    const lines = refusalsOf(reply).map((one) => (one as number[])[0]);
    assert.deepEqual(lines, [8, 701, 951]);
    const expected = { success: true, write_count: 997, received: 1_000, unchanged: 0, refused: 3 };
    assert.deepEqual(summaryOf(reply), expected);
  });

  it("are reported up to the first that was not stored", async () => {
    const list = make(type, 1_000);
    const { reply, groups } = await sendGroups(list, () => {
      throw Object.assign(new Error("no more room"), { code: "ERR_SQLITE_ERROR" });
    });
    const { success, code, write_count, received } = summaryOf(reply);
    assert.deepEqual([success, code, write_count, received], [false, 50001, 0, 0]);
    const again = summaryOf(await send(type, { body: toLines(list) }));
    assert.deepEqual([groups.length, again["refused"]], [2, groups[1]]);
  });
});

/** Reports when a group begins and ends; time enough passes in each for another to begin. */
async function sendWatched(method: "POST" | "PUT", body: string) {
  const events: string[] = [];
  let groups = 0;
  const restore = scene.service.replaceStore("writeRecords", async (write) => {
    const group = (groups += 1);
    events.push(`begin ${group}`);
    for (let waits = 0; waits < 10; waits += 1) {
      await client.send({ method: "GET", path: "/health/live" });
    }
    const outcome = await store?.writeRecords(write);
    events.push(`end ${group}`);
    assert.ok(outcome);
    return outcome;
  });
  return { reply: await send(type, { method, body }).finally(restore), events };
}

describe("the groups of a stream that contain the same record", () => {
  it("are stored one after the other, so that of two lines the first one adds it", async () => {
    const list = make(type, 1_000);
    list[520] = { ...list[3], outcome: "second" };
    const { reply, events } = await sendWatched("POST", toLines(list));
    assert.deepEqual(events.slice(0, 3), ["begin 1", "end 1", "begin 2"]);
    assert.deepEqual(refusalsOf(reply), [[521, 40902]]);
  });

  it("are stored in order even if the second one has few large lines", async () => {
    const ids = Array.from({ length: 515 }, (_, at) => `few large ${at}`);
    await send(type, { body: toLines(ids.map((id) => ({ ...type.example, assessment_id: id }))) });
    const { timestamp } = type.example;
    const update = (id = "", outcome = "first", length = limits.streamLineBytesMax) =>
      JSON.stringify({ assessment_id: id, timestamp, outcome }).padEnd(length, " ");
    const lines = ids.map((id, at) => update(id, "first", at < 500 ? 0 : undefined));
    const body = [...lines, update(ids[0], "last")].join("\n");
    const { reply, events } = await sendWatched("PUT", body);
    assert.equal(summaryOf(reply)["write_count"], 516);
    const last = events.filter((event) => event.startsWith("begin")).length;
    assert.ok(last > 1 && events.indexOf(`begin ${last}`) > events.indexOf("end 1"), events.join());
    const key = { organizationId, resourceType: type.resourceType, resourceId: ids[0] ?? "" };
    const history = await store?.readHistory(key);
    assert.match(history?.changes.at(-1)?.payload ?? "", /"last"/);
  });
});

describe("a stream that outlives its credential", () => {
  it("ends when the token expires, and writes nothing more", async () => {
    const [one = {}, two = {}] = make(type, 2);
    const stream = open(await fetchToken(client, customer, { expirySeconds: 300 }));
    await stream.write(toLines([one]));
    await waitFor("the record to be there", async () => await scene.exists(customer, type, one));
    scene.service.clock.advanceMs(300_000);
    await stream.write(toLines([two]));
    const { success, code, write_count } = summaryOf(await stream.end());
    assert.deepEqual([success, code, write_count], [false, 40103, 1]);
    assert.equal(await scene.exists(customer, type, two), false);
  });

  it("ends when the key of its token is revoked", async () => {
    const { organizationId: organization } = customer;
    const made = await createKey(scene.service.app, { organizationId: organization });
    const holder = { organizationId: organization, apiKey: made.secret };
    const bearer = await fetchToken(client, holder);
    const stream = open(bearer);
    const [one = {}, two = {}] = make(type, 2);
    await stream.write(toLines([one]));
    await waitFor("the record to be there", async () => await scene.exists(customer, type, one));
    await revokeKey(scene.service.app, made.key.keyId);
    await waitFor("the revocation to arrive", async () => {
      const reply = await client.send({ method: "GET", path: "/v2/person", token: bearer });
      return reply.status === 401;
    });
    await stream.write(toLines([two]));
    const { success, code, write_count } = summaryOf(await stream.end());
    assert.deepEqual([success, code, write_count], [false, 40104, 1]);
  });
});

describe("a stream is refused at once", () => {
  it("with an Idempotency-Key", async () => {
    const headers = { "idempotency-key": "stream" };
    const reply = await send(type, { body: toLines(make(type, 1)), headers });
    assertCode(reply, 40000);
    assert.match(String(reply.body.message), /: its outcome is not stored\.$/);
    assert.equal(reply.body.errors?.[0]?.field, "Idempotency-Key");
  });

  it("in an unknown content encoding", async () => {
    const reply = await send(type, { body: "", headers: { "content-encoding": "deflate" } });
    assertCode(reply, 41501);
    assert.match(reply.headers["content-type"] ?? "", /^application\/json/);
  });
});
