// Writes lines of CSV that spreadsheets open without executing a cell.

/** The beginnings of cells that spreadsheets execute, and of cells that were protected from this. */
const formulaLike = /^'*[=+\-@\t\r]/;
const plainNumber = /^[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?$/;

/** Puts an apostrophe before a cell that a spreadsheet would take for a formula; numbers stay as they are. */
export function protectFormula(cell: string): string {
  return cell !== "" && formulaLike.test(cell) && !plainNumber.test(cell) ? `'${cell}` : cell;
}

/** A line of CSV (RFC 4180, but ending in LF). */
export function writeRow(cells: readonly string[], delimiter = ","): string {
  return `${cells.map((cell) => quote(cell, delimiter)).join(delimiter)}\n`;
}

function quote(cell: string, delimiter: string): string {
  if (cell === "") return cell;
  const needed = /["\r\n]|^\s|\s$|^\ufeff/.test(cell) || cell.includes(delimiter);
  return needed ? `"${cell.replaceAll('"', '""')}"` : cell;
}
