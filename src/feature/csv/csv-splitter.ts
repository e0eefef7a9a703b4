// Splits the text of CSV (RFC 4180), which arrives in pieces, into rows, and a row into cells. If several lines
// together are not CSV, the first of them is a row, and what follows is read again: no line more than twice.

const lineEnd = /\r\n|\n|\r/;

/** How many rows are returned at once: the lines of a row that is too long are rows too, and may be millions. */
const rowsAtOnceMax = 10_000;

export interface CsvLine {
  readonly text: string;
  /** The number of its line in the file, from 1; of its first one if it has several. */
  readonly line: number;
}

export interface SplitterOptions {
  readonly isRow: (text: string) => boolean;
  readonly charactersMax: number;
  /** Empty for none. */
  readonly quote?: string;
  readonly firstLine?: number;
}

export class CsvSplitter {
  readonly #options: SplitterOptions;
  /** What is not a complete row yet. */
  held = "";
  #line: number;
  #isQuoted = false;
  #hasQuote = false;

  constructor(options: SplitterOptions) {
    this.#options = options;
    this.#line = options.firstLine ?? 1;
  }

  /** The rows that end in this piece, without empty lines. Read them all before the next piece. */
  push(piece: string): Generator<readonly CsvLine[]> {
    return this.#split(piece, false);
  }

  end(): Generator<readonly CsvLine[]> {
    return this.#split("", true);
  }

  *#split(piece: string, isLast: boolean): Generator<readonly CsvLine[]> {
    const text = this.held + piece;
    // The last character that is held may be the first of a line end.
    let at = this.held.length - (this.held.endsWith("\r") && !this.#isQuoted ? 1 : 0);
    let rows: CsvLine[] = [];
    let from = 0;
    const { quote = '"' } = this.#options;
    let find = finderIn(text, quote);
    while (from < text.length) {
      const end = this.#findEnd(text, at, { find, isLast });
      const isCut = end === undefined && !isLast;
      if (isCut && text.length - from <= this.#options.charactersMax) break;
      let row = text.slice(from, end);
      const first = this.#hasQuote ? lineEnd.exec(row) : null;
      if (isCut && first === null) break;
      const isDamaged = first !== null && (isCut || !this.#options.isRow(row));
      if (isDamaged) {
        row = row.slice(0, first.index);
        at = from + first.index + first[0].length;
        find = finderIn(text, quote);
      } else at = end === undefined ? text.length : end + (text.startsWith("\r\n", end) ? 2 : 1);
      if (row !== "") rows.push({ text: row, line: this.#line });
      this.#line += isDamaged || first === null ? 1 : 1 + countLineEnds(row);
      this.#isQuoted = this.#hasQuote = false;
      from = at;
      if (rows.length < rowsAtOnceMax) continue;
      yield rows;
      rows = [];
    }
    this.held = text.slice(from);
    yield rows;
  }

  #findEnd(
    text: string,
    from: number,
    { find, isLast }: { readonly find: Finder; readonly isLast: boolean },
  ): number | undefined {
    for (let at = from; ;) {
      const quoteAt = find.quote(at);
      if (!this.#isQuoted) {
        const end = Math.min(find.lineFeed(at), find.carriageReturn(at));
        if (end < quoteAt) {
          const isOpen = !isLast && end === text.length - 1 && text.endsWith("\r");
          return isOpen ? undefined : end;
        }
      }
      if (quoteAt === Infinity) return undefined;
      this.#isQuoted = !this.#isQuoted;
      this.#hasQuote = true;
      at = quoteAt + 1;
    }
  }
}

/** One after another: a row may consist of millions of them. */
function countLineEnds(row: string): number {
  const lineEnds = new RegExp(lineEnd, "g");
  let count = 0;
  while (lineEnds.test(row)) count += 1;
  return count;
}

interface Finder {
  readonly quote: (from: number) => number;
  readonly lineFeed: (from: number) => number;
  readonly carriageReturn: (from: number) => number;
}

/** Each finds the next sign, or Infinity; positions may only increase. */
function finderIn(text: string, quote: string): Finder {
  const next = (sign: string) => {
    let found = -1;
    return (from: number): number => {
      if (found >= from) return found;
      const at = sign === "" ? -1 : text.indexOf(sign, from);
      return (found = at === -1 ? Infinity : at);
    };
  };
  return { quote: next(quote), lineFeed: next("\n"), carriageReturn: next("\r") };
}

export interface SplitOptions {
  readonly delimiter: string;
  readonly cellsMax: number;
  /** Empty for none. */
  readonly quote?: string;
}

/** The cells of a row, or the reason why it is not CSV; the row is the subject of that sentence. */
export function splitCells(
  text: string,
  { delimiter, cellsMax: max, quote = '"' }: SplitOptions,
): readonly string[] | string {
  if (quote === "" || !text.includes(quote)) {
    const cells = text.split(delimiter, max + 1);
    return cells.length > max ? tooMany(max) : cells;
  }
  const cells: string[] = [];
  for (let at = 0; ; at += delimiter.length) {
    if (cells.length === max) return tooMany(max);
    const isQuoted = text.startsWith(quote, at);
    const end = isQuoted ? endOfQuoted(text, at + 1, quote) : text.indexOf(delimiter, at);
    if (isQuoted && end === -1) return "has a quote that is not closed";
    const next = end === -1 ? text.length : end;
    const cell = isQuoted ? text.slice(at + 1, next - 1) : text.slice(at, next);
    if (isQuoted) cells.push(cell.replaceAll(quote + quote, quote));
    else if (cell.includes(quote)) return "has a quote inside a cell that does not begin with one";
    else cells.push(cell);
    if (next === text.length) return cells;
    if (!text.startsWith(delimiter, next)) return "has text after the quote that closes a cell";
    at = next;
  }
}

function endOfQuoted(text: string, from: number, quote: string): number {
  for (let at = from; ; at += 2) {
    at = text.indexOf(quote, at);
    if (at === -1) return -1;
    if (text.charAt(at + 1) !== quote) return at + 1;
  }
}

function tooMany(max: number): string {
  return `has more than ${max.toLocaleString("en")} cells`;
}
