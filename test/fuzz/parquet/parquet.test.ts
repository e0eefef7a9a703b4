// Parquet files that claim what they do not have, and thousands of changed ones: each is read or refused, and the process that
// reads them stays small.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { codecs, column, writeParquet } from "../../bulk/import/parquet-file.ts";
import { makeRandom, type Random } from "../../support/random.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { hostileFiles } from "./hostile-files.ts";
import type { ReadReport } from "./read-files.ts";

const run = promisify(execFile);
const residentBytesMax = 500_000_000;
const mutantsOfEach = 40;
const seed = 20_261_123;

async function readAll(paths: readonly string[]): Promise<ReadReport> {
  const program = join(import.meta.dirname, "read-files.ts");
  const { stdout } = await run(process.execPath, [program, ...paths], { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as ReadReport;
}

/** Flips, replaces, removes or repeats bytes, mostly in the footer and where pages begin. */
function mutate(random: Random, original: Buffer): Buffer {
  const bytes = Buffer.from(original);
  for (let change = random.integer(1, 4); change > 0; change -= 1) {
    const isFooter = random.chance(0.5);
    const from = isFooter ? Math.max(4, bytes.length - 600) : 4;
    const at = random.integer(from, isFooter ? bytes.length - 5 : Math.min(60, bytes.length - 5));
    const kind = random.integer(0, 3);
    if (kind === 0) bytes[at] = random.integer(0, 255);
    else if (kind === 1) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
    else if (kind === 2) bytes.fill(0xff, at, at + random.integer(1, 5));
    else bytes.copyWithin(at, at + random.integer(1, 8));
  }
  return random.chance(0.1) ? bytes.subarray(random.integer(0, 20)) : bytes;
}

describe("hostile Parquet files", () => {
  const folder = makeTempFolder();
  after(() => removeFolder(folder));
  const write = (name: string, bytes: Uint8Array): string => {
    const path = join(folder, `${name}.parquet`);
    writeFileSync(path, bytes);
    return path;
  };

  it("are refused, or read a part at a time, within a bound of memory", async (test) => {
    const names = Object.keys(hostileFiles);
    const paths = Object.values(hostileFiles).map((make, index) => write(`h${index}`, make()));
    const { outcomes, findings, peakBytes } = await readAll(paths);
    test.diagnostic(`${peakBytes} bytes`);
    assert.deepEqual(findings, []);
    const honest = names.filter((_, index) => typeof outcomes[index] === "number");
    // What they claim is true, but large.
    assert.deepEqual(honest, [
      "has columns of gzip that are large",
      "has columns of zstd that are large",
      "has a billion rows of nothing",
      "has a thousand columns of a million rows of nothing",
      "has a large value of JSON in each of a million rows",
      "has a hundred thousand row groups of nothing",
    ]);
    assert.ok(peakBytes < residentBytesMax, `${peakBytes} bytes`);
  });

  it(`are still small after changes of valid ones, seed ${seed}`, async (test) => {
    const random = makeRandom(seed);
    const text = { type: "BYTE_ARRAY", converted_type: "UTF8" } as const;
    const ids = Array.from({ length: 300 }, (_, index) => `id ${index}`);
    const columns = [
      column("tx_id", text, ids),
      column(
        "status",
        text,
        ids.map((_, index) => (index % 3 === 0 ? null : "SETTLED")),
      ),
      column(
        "amount",
        { type: "DOUBLE" },
        ids.map((_, index) => index / 4),
      ),
      column(
        "count",
        { type: "INT64" },
        ids.map((_, index) => BigInt(index)),
      ),
      column(
        "is_test",
        { type: "BOOLEAN" },
        ids.map((_, index) => index % 2 === 0),
      ),
    ];
    const paths: string[] = [];
    for (const codec of codecs) {
      const path = await writeParquet(join(folder, `${codec}.parquet`), columns, { codec });
      const original = readFileSync(path);
      paths.push(path);
      for (let index = 0; index < mutantsOfEach; index += 1) {
        paths.push(write(`${codec}${index}`, mutate(random, original)));
      }
    }
    const { outcomes, findings, peakBytes } = await readAll(paths);
    test.diagnostic(`${peakBytes} bytes`);
    assert.deepEqual(findings, []);
    const read = outcomes.filter((outcome) => typeof outcome === "number").length;
    assert.ok(read >= codecs.length && read < outcomes.length, `${read} were read`);
    assert.ok(peakBytes < residentBytesMax, `${peakBytes} bytes`);
  });
});
