// Uploads against a real server, also through a faulty proxy: every record once, every rejection
// reported, in order.

import assert from "node:assert/strict";
import { after, before, describe, it, mock } from "node:test";
import type { Refusal, Upload } from "../../client/src/sluice.ts";
import { limits } from "../../src/domain/limits.ts";
import { typeNamed } from "../contract/scene.ts";
import { type Fields, makeRecordGenerator } from "../support/record-generator.ts";
import { assertStored, collectionOf } from "./any-type.ts";
import { type Engine, useSite } from "./engine.ts";

const type = typeNamed("risk_assessment");
const { idField } = type;

async function drain<Item>(upload: Upload<Item>): Promise<readonly Refusal<Item>[]> {
  return Array.fromAsync(upload);
}

function isDeep(index: number): boolean {
  return index === 50 || index === 310;
}

export function testUploads(engine: Engine): void {
  describe(`${engine.name}: an upload`, () => {
    const site = useSite(engine);
    const records = makeRecordGenerator(20_260_702);
    // The shortest back-off.
    before(() => void mock.method(Math, "random", () => 0));
    after(() => mock.restoreAll());

    function make(count: number): readonly Fields[] {
      return Array.from({ length: count }, () => records.record(type));
    }

    function stored(all: readonly Fields[], ...timestamps: readonly unknown[]) {
      const sent = all.map((record) => ({
        type,
        id: String(record[idField]),
        timestamps: [record["timestamp"], ...timestamps],
      }));
      return assertStored(site(), sent);
    }

    it("finds the records that make a list unreadable, and writes the others", async () => {
      const deep: unknown = JSON.parse("[".repeat(20) + "]".repeat(20));
      const all = make(400);
      const source = all.map((record, index) =>
        isDeep(index) ? { ...record, outcome: deep } : record,
      );
      // Depth is checked only in long bodies; in short ones the field is invalid.
      assert.ok(JSON.stringify(source).length > limits.recordBytesMax);
      const upload = collectionOf(site().client(), type).addAll(source);
      const refusals = await drain(upload);
      assert.deepEqual(
        refusals.map(({ index }) => index),
        [50, 310],
      );
      assert.deepEqual(upload.tally, { received: 400, written: 398, unchanged: 0, refused: 2 });
      await stored(all.filter((_, index) => !isDeep(index)));
    });

    it("of transactions can be repeated, and counts the existing ones", async () => {
      const all = Array.from({ length: 20 }, () => records.record(typeNamed("transaction")));
      const { transactions } = site().client();
      for (const [written, unchanged] of [
        [20, 0],
        [0, 20],
      ]) {
        const upload = transactions.addAll(all as never);
        assert.deepEqual(await drain(upload), []);
        assert.deepEqual(upload.tally, { received: 20, written, unchanged, refused: 0 });
      }
    });
  });
}
