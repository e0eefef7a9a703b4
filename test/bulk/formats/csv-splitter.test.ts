// CSV in pieces of any size has the same rows and cells as when it is read at once, and text that is not CSV is
// refused.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { writeRow } from "../../../src/bulk/formats/csv-cell.ts";
import { CsvSplitter, splitCells } from "../../../src/bulk/formats/csv-splitter.ts";
import { makeRandom, type Random } from "../../support/random.ts";

function rowsOf(text: string, pieceLength = text.length): readonly string[] {
  const splitter = new CsvSplitter();
  const rows: string[] = [];
  for (let at = 0; at < text.length; at += pieceLength) {
    rows.push(...splitter.push(text.slice(at, at + pieceLength)));
  }
  return [...rows, ...splitter.end()];
}

function cellsOf(text: string, pieceLength?: number, delimiter = ",") {
  return rowsOf(text, pieceLength).map((row) => splitCells(row, { delimiter, cellsMax: 100 }));
}

function makeCell(random: Random): string {
  const parts = ["a", "é", "😀", ",", '"', "\n", "\r", "\r\n", " ", "'", ";"];
  return Array.from({ length: random.integer(0, 5) }, () => random.pick(parts)).join("");
}

describe("CSV", () => {
  it("has the cells that were written, in pieces of any length", () => {
    const random = makeRandom(20_261_123);
    for (let round = 0; round < 300; round += 1) {
      const cells = Array.from({ length: random.integer(1, 6) }, () =>
        Array.from({ length: random.integer(2, 4) }, () => makeCell(random)),
      );
      const text = cells.map((row) => writeRow(row)).join("");
      const pieceLength = random.integer(1, text.length);
      assert.deepEqual(cellsOf(text, pieceLength), cells, JSON.stringify({ text, pieceLength }));
    }
  });

  for (const [what, lineEnd] of [
    ["LF", "\n"],
    ["CR LF", "\r\n"],
    ["CR", "\r"],
  ] as const) {
    it(`has lines that end in ${what} if the first does, and skips empty ones`, () => {
      const text = ["a,b", "", 'c,"d\r\n\n"', "e,f"].join(lineEnd);
      for (const end of ["", lineEnd]) {
        for (const pieceLength of [1, 2, 100]) {
          const wanted = [
            ["a", "b"],
            ["c", "d\r\n\n"],
            ["e", "f"],
          ];
          assert.deepEqual(cellsOf(text + end, pieceLength), wanted);
        }
      }
    });
  }

  it("takes another line end for text", () => {
    assert.deepEqual(cellsOf("a,b\nc,d\r\n"), [
      ["a", "b"],
      ["c", "d\r"],
    ]);
    assert.deepEqual(cellsOf('"a\n",b\r\nc,d\ne\r\n'), [
      ["a\n", "b"],
      ["c", "d\ne"],
    ]);
  });

  it("has empty cells, also at both ends of a row", () => {
    assert.deepEqual(cellsOf(';"";;x;\n', 3, ";"), [["", "", "", "x", ""]]);
  });

  for (const [text, reason] of [
    ['a,b"c\n', "has a quote inside a cell that does not begin with one"],
    ['a,"b"c\n', "has text after the quote that closes a cell"],
    ['a,"b\nc', "has a quote that is not closed"],
    [`${",".repeat(100)}\n`, "too many"],
    [`"a"${",".repeat(100)}\n`, "too many"],
  ] as const) {
    it(`is refused if a row ${reason}`, () => assert.deepEqual(cellsOf(text), [reason]));
  }
});
