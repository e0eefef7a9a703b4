// Streams the rows of CSV (RFC 4180) in any layout. A line names the columns, or they are numbered; cells are passed on
// exactly as they are written. A row that is not CSV is unreadable; the others are not affected.

import { bulkKeys, isBulkKey } from "../../bulk/formats/bulk-keys.ts";
import { plainName } from "../../bulk/formats/compression.ts";
import { restoreFormula } from "./csv-cell.ts";
import { type CsvLine, CsvSplitter, splitCells } from "./csv-splitter.ts";
import { type Layout, linesMax } from "./layout.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { recordCharactersMax } from "./record-characters.ts";
import type { Row, RowInput, TextRow } from "./row.ts";
import type { TextInput } from "./text-input.ts";
import { inputError } from "./input-error.ts";

/** Spreadsheets allow 16,384. Each cell costs as much as many characters, in memory and in time. */
const cellsMax = 20_000;

/** Resolves once the first line has been read. Throws OperatorError. */
export async function openCsv(input: TextInput, layout: Layout): Promise<RowInput> {
  const beginning = await readBeginning(input, layout);
  const { delimiter, quote } = beginning;
  const split: Split = (text) => splitCells(text, { delimiter, cellsMax, quote });
  const ignored = { lines: 0 };
  const batches = splitLines(input, { ...beginning, split, ignored });
  let { value: first } = await batches.next();
  while (first?.length === 0) ({ value: first } = await batches.next());
  const [head, ...others] = first ?? [];
  if (head === undefined) throw inputError(`${input.path} is empty.`);
  const titles = split(head.text);
  if (typeof titles === "string") throw notCsv(input.path, `the first line ${titles}`);
  const isNamed = layout.header !== "no" || beginning.isRefused;
  const columns = isNamed ? nameColumns(titles, beginning) : titles.map((_, at) => String(at + 1));
  const parse = beginning.isRefused
    ? refusedParser(columns, split)
    : plainParser(beginning.layout.quote === "backslash" ? unescaping(split) : split);
  const firstRows = isNamed ? others : [head, ...others];
  const { detected } = beginning;
  return {
    format: "csv",
    columns,
    delimiter,
    detected,
    ignoredLines: () => ignored.lines,
    batches: async function* () {
      let count = 0;
      const rowsOf = (lines: readonly CsvLine[]): readonly TextRow[] =>
        lines.map(({ text, line }) => ({ number: (count += 1), text, line, parse }));
      yield rowsOf(firstRows);
      for await (const lines of batches) yield rowsOf(lines);
    },
  };
}

interface Beginning {
  /** The text after the lines that are skipped, up to the end of a line at least. */
  readonly text: string;
  readonly more: AsyncIterable<string>;
  readonly delimiter: string;
  readonly quote: string;
  readonly line: number;
  /** True for a file of refused rows, which has a layout of its own but for the delimiter. */
  readonly isRefused: boolean;
  readonly layout: Layout;
  /** What was not given, and is not the default. */
  readonly detected: Layout;
}

/** A carriage return at the end of the text ends no line yet, because a line feed may follow. */
const lineEnd = /\r\n|\n|\r(?!$)/;

async function readBeginning(input: TextInput, layout: Layout): Promise<Beginning> {
  const more = input.read(layout.encoding);
  const usual = plainName(input.path).toLowerCase().endsWith(".tsv") ? "\t" : ",";
  let [text, line, isRefused, isFound] = ["", 1, false, false];
  const isFirst = firstLineFinder(layout, usual);
  for (let next = await more.next(); next.done !== true; next = await more.next()) {
    text += next.value;
    isRefused ||= line === 1 && text.startsWith(bulkKeys.row);
    isFound ||= isRefused;
    while (!isFound) {
      const end = lineEnd.exec(text);
      isFound = isFirst(end === null ? undefined : text.slice(0, end.index), line);
      if (isFound || end === null) break;
      text = text.slice(end.index + end[0].length);
      line += 1;
    }
    const isWhole = isFound && /[^\r\n][\r\n]/.test(text);
    if (isWhole || text.length > recordCharactersMax) break;
  }
  if (!isFound && !isFirst(text, line)) throw withoutTable(input.path, layout.skip);
  const [whole = "", sign] = /^sep=(.)(?:\r\n|\n|\r)/i.exec(text) ?? [];
  const delimiter = layout.delimiter ?? sign ?? detectDelimiter(text, { usual, ...layout });
  return {
    text: text.slice(whole.length),
    more,
    delimiter,
    quote: quoteOf(isRefused ? {} : layout),
    line: whole === "" ? line : line + 1,
    isRefused,
    layout: isRefused ? {} : layout,
    detected: {
      encoding: layout.encoding === undefined ? input.detectedEncoding() : undefined,
      delimiter: layout.delimiter === undefined && delimiter !== usual ? delimiter : undefined,
    },
  };
}

function quoteOf({ quote = '"' }: Layout): string {
  return quote.length === 1 ? quote : "";
}

