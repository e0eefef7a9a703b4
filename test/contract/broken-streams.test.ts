// Streams that their clients abort: committed records stay, and the whole stream can be sent again
// with the same effect. And streams of any length: the memory held meanwhile does not grow with
// them.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { RecordType } from "../../src/domain/record-type.ts";
import type { Customer } from "../support/customer.ts";
import type { Reply } from "../support/http-client.ts";
import { makeRandom } from "../support/random.ts";
import { linesOf, type OpenStream, openStream } from "../support/stream-client.ts";
import { waitFor } from "../support/wait-for.ts";
import { idOf, listPathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { client, records } = scene;
after(() => scene.stop());

function open({ token }: Customer, type: RecordType): OpenStream {
  return openStream(client.address, { method: "POST", path: listPathOf(type), token });
}

/** The counts in the last line of a reply. */
function countsOf(reply: Reply): Record<string, unknown> {
  const { success, received, write_count } = linesOf(reply).at(-1) ?? {};
  return { success, received, write_count };
}

/** The id of every change in the store, in order; a record with two changes appears twice. */
async function storedIds({ organizationId }: Customer, type: RecordType): Promise<string[]> {
  const { store } = scene.service.app;
  const asked = { organizationId, resourceType: type.resourceType, limit: 1_000 };
  const upTo = await store.latestArrival();
  const found: Awaited<ReturnType<typeof store.listChanges>>[number][] = [];
  for (;;) {
    const page = await store.listChanges({ ...asked, upTo, after: found.at(-1) });
    found.push(...page);
    if (page.length < asked.limit) return found.map(({ resourceId }) => resourceId);
  }
}

describe("a stream that its client aborts", () => {
  for (const name of ["risk_assessment", "transaction"]) {
    it(`of ${name} keeps what was committed, and the whole can be sent again`, async () => {
      const type = typeNamed(name);
      const customer = await scene.makeCustomer();
      const random = makeRandom(11);
      const list = Array.from({ length: 1_500 }, () => records.record(type));
      const ids = list.map((record) => idOf(type, record));
      const bytes = Buffer.from(list.map((record) => `${JSON.stringify(record)}\n`).join(""));
      let kept: readonly string[] = [];
      for (const share of [0.1, 0.5, 0.9]) {
        const stream = open(customer, type);
        await stream.write(bytes.subarray(0, random.integer(1, Math.floor(bytes.length * share))));
        const before = kept.length;
        if (random.chance(0.7)) {
          await waitFor("something to be committed", async () => {
            const { length } = await storedIds(customer, type);
            return length > 0 && length >= before ? length : undefined;
          });
        }
        stream.destroy();
        const stored = await storedIds(customer, type);
        for (const id of kept) assert.ok(stored.includes(id));
        // Up to some point, without a gap or a duplicate.
        assert.deepEqual(stored.toSorted(), ids.slice(0, stored.length).toSorted());
        kept = stored;
      }
      const whole = open(customer, type);
      await whole.write(bytes);
      const reply = await whole.end();
      assert.equal(countsOf(reply)["success"], true);
      assert.deepEqual((await storedIds(customer, type)).toSorted(), ids.toSorted());

      const again = open(customer, type);
      await again.write(bytes);
      const nothing = { success: true, received: 1_500, write_count: 0 };
      assert.deepEqual(countsOf(await again.end()), nothing);
      assert.equal((await storedIds(customer, type)).length, 1_500);
    });
  }
});

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Memory in use in this process, which is also the server's. */
async function bytesInUse(): Promise<number> {
  // An object that holds memory outside the heap releases it only once it was collected itself.
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await endOfTurn();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe("a long stream", () => {
  const type = typeNamed("risk_assessment");

  function makeLines(count: number, length = 0): string {
    const lines = Array.from({ length: count }, () => JSON.stringify(records.record(type)));
    return lines.map((line) => `${line.padEnd(length, " ")}\n`).join("");
  }

  /**
   * Resolves when this many lines are stored: with a slow store, waiting data would outweigh
   * retained memory.
   */
  async function stored({ organizationId }: Customer, lines: number): Promise<void> {
    const look = async (): Promise<boolean> => {
      const counts = await scene.service.app.store.countRecords(organizationId);
      return counts[type.resourceType] === lines;
    };
    await waitFor("all that was sent to be stored", look, { intervalMs: 50 });
  }

  /**
   * How much more memory is in use after all of it than after a quarter, while some of it still
   * waits and when all is stored, and how many bytes were sent in between.
   */
  async function measure(parts: number, makePart: () => string) {
    const customer = await scene.makeCustomer();
    const stream = open(customer, type);
    let sent = 0;
    let atQuarter = { inUse: 0, sent: 0 };
    let lines = 0;
    for (let part = 1; part <= parts; part += 1) {
      const text = makePart();
      sent += text.length;
      lines += text.split("\n").length - 1;
      await stream.write(text);
      if (part === Math.ceil(parts / 4)) {
        await stored(customer, lines);
        atQuarter = { inUse: await bytesInUse(), sent };
      }
    }
    const held = (await bytesInUse()) - atQuarter.inUse;
    await stored(customer, lines);
    const grown = (await bytesInUse()) - atQuarter.inUse;
    const expected = { success: true, received: lines, write_count: lines };
    assert.deepEqual(countsOf(await stream.end()), expected);
    return { held, grown, sent: sent - atQuarter.sent };
  }

  it("of short lines holds no more in memory at its end than at its beginning", async () => {
    const { grown, sent } = await measure(120, () => makeLines(200));
    assert.ok(grown < sent / 2, `${grown} bytes more in use after ${sent} bytes more`);
  });

  it("of long lines holds a small part of it in memory", async () => {
    const { held, sent } = await measure(800, () => makeLines(1, 60_000));
    assert.ok(sent > 35_000_000);
    assert.ok(held < sent / 4, `${held} bytes more in use after ${sent} bytes more`);
  });
});
