// Aligned tables and lists for people to read. Never colours, so that piped output is the same as what a terminal shows.

export interface Column<Row> {
  readonly title: string;
  readonly right?: boolean;
  readonly cell: (row: Row) => string;
}

/** A line of titles, then a line per row, with two spaces between columns. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map((column) => column.title),
    ...rows.map((row) => columns.map((column) => printable(column.cell(row)))),
  ];
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((cells) => (cells[index] ?? "").length)),
  );
  return lines.map((cells) => renderLine(columns, cells, widths)).join("\n");
}

function renderLine<Row>(
  columns: readonly Column<Row>[],
  cells: readonly string[],
  widths: readonly number[],
): string {
  const padded = cells.map((cell, index) => {
    const width = widths[index] ?? 0;
    return columns[index]?.right === true ? cell.padStart(width) : cell.padEnd(width);
  });
  return padded.join("  ").trimEnd();
}

/** One line per name and value, with the values aligned. */
export function renderFields(fields: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`).join("\n");
}

/** ISO 8601 in UTC; "-" for no time. */
export function formatTime(unixMs: number | undefined): string {
  return unixMs === undefined ? "-" : new Date(unixMs).toISOString();
}

/** The same for JSON. */
export function timeOrNull(unixMs: number | undefined): string | null {
  return unixMs === undefined ? null : formatTime(unixMs);
}

/** Replaces control characters, so that text from outside can't move the cursor or forge a line. */
function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "\uFFFD");
}
