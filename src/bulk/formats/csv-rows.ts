// Streams the rows of CSV (RFC 4180). The first line names the columns; cells are passed on exactly as they are
// written. A row that is not CSV is unreadable; the others are not affected.

import { bulkKeys } from "./bulk-keys.ts";
import { restoreFormula } from "./csv-cell.ts";
import { type CsvLine, CsvSplitter, splitCells } from "./csv-splitter.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { recordCharactersMax } from "./record-characters.ts";
import type { Row, RowInput, TextRow } from "./row.ts";
import type { TextInput } from "./text-input.ts";

/** Spreadsheets allow 16,384. Each cell costs as much as many characters, in memory and in time. */
const cellsMax = 20_000;

/** Resolves once the first line has been read. Throws OperatorError. */
export async function openCsv(input: TextInput, delimiter: string): Promise<RowInput> {
  const split = (text: string): readonly string[] | string =>
    splitCells(text, { delimiter, cellsMax });
  const batches = splitLines(input, (text) => typeof split(text) !== "string");
  let { value: first } = await batches.next();
  while (first?.length === 0) ({ value: first } = await batches.next());
  const [head, ...rest] = first ?? [];
  if (head === undefined) throw new OperatorError("input", `${input.path} is empty.`);
  const titles = split(head.text);
  if (typeof titles === "string") throw notCsv(input.path, `the first line ${titles}`);
  const own = bulkKeys.row;
  // In a file of refused rows, cells that look like formulas are protected from spreadsheets.
  const isRefused = titles.includes(own);
  const columns = (isRefused ? titles.map(restoreFormula) : titles).map((title) => title.trim());
  const parse = isRefused ? refusedParser(columns, split) : plainParser(split);
  return { format: "csv", columns, batches: () => readRows(rest, batches, parse) };
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

async function* splitLines(
  input: TextInput,
  isRow: (text: string) => boolean,
): AsyncGenerator<readonly CsvLine[]> {
  const splitter = new CsvSplitter({ isRow, charactersMax: recordCharactersMax });
  for await (const text of input.read()) {
    yield splitter.push(text);
    if (splitter.heldCharacters > recordCharactersMax) {
      throw notCsv(input.path, `it has a line of more than ${recordCharactersMax} characters`);
    }
  }
  yield splitter.end();
}

function notCsv(path: string, reason: string): OperatorError {
  return new OperatorError("input", `${path} is not CSV: ${reason}.`);
}
