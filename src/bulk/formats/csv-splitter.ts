// Splits the text of CSV (RFC 4180), which arrives in pieces, into the texts of its rows, and the text of a row into
// cells.

const quote = '"';

/**
 * Splits text that arrives in pieces into the texts of its rows. A row ends where a line ends outside quotes; all lines
 * end as the first does: in CR LF, LF or CR.
 */
export class CsvSplitter {
  #lineEnd: string | undefined;
  #held = "";
  #isQuoted = false;

  /** Characters of the row that is not complete yet. */
  get heldCharacters(): number {
    return this.#held.length;
  }

  /** The rows that end in this piece, without empty lines. */
  push(piece: string): readonly string[] {
    const text = this.#held + piece;
    // The last character that is held may be the first of a line end.
    let at = Math.max(0, this.#held.length - (this.#held.endsWith("\r") ? 1 : 0));
    const rows: string[] = [];
    let from = 0;
    let lineEndAt = -1;
    let quoteAt = text.indexOf(quote, at);
    for (;;) {
      if (this.#isQuoted) {
        if (quoteAt === -1) break;
      } else {
        if (lineEndAt < at) lineEndAt = this.#findLineEnd(text, at, quoteAt);
        if (lineEndAt >= at && lineEndAt < Infinity && (quoteAt === -1 || lineEndAt < quoteAt)) {
          if (lineEndAt > from) rows.push(text.slice(from, lineEndAt));
          from = at = lineEndAt + (this.#lineEnd?.length ?? 1);
          continue;
        }
        if (quoteAt === -1) break;
      }
      this.#isQuoted = !this.#isQuoted;
      at = quoteAt + 1;
      quoteAt = text.indexOf(quote, at);
    }
    this.#held = text.slice(from);
    return rows;
  }

  /** The last row, if no line end follows it. */
  end(): readonly string[] {
    const last = this.#held;
    this.#held = "";
    // A single CR at the end of the input could not be recognized as a line end before.
    const text = this.#lineEnd === undefined && last.endsWith("\r") ? last.slice(0, -1) : last;
    return text === "" ? [] : [text];
  }

  /** Infinity if there is none; -1 if none is known yet, and none precedes the quote. */
  #findLineEnd(text: string, from: number, quoteAt: number): number {
    if (this.#lineEnd === undefined) {
      const unquoted = text.slice(from, quoteAt === -1 ? text.length : quoteAt + 1);
      [this.#lineEnd] = /\r\n|\n|\r(?!$)/.exec(unquoted) ?? [];
    }
    if (this.#lineEnd === undefined) return -1;
    const found = text.indexOf(this.#lineEnd, from);
    return found === -1 ? Infinity : found;
  }
}

/** The cells of a row, or the reason why it is not CSV; the row is the subject of that sentence. */
export function splitCells(
  text: string,
  { delimiter, cellsMax: max }: { readonly delimiter: string; readonly cellsMax: number },
): readonly string[] | string {
  if (!text.includes(quote)) {
    const cells = text.split(delimiter, max + 1);
    return cells.length > max ? "too many" : cells;
  }
  const cells: string[] = [];
  for (let at = 0; ; at += delimiter.length) {
    if (cells.length === max) return "too many";
    const isQuoted = text.startsWith(quote, at);
    const end = isQuoted ? endOfQuoted(text, at + 1) : text.indexOf(delimiter, at);
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

/** The position after the closing quote; -1 if there is none. */
function endOfQuoted(text: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = text.indexOf(quote, at);
    if (at === -1) return -1;
    if (text.charAt(at + 1) !== quote) return at + 1;
  }
}
