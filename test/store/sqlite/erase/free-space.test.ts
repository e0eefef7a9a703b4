// Scrubbing touches the unused middle of a page and nothing else.

import assert from "node:assert/strict";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { scrubResidue, findAllResidue } from "../../../../src/store/sqlite/erase/free-space.ts";
import { makeTempFolder } from "../../../support/temp-folder.ts";

const pageBytes = 4_096;

interface PageShape {
  readonly kind: number;
  readonly cells?: number;
  readonly contentFrom?: number;
}

/** A page with every byte set, except for its header. */
function page({ kind, cells = 3, contentFrom = 1_000 }: PageShape): Buffer {
  const bytes = Buffer.alloc(pageBytes, 0xee);
  bytes.writeUInt8(kind, 0);
  bytes.writeUInt16BE(cells, 3);
  bytes.writeUInt16BE(contentFrom, 5);
  return bytes;
}

function openFile(test: TestContext, pages: readonly Buffer[]) {
  const folder = makeTempFolder();
  const path = join(folder, "pages");
  writeFileSync(path, Buffer.concat(pages));
  const descriptor = openSync(path, "r+");
  test.after(() => {
    closeSync(descriptor);
  });
  return { descriptor, read: () => readFileSync(path) };
}

/** Of a file that can't free pages: it names no largest root page. */
const first = page({ kind: 0x0d }).fill(0, 52, 56);

describe("scrubbing a page", () => {
  for (const [kind, header] of [
    [0x02, 12],
    [0x05, 12],
    [0x0a, 8],
    [0x0d, 8],
  ] as const) {
    it(`of kind ${kind} sets the bytes between cell pointers and cells to zero`, (test) => {
      const before = page({ kind });
      const { descriptor, read } = openFile(test, [first, before]);
      assert.deepEqual(findAllResidue(descriptor), [2]);
      scrubResidue(descriptor, [2]);
      const after = read().subarray(pageBytes);
      const start = header + 2 * 3;
      assert.deepEqual(after.subarray(0, start), before.subarray(0, start));
      assert.deepEqual(after.subarray(start, 1_000), Buffer.alloc(1_000 - start));
      assert.deepEqual(after.subarray(1_000), before.subarray(1_000));
      assert.deepEqual(findAllResidue(descriptor), []);
    });
  }

  it("skips what is not a page of a tree, has no such middle, or is the first", (test) => {
    const pages = [
      first,
      page({ kind: 0x00 }),
      page({ kind: 0x01 }),
      page({ kind: 0x0e }),
      page({ kind: 0x0d, cells: 496 }),
      page({ kind: 0x0d, contentFrom: 14 }),
      page({ kind: 0x0d, contentFrom: 4_097 }),
    ];
    const { descriptor, read } = openFile(test, pages);
    assert.deepEqual(findAllResidue(descriptor), []);
    scrubResidue(descriptor, [2, 3, 4, 5, 6, 7, 8, 99]);
    assert.deepEqual(read(), Buffer.concat(pages));
  });

  it("skips the pages of the pointer map, in a file that has one", (test) => {
    const mapped = page({ kind: 0x0d });
    mapped.writeUInt32BE(3, 52);
    const pages = Array.from({ length: 1_700 }, () => page({ kind: 0x05 }));
    const { descriptor, read } = openFile(test, [mapped, ...pages.slice(1)]);
    const found = scrubResidue(descriptor, findAllResidue(descriptor));
    const after = read();
    const left = Array.from({ length: 1_700 }, (_, index) => index + 1).filter(
      (number) => after.readUInt8((number - 1) * pageBytes + 500) === 0xee,
    );
    assert.deepEqual(left, [1, 2, 822, 1_642]);
    assert.equal(found, 1_696);
  });

  it("scrubs a page without cells up to its end", (test) => {
    const { descriptor, read } = openFile(test, [
      first,
      page({ kind: 0x0d, cells: 0, contentFrom: pageBytes }),
    ]);
    scrubResidue(descriptor, [2]);
    assert.deepEqual(read().subarray(pageBytes + 8), Buffer.alloc(pageBytes - 8));
  });
});

describe("the search for remains in pages", () => {
  it("scans a file part by part, and ends with its last whole page", (test) => {
    const pages = Array.from({ length: 1_100 }, (_, index) =>
      index === 0 ? first : page({ kind: 0x0a }),
    );
    const { descriptor } = openFile(test, [...pages, Buffer.alloc(100, 1)]);
    const found = findAllResidue(descriptor);
    assert.deepEqual(
      found,
      Array.from({ length: 1_099 }, (_, index) => index + 2),
    );
  });
});
