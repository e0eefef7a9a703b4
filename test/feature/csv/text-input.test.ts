// The text of a file that another program writes while it is read.

import assert from "node:assert/strict";
import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { openCsv } from "../../../src/feature/csv/csv-rows.ts";
import { rowsOf } from "../../../src/feature/csv/row.ts";
import { openText } from "../../../src/feature/csv/text-input.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const folder = makeTempFolder();

/** Returns the ids that were read before the error. */
async function readChanged(name: string, change: (path: string) => void) {
  const path = join(folder, name);
  const text = "id,amount\na,1\nb,25";
  writeFileSync(path, name.endsWith(".gz") ? gzipSync(text) : text);
  const input = openText(path);
  change(path);
  const ids: string[] = [];
  const read = async () => {
    for await (const row of rowsOf(await openCsv(input, {}))) {
      if ("cells" in row) ids.push(row.cells[0] ?? "");
    }
  };
  return { ids, done: read() };
}

const changed = { name: "OperatorError", message: /has changed while it was read. Import it/ };

describe("a file with bytes that are not text", () => {
  for (const name of ["mixed.csv", "mixed.csv.gz"]) {
    it(`is refused with the place of the first of them: ${name}`, async () => {
      const path = join(folder, name);
      const text = Buffer.from(`id,amount\n${"ä,1\n".repeat(50_000)}`);
      const bytes = Buffer.concat([text, Buffer.from("\xe4,2\nb,3\n", "latin1")]);
      writeFileSync(path, name.endsWith(".gz") ? gzipSync(bytes) : bytes);
      const read = async () => {
        let length = 0;
        for await (const part of openText(path).read()) length += part.length;
        return length;
      };
      await assert.rejects(read(), ({ message }: Error) => {
        const at = Number(/not text in its encoding, near byte (\d+)/.exec(message)?.[1]);
        return at > text.length && at <= text.length + 3;
      });
    });
  }
});

describe("a file that changes while it is read", () => {
  it("is refused before its last line, which may be incomplete", async () => {
    const { ids, done } = await readChanged("grown.csv", (path) => appendFileSync(path, "0\nc,3"));
    await assert.rejects(done, changed);
    assert.deepEqual(ids, ["a", "b"]);
    const shorter = await readChanged("shrunk.csv", (path) => truncateSync(path, 15));
    await assert.rejects(shorter.done, changed);
    assert.deepEqual(shorter.ids, ["a"]);
  });

  it("is refused if it is compressed, too", async () => {
    const more = gzipSync("0\nc,3");
    const { ids, done } = await readChanged("grown.csv.gz", (path) => appendFileSync(path, more));
    await assert.rejects(done, changed);
    assert.deepEqual(ids, ["a", "b"]);
  });

  it("is read to its end if it does not", async () => {
    const { ids, done } = await readChanged("same.csv", () => undefined);
    await done;
    assert.deepEqual(ids, ["a", "b"]);
  });
});
