// Parquet files that claim what they do not have, and thousands of changed ones: each is read or refused, and the
// process that reads them stays small.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { requireNothingFound } from "../../campaign/in-test.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { parquet, readAll, residentBytesMax } from "./campaign.ts";
import { hostileFiles } from "./hostile-files.ts";

describe("hostile Parquet files", () => {
  const folder = makeTempFolder();
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

  it("are still small after changes of valid ones", async (test) => {
    const run = { campaign: parquet, seed: 20_261_123, count: 100 };
    const { files, read } = await requireNothingFound(test, "parquet", run);
    assert.ok(read > 0 && read < files, `${read} were read`);
  });
});
