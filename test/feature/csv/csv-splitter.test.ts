// CSV in pieces of any size has the same rows and cells as when it is read at once, and text that is not CSV is
// refused.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { writeRow } from "../../../src/basics/csv-row.ts";
import { type CsvLine, CsvSplitter, splitCells } from "../../../src/feature/csv/csv-splitter.ts";
import { makeRandom, type Random } from "../../support/random.ts";

const split = (text: string, delimiter = ",") => splitCells(text, { delimiter, cellsMax: 100 });

const isRow = (text: string): boolean => typeof split(text) !== "string";

function linesOf(
  text: string,
  { pieceLength = text.length, charactersMax = 1_000 } = {},
): readonly CsvLine[] {
  const splitter = new CsvSplitter({ isRow, charactersMax });
  const lines: CsvLine[] = [];
  for (let at = 0; at < text.length; at += pieceLength) {
    lines.push(...[...splitter.push(text.slice(at, at + pieceLength))].flat());
  }
  return [...lines, ...[...splitter.end()].flat()];
}

function cellsOf(text: string, pieceLength?: number, delimiter = ",") {
  const options = pieceLength === undefined ? {} : { pieceLength };
  return linesOf(text, options).map((line) => split(line.text, delimiter));
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

  it("has lines that each end in LF, CR LF or CR, in a quoted cell too, and skips empty ones", () => {
    const lines = ["a,b", "", 'c,"d\r\n\n"', "e,f", "g,h"];
    const wanted = ["a,b@1", 'c,"d\r\n\n"@3', "e,f@6", "g,h@7"];
    const random = makeRandom(20_261_129);
    for (let round = 0; round < 200; round += 1) {
      const ends = lines.map(() => random.pick(["\n", "\r\n", "\r"]));
      // A CR and an LF would be one end.
      const text = lines.map((line, index) => line + (line === "" ? "\r\n" : ends[index])).join("");
      for (const whole of [text, text.replace(/[\r\n]+$/, "")]) {
        const pieceLength = random.integer(1, text.length);
        const found = linesOf(whole, { pieceLength }).map(
          ({ text: row, line }) => `${row}@${line}`,
        );
        assert.deepEqual(found, wanted, JSON.stringify({ whole, pieceLength }));
      }
    }
  });

  it("loses one row to each stray or missing quote, wherever it is, and no other", () => {
    const random = makeRandom(20_261_130);
    const damages = ['x,y"z', '"x,y', 'x,"y', 'x,"y"z', '"', 'x,y"'];
    for (let round = 0; round < 300; round += 1) {
      const rows = Array.from({ length: 40 }, (_, index) =>
        random.chance(0.1) ? random.pick(damages) : random.pick([`${index},b`, `"${index}","b,b"`]),
      );
      const text = rows.join(random.pick(["\n", "\r\n"]));
      const pieceLength = random.integer(1, text.length);
      const charactersMax = random.pick([60, 1_000_000]);
      const found = linesOf(text, { pieceLength, charactersMax });
      const kept = found.filter(({ text: row }) => typeof split(row) !== "string");
      const wanted = rows.filter((row) => !damages.includes(row));
      const context = JSON.stringify({ text, pieceLength, charactersMax });
      // Two damaged lines may be one row of two lines that is CSV; what is between them is its text.
      if (kept.every((row) => !row.text.includes("\n"))) {
        assert.deepEqual(
          kept.map((row) => row.text),
          wanted,
          context,
        );
      }
      for (const { text: row, line } of found) {
        assert.equal(row.split(/\r?\n/)[0], rows[line - 1], context);
      }
    }
  });

  it("is read within a bound where a quote is not closed, and no line more than twice", () => {
    let characters = 0;
    const isNoRow = (text: string): boolean => {
      characters += text.length;
      return false;
    };
    const splitter = new CsvSplitter({ isRow: isNoRow, charactersMax: 500 });
    const text = `"${"a,b\n".repeat(20)}`.repeat(200);
    let rows = 0;
    for (let at = 0; at < text.length; at += 100) {
      rows += [...splitter.push(text.slice(at, at + 100))].flat().length;
      assert.ok(splitter.held.length <= 600);
    }
    assert.equal(rows + [...splitter.end()].flat().length, 4_000);
    assert.ok(characters <= 2 * text.length, `${characters}`);
  });

  it("is read in parts where a row of very many lines is too long to be one", () => {
    const splitter = new CsvSplitter({ isRow, charactersMax: 100_000 });
    const first = [...splitter.push(`"${"a\n".repeat(45_000)}`)];
    assert.equal(first.flat().length, 0);
    const parts = [...splitter.push("a\n".repeat(10_000))];
    assert.ok(parts.every((rows) => rows.length <= 10_000));
    assert.equal(parts.flat().length, 55_000);
    assert.deepEqual(parts.flat().at(-1), { text: "a", line: 55_000 });
  });

  it("has empty cells, also at both ends of a row", () => {
    assert.deepEqual(cellsOf(';"";;x;\n', 3, ";"), [["", "", "", "x", ""]]);
  });

  for (const [text, reason] of [
    ['a,b"c\n', "has a quote inside a cell that does not begin with one"],
    ['a,"b"c\n', "has text after the quote that closes a cell"],
    ['a,"b', "has a quote that is not closed"],
    [`${",".repeat(100)}\n`, "has more than 100 cells"],
    [`"a"${",".repeat(100)}\n`, "has more than 100 cells"],
  ] as const) {
    it(`is refused if a row ${reason}`, () => assert.deepEqual(cellsOf(text), [reason]));
  }
});
