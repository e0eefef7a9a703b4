// Files in each layout, given or detected, with the smallest input: the columns and rows that are read.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Layout, layoutNames, readLayout } from "../../../src/feature/csv/layout.ts";
import { openCsv } from "../../../src/feature/csv/csv-rows.ts";
import { rowsOf } from "../../../src/feature/csv/row.ts";
import { openText } from "../../../src/feature/csv/text-input.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const folder = makeTempFolder();

/** Each row, as the columns, is its cells with bars between them. */
async function read(content: string | Buffer, layout: Layout = {}) {
  const path = join(folder, "rows.csv");
  writeFileSync(path, content);
  const input = await openCsv(openText(path), layout);
  const rows = await Array.fromAsync(rowsOf(input), (row) =>
    "cells" in row ? row.cells.join("|") : "reason" in row ? row.reason : row,
  );
  const found = Object.entries(input.detected ?? {}).filter(([, value]) => value !== undefined);
  const detected = Object.fromEntries(found);
  return { columns: input.columns?.join("|"), rows, detected, ignored: input.ignoredLines?.() };
}

const utf16 = (text: string) => Buffer.from(text, "utf16le");
const { raw } = String;

const layouts: readonly (readonly [
  title: string,
  content: string | Buffer,
  layout: Layout,
  columns: string,
  rows: readonly string[],
  detected?: Layout,
  ignored?: number,
])[] = [
  ["has the usual delimiter", "a,b\n1,2\n", {}, "a|b", ["1|2"]],
  ["has another one", "a;b\n1;2,5\n", {}, "a|b", ["1|2,5"], { delimiter: ";" }],
  ["has tabs", "a\tb\n1\t2\n", {}, "a|b", ["1|2"], { delimiter: "\t" }],
  ["has the usual one among others", "a,b;c\n1,2\n", {}, "a|b;c", ["1|2"]],
  ["has another one in quotes only", '"a;b"\n1\n', {}, "a;b", ["1"]],
  ["names its delimiter", "sep=|\r\na|b\r\n1|2\r\n", {}, "a|b", ["1|2"], { delimiter: "|" }],
  ["has quoted line ends", 'a;b\n"1\n2";3\n', {}, "a|b", ["1\n2|3"], { delimiter: ";" }],
  ["is UTF-16 with a mark", utf16("\ufeffa\n€\n"), {}, "a", ["€"], { encoding: "utf-16le" }],
  ["is UTF-16 without one", utf16("a\n€\n"), {}, "a", ["€"], { encoding: "utf-16le" }],
  [
    "is UTF-16 of the other order",
    utf16("\ufeffa\n€\n").swap16(),
    {},
    "a",
    ["€"],
    { encoding: "utf-16be" },
  ],
  ["is Windows-1252", Buffer.from([97, 10, 0x80, 10]), { encoding: "windows-1252" }, "a", ["€"]],
  ["begins with other lines", 'x\n"y\r\na,b\n1,2\n', { skip: 2 }, "a|b", ["1|2"]],
  ["begins with lines that end in CR", "x\ry\r\na,b\r1,2\r", { skip: 2 }, "a|b", ["1|2"]],
  ["names its columns after lines in CR", "x\ra,b\r1,2\r", { skip: "a,b" }, "a|b", ["1|2"]],
  ["names its delimiter before CR", "sep=|\ra|b\r1|2", {}, "a|b", ["1|2"], { delimiter: "|" }],
  [
    "has a damaged row after them",
    'x\na,b\n1,"2\n',
    { skip: 1 },
    "a|b",
    ["has a quote that is not closed, in line 3 of the file"],
  ],
  ["has no names of columns", "1,2\n3,4\n", { header: "no" }, "1|2", ["1|2", "3|4"]],
  ["has a name twice", "a,b,a,a\n1,2,3,4\n", {}, "a|b|a (2)|a (3)", ["1|2|3|4"]],
  ["begins by names", "x,b\r\n\r\nb, a,c\r\n1,2,3\r\n", { skip: "a,b" }, "b|a|c", ["1|2|3"]],
  ["ends with others", "a,b\n1,2\n3,4\n\nx\ny", { footer: 2 }, "a|b", ["1|2", "3|4"], {}, 2],
  ["ends at a word", "a,b\n1,2\nTotal,2\nx", { footer: "Total" }, "a|b", ["1|2"], {}, 2],
  ["has comments", "#x;\na,b\n# 1\n1,2\n", { comment: "#" }, "a|b", ["1|2"], {}, 2],
  ["has lines of delimiters only", ",,\n\na,b\n,\n1,2\n,,,\n", {}, "a|b", ["1|2"], {}, 3],
  ["has other quotes", "a,b\n'1,2',\"\n", { quote: "'" }, "a|b", ['1,2|"']],
  ["has no quotes", 'a,b\n"1,2"\n"3,4\n', { quote: "none" }, "a|b", ['"1|2"', '"3|4']],
  [
    "has backslashes",
    raw`1,x\ty\n\\z\N,\N,\\N`,
    { quote: "backslash", header: "no" },
    "1|2|3|4",
    [`1|x\ty\n\\zN|${raw`\N`}|${raw`\\N`}`],
  ],
  [
    "is a file of refused rows",
    "sluice_row,a\n1,ä\n",
    { encoding: "utf-16be", skip: 1, header: "no", quote: "none" },
    "sluice_row|a",
    ["1|ä"],
  ],
];

describe("a file that", () => {
  for (const [title, content, layout, columns, rows, detected = {}, ignored = 0] of layouts) {
    it(`${title} is read`, async () => {
      assert.deepEqual(await read(content, layout), { columns, rows, detected, ignored });
    });
  }

  it("has no line with the names that it should is refused", async () => {
    await assert.rejects(
      read("a,b\n1,2\n", { skip: "a,c" }),
      /has no line that has the columns a,c/,
    );
  });
});

const fail = (why: string) => new Error(why);

describe("a layout", () => {
  it("has the same values from text and from JSON", () => {
    const given = {
      encoding: "Windows-1252",
      delimiter: "tab",
      quote: "none",
      skip: 3,
      header: "no",
      comment: "#",
      footer: 2,
      trim: "yes",
      list: "a.b",
    };
    const wanted = { ...given, encoding: "windows-1252", delimiter: "\t" };
    assert.deepEqual(readLayout(given, fail), wanted);
    assert.deepEqual(readLayout({ ...given, skip: "3" }, fail), wanted);
    assert.deepEqual(Object.keys(wanted), layoutNames);
    assert.deepEqual(readLayout({ skip: "", list: "" }, fail), {});
  });

  for (const [name, value] of [
    ["encoding", "latin-99"],
    ["delimiter", "ab"],
    ["quote", "x"],
    ["skip", "-1"],
    ["skip", 20_000],
    ["header", "maybe"],
    ["footer", "-2"],
    ["trim", "1"],
    ["list", "a..b"],
    ["colour", "red"],
  ] as const) {
    it(`can't have the ${name} ${value}, and says so`, () => {
      assert.throws(() => readLayout({ [name]: value }, fail), new RegExp(`"${name}" `));
    });
  }
});
