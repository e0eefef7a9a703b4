// Streams the rows of CSV (RFC 4180) in any layout. A line names the columns, or they are numbered; cells are passed on
// exactly as they are written. A row that is not CSV is unreadable; the others are not affected.

import { bulkKeys } from "./bulk-keys.ts";
import { plainName } from "./compression.ts";
import { restoreFormula } from "./csv-cell.ts";
import { type CsvLine, CsvSplitter, splitCells } from "./csv-splitter.ts";
import type { Layout } from "./layout.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { recordCharactersMax } from "./record-characters.ts";
import type { Row, RowInput, TextRow } from "./row.ts";
import type { TextInput } from "./text-input.ts";

/** Spreadsheets allow 16,384. Each cell costs as much as many characters, in memory and in time. */
const cellsMax = 20_000;

/** Resolves once the first line has been read. Throws OperatorError. */
export async function openCsv(input: TextInput, layout: Layout): Promise<RowInput> {
  const beginning = await readBeginning(input, layout);
  const { delimiter } = beginning;
  const split: Split = (text) => splitCells(text, { delimiter, cellsMax });
  const batches = splitLines(input, beginning, split);
  let { value: first } = await batches.next();
  while (first?.length === 0) ({ value: first } = await batches.next());
  const [head, ...others] = first ?? [];
  if (head === undefined) throw new OperatorError("input", `${input.path} is empty.`);
  const titles = split(head.text);
  if (typeof titles === "string") throw notCsv(input.path, `the first line ${titles}`);
  const isNamed = layout.header !== "no" || beginning.isRefused;
  const columns = isNamed ? nameColumns(titles, beginning) : titles.map((_, at) => String(at + 1));
  const parse = beginning.isRefused ? refusedParser(columns, split) : plainParser(split);
  const rest = isNamed ? others : [head, ...others];
  const { detected } = beginning;
  return {
    format: "csv",
    columns,
    delimiter,
    detected,
    batches: () => readRows(rest, batches, parse),
  };
}

interface Beginning {
  /** The text after the lines that are skipped, up to the end of a line at least. */
  readonly text: string;
  readonly more: AsyncIterable<string>;
  readonly delimiter: string;
  /** The number of its first line in the file, from 1. */
  readonly line: number;
  /** True for a file of refused rows, which has a layout of its own but for the delimiter. */
  readonly isRefused: boolean;
  /** What was not given, and is not the default. */
  readonly detected: Layout;
}

async function readBeginning(input: TextInput, layout: Layout): Promise<Beginning> {
  const more = input.read(layout.encoding);
  let [text, line, isRefused] = ["", 1, false];
  for (let next = await more.next(); next.done !== true; next = await more.next()) {
    text += next.value;
    isRefused ||= line === 1 && beginsRefused(text);
    for (const last = isRefused ? 1 : 1 + (layout.skip ?? 0); line < last; line += 1) {
      const end = text.indexOf("\n");
      text = text.slice(end === -1 ? text.length : end + 1);
      if (end === -1) break;
    }
    if (/[^\r\n][\r\n]/.test(text) || text.length > recordCharactersMax) break;
  }
  const [whole = "", sign] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const usual = plainName(input.path).toLowerCase().endsWith(".tsv") ? "\t" : ",";
  const delimiter = layout.delimiter ?? sign ?? detectDelimiter(text, usual);
  return {
    text: text.slice(whole.length),
    more,
    delimiter,
    line: whole === "" ? line : line + 1,
    isRefused,
    detected: {
      encoding: layout.encoding === undefined ? input.detectedEncoding() : undefined,
      delimiter: layout.delimiter === undefined && delimiter !== usual ? delimiter : undefined,
    },
  };
}

function beginsRefused(text: string): boolean {
  return text.startsWith(bulkKeys.row);
}

const delimiters = [",", ";", "\t", "|"];