/** Whether the line that begins the table is this one; its text is undefined until its end was read. */
function firstLineFinder(
  layout: Layout,
  usual: string,
): (text: string | undefined, line: number) => boolean {
  const { skip = 0 } = layout;
  if (typeof skip === "number") return (_text, line) => line > skip;
  const wanted = skip.split(",").map((name) => name.trim());
  return (text, line) => {
    if (text === undefined || line > linesMax) return false;
    const delimiter = layout.delimiter ?? detectDelimiter(text, { usual });
    const cells = splitCells(text, { delimiter, cellsMax });
    const names = typeof cells === "string" ? [] : cells.map((cell) => cell.trim());
    return wanted.every((name) => names.includes(name));
  };
}

function withoutTable(path: string, skip: Layout["skip"]): OperatorError {
  const what =
    typeof skip === "string"
      ? `line that has the columns ${skip}`
      : "line after those that are skipped";
  return inputError(`${path} has no ${what}.`, { context: { option: "--skip" } });
}

const delimiters = [",", ";", "\t", "|"];

/** The delimiter that the first row has, if it has only one kind; otherwise the usual one. */
function detectDelimiter(
  text: string,
  { usual, comment }: { readonly usual: string; readonly comment?: string | undefined },
): string {
  const lines = text.matchAll(/[^\r\n]+/g).map(([line]) => line);
  const isRow = (line: string) => comment === undefined || !line.startsWith(comment);
  const line = lines.find(isRow)?.replaceAll(/"[^"]*"/g, "") ?? "";
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
    return { number, text, line, reason: `${cells}, in line ${line ?? number} of the file` };
  };
}

/** A row has its number in the first input, and the text of one that could not be parsed replaces its cells. */
function refusedParser(columns: readonly string[], split: Split): TextRow["parse"] {
  const [numberAt, textAt] = [bulkKeys.row, bulkKeys.text].map((key) => columns.indexOf(key));
  const parsePlain = plainParser(split);
  return (refused): Row => {
    const row = parsePlain(refused);
    if (!("cells" in row)) return row;
    const cells = row.cells.map(restoreFormula);
    const ownNumber = Number(cells[numberAt ?? -1]);
    const number = Number.isSafeInteger(ownNumber) && ownNumber > 0 ? ownNumber : row.number;
    const text = cells[textAt ?? -1] ?? "";
    if (text === "") return { ...row, number, cells };
    const corrected = parsePlain({ ...refused, number, text });
    const ownCount = columns.filter(isBulkKey).length;
    if (!("cells" in corrected) || corrected.cells.length + ownCount !== columns.length) {
      return corrected;
    }
    const values = corrected.cells.values();
    const filled = columns.map((column) => (isBulkKey(column) ? "" : (values.next().value ?? "")));
    return { ...corrected, cells: filled };
  };
}

const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  0: "\0",
};

/** But for the marks of null and of empty text (csv-cell.ts), which are the same. */
function unescape(cell: string): string {
  if (/^\\+[NE]$/.test(cell)) return cell;
  return cell.replaceAll(/\\(.)/gs, (_, sign: string) => escapes[sign] ?? sign);
}

function unescaping(split: Split): Split {
  return (text) => {
    const cells = split(text);
    return typeof cells === "string" ? cells : cells.map(unescape);
  };
}

interface Splitting extends Beginning {
  readonly split: Split;
  readonly ignored: { lines: number };
}

/** Lines of nothing but delimiters are no rows, like empty ones; comments and what follows the last row neither. */
async function* splitLines(
  input: TextInput,
  { text: first, more, line: firstLine, ...splitting }: Splitting,
): AsyncGenerator<readonly CsvLine[]> {
  const { split, quote } = splitting;
  const isRow = (text: string): boolean => typeof split(text) !== "string";
  const splitter = new CsvSplitter({ isRow, charactersMax: recordCharactersMax, quote, firstLine });
  const keep = rowFilter(splitting);
  for (const lines of splitter.push(first)) yield keep(lines);
  for await (const text of more) {
    for (const lines of splitter.push(text)) yield keep(lines);
    if (splitter.held.length > recordCharactersMax) {
      throw notCsv(input.path, `it has a line of more than ${recordCharactersMax} characters`);
    }
  }
  for (const lines of splitter.end()) yield keep(lines);
}

/** Returns the lines that are rows, and counts the others. A footer of n lines holds back the last n. */
function rowFilter({
  delimiter,
  layout: { comment, footer = 0 },
  ignored,
}: Pick<Splitting, "delimiter" | "layout" | "ignored">): (
  lines: readonly CsvLine[],
) => readonly CsvLine[] {
  let [hasEnded, held, dropped]: [boolean, readonly CsvLine[], number] = [false, [], 0];
  const isRow = ({ text }: CsvLine): boolean => {
    hasEnded ||= typeof footer === "string" && text.startsWith(footer);
    const isBlank = text.startsWith(delimiter) && text.replaceAll(delimiter, "") === "";
    return !hasEnded && !isBlank && (comment === undefined || !text.startsWith(comment));
  };
  return (lines) => {
    const rows = [...held, ...lines.filter(isRow)];
    dropped += held.length + lines.length - rows.length;
    held = typeof footer === "string" ? [] : rows.splice(Math.max(0, rows.length - footer));
    ignored.lines = dropped + held.length;
    return rows;
  };
}

function notCsv(path: string, reason: string): OperatorError {
  return inputError(`${path} is not CSV: ${reason}.`);
}
