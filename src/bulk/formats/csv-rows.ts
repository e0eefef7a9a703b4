// Streams the rows of CSV (RFC 4180). The first line names the columns; cells are passed on exactly as they are
// written.

import { bulkKeys } from "./bulk-keys.ts";
import { restoreFormula } from "./csv-cell.ts";
import { CsvSplitter, splitCells } from "./csv-splitter.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { recordCharactersMax } from "./record-characters.ts";
import type { Row, RowInput, TextRow } from "./row.ts";
import type { TextInput } from "./text-input.ts";

/** Spreadsheets allow 16,384. Each cell costs as much as many characters, in memory and in time. */
const cellsMax = 20_000;

/** Resolves once the first line has been read. Throws OperatorError. */
export async function openCsv(input: TextInput, delimiter: string): Promise<RowInput> {
  const batches = splitLines(input);
  let { value: first } = await batches.next();
  while (first?.length === 0) ({ value: first } = await batches.next());
  const [head, ...rest] = first ?? [];
  if (head === undefined) throw new OperatorError("input", `${input.path} is empty.`);
  const titles = readCells(head, { number: 0, delimiter, path: input.path });
  // In a file of refused rows, cells that look like formulas are protected from spreadsheets.
  const isRefused = titles.includes(bulkKeys.row);
  const columns = (isRefused ? titles.map(restoreFormula) : titles).map((title) => title.trim());
  const numberAt = columns.indexOf(bulkKeys.row);
  const parse = ({ number, text }: TextRow): Row => {
    const cells = readCells(text, { number, delimiter, path: input.path });
    if (numberAt === -1) return { number, cells };
    const restored = isRefused ? cells.map(restoreFormula) : cells;
    const given = Number(restored[numberAt]);
    return { number: Number.isSafeInteger(given) && given > 0 ? given : number, cells: restored };
  };
  return { format: "csv", columns, batches: () => readRows(rest, batches, parse) };
}

async function* readRows(
  first: readonly string[],
  others: AsyncIterable<readonly string[]>,
  parse: TextRow["parse"],
): AsyncGenerator<readonly TextRow[]> {
  let count = 0;
  const rowsOfTexts = (texts: readonly string[]) =>
    texts.map((text) => ({ number: (count += 1), text, parse }));
  yield rowsOfTexts(first);
  for await (const texts of others) yield rowsOfTexts(texts);
}

async function* splitLines(input: TextInput): AsyncGenerator<readonly string[]> {
  const splitter = new CsvSplitter();
  for await (const text of input.read()) {
    yield splitter.push(text);
    if (splitter.heldCharacters > recordCharactersMax) {
      const reason = `has a row of more than ${recordCharactersMax} characters`;
      throw notCsv(input.path, `it ${reason}; a quote may be missing`);
    }
  }
  yield splitter.end();
}

function readCells(
  text: string,
  { number, delimiter, path }: { number: number; delimiter: string; path: string },
): readonly string[] {
  const cells = splitCells(text, { delimiter, cellsMax });
  if (cells === "too many") {
    throw new OperatorError(
      "input",
      `${path} has a row of more than ${cellsMax.toLocaleString("en")} cells; check that the file has the format that its name says.`,
    );
  }
  if (typeof cells !== "string") return cells;
  throw notCsv(path, `${number === 0 ? "the first line" : `row ${number}`} ${cells}`);
}

function notCsv(path: string, reason: string): OperatorError {
  return new OperatorError("input", `${path} is not CSV: ${reason}.`);
}