/** The usual one, unless the first line has exactly one other in its place. */
function detectDelimiter(text: string, usual: string): string {
  const line = /[^\r\n]+/.exec(text)?.[0].replaceAll(/"[^"]*"/g, "") ?? "";
  const found = delimiters.filter((sign) => line.includes(sign));
  return found.length === 1 ? (found[0] ?? usual) : usual;
}

/** Those of the same name become `Account` and `Account (2)`. A column may have no name. */
function nameColumns(
  titles: readonly string[],
  { isRefused }: Pick<Beginning, "isRefused">,
): readonly string[] {
  const counts = new Map<string, number>();
  return titles.map((title) => {
    // In a file of refused rows, cells that look like formulas are protected from spreadsheets.
    const name = (isRefused ? restoreFormula(title) : title).trim();
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 || name === "" ? name : `${name} (${count})`;
  });
}

type Split = (text: string) => readonly string[] | string;
function plainParser(split: Split): TextRow["parse"] {
  return ({ number, text, line }): Row => {
    const cells = split(text);
    if (typeof cells !== "string") return { number, cells, line };
    return { number, text, reason: `${cells}, in line ${line ?? number} of the file` };
  };
}

const ownColumns: ReadonlySet<string> = new Set<string>(Object.values(bulkKeys));

/** A row has its number in the first input, and the text of one that could not be parsed replaces its cells. */
function refusedParser(columns: readonly string[], split: Split): TextRow["parse"] {
  const [numberAt, textAt] = [bulkKeys.row, bulkKeys.text].map((key) => columns.indexOf(key));
  const parsePlain = plainParser(split);
  return (refused): Row => {
    const row = parsePlain(refused);
    if (!("cells" in row)) return row;
    const cells = row.cells.map(restoreFormula);
    const given = Number(cells[numberAt ?? -1]);
    const number = Number.isSafeInteger(given) && given > 0 ? given : row.number;
    const text = cells[textAt ?? -1] ?? "";
    if (text === "") return { ...row, number, cells };
    const corrected = parsePlain({ ...refused, number, text });
    const ownCount = columns.filter((column) => ownColumns.has(column)).length;
    if (!("cells" in corrected) || corrected.cells.length + ownCount !== columns.length) {
      return corrected;
    }
    const rest = corrected.cells.values();
    const filled = columns.map((column) =>
      ownColumns.has(column) ? "" : (rest.next().value ?? ""),
    );
    return { ...corrected, cells: filled };
  };
}

async function* readRows(
  first: readonly CsvLine[],
  others: AsyncIterable<readonly CsvLine[]>,
  parse: TextRow["parse"],
): AsyncGenerator<readonly TextRow[]> {
  let count = 0;
  const rowsOfLines = (lines: readonly CsvLine[]) =>
    lines.map(({ text, line }) => ({ number: (count += 1), text, line, parse }));
  yield rowsOfLines(first);
  for await (const lines of others) yield rowsOfLines(lines);
}

/** Lines of nothing but delimiters are no rows, like empty ones. */
async function* splitLines(
  input: TextInput,
  { text: first, more, delimiter, line: firstLine }: Beginning,
  split: Split,
): AsyncGenerator<readonly CsvLine[]> {
  const isRow = (text: string): boolean => typeof split(text) !== "string";
  const isBlank = ({ text }: CsvLine): boolean =>
    text.startsWith(delimiter) && text.replaceAll(delimiter, "") === "";
  const splitter = new CsvSplitter({ isRow, charactersMax: recordCharactersMax, firstLine });
  yield splitter.push(first).filter((line) => !isBlank(line));
  for await (const text of more) {
    yield splitter.push(text).filter((line) => !isBlank(line));
    if (splitter.heldCharacters > recordCharactersMax) {
      throw notCsv(input.path, `it has a line of more than ${recordCharactersMax} characters`);
    }
  }
  yield splitter.end().filter((line) => !isBlank(line));
}

function notCsv(path: string, reason: string): OperatorError {
  return new OperatorError("input", `${path} is not CSV: ${reason}.`);
}
