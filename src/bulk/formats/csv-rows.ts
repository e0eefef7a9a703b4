// Streams the rows of CSV (RFC 4180). The first line names the columns; cells are passed on exactly as they are written.

import { Readable } from "node:stream";
import { CsvError, parse, type Parser } from "csv-parse";
import { bulkKeys } from "./bulk-keys.ts";
import { restoreFormula } from "./csv-cell.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { recordCharactersMax } from "./record-characters.ts";
import type { CsvRow, RowInput } from "./row.ts";
import type { TextInput } from "./text-input.ts";

/** What spreadsheets allow is 16,384. Each cell costs as much as many characters, in memory and in time. */
const cellsMax = 20_000;

/** Resolves once the first line has been read. Throws OperatorError. */
export async function openCsv(input: TextInput, delimiter: string): Promise<RowInput> {
  const parser = parse({
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: recordCharactersMax,
  });
  const source = Readable.from(input.read());
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  const records = parser[Symbol.asyncIterator]() as AsyncIterator<string[]>;
  const first = await nextOf(records, input.path);
  if (first === undefined) throw new OperatorError("input", `${input.path} is empty.`);
  // In a file of refused rows, cells that look like formulas are protected from spreadsheets.
  const restore = first.includes(bulkKeys.row) ? restoreFormula : unchanged;
  const columns = first.map((title) => restore(title).trim());
  const reading = { records, columns, input, parser, restore };
  return { format: "csv", columns, rows: () => readRows(reading) };
}

function unchanged(cell: string): string {
  return cell;
}

interface Reading {
  readonly records: AsyncIterator<string[]>;
  readonly columns: readonly string[];
  readonly input: TextInput;
  readonly parser: Parser;
  readonly restore: (cell: string) => string;
}

async function* readRows(reading: Reading): AsyncGenerator<CsvRow> {
  const { records, columns, input, parser, restore } = reading;
  const numberAt = columns.indexOf(bulkKeys.row);
  let count = 0;
  try {
    for (;;) {
      const found = await nextOf(records, input.path);
      if (found === undefined) return;
      const cells = restore === unchanged ? found : found.map(restore);
      count += 1;
      const given = numberAt === -1 ? Number.NaN : Number(cells[numberAt]);
      yield { number: Number.isSafeInteger(given) && given > 0 ? given : count, cells };
    }
  } finally {
    parser.destroy();
  }
}

async function nextOf(
  records: AsyncIterator<string[]>,
  path: string,
): Promise<string[] | undefined> {
  try {
    const next = await records.next();
    if (next.done === true) return undefined;
    if (next.value.length > cellsMax) throw tooManyCells(path);
    return next.value;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new OperatorError("input", `${path} is not CSV: ${error.message}.`, { cause: error });
  }
}

function tooManyCells(path: string): OperatorError {
  const count = cellsMax.toLocaleString("en");
  return new OperatorError(
    "input",
    `${path} has a row of more than ${count} cells; check that the file has the format that its name says.`,
  );
}
