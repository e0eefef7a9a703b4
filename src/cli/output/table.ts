// Aligned tables and lists for people to read. Colours depend on `paint` and never change the text or its alignment.

import { replaceControls } from "./control-characters.ts";
import { type Paint, plain, type Tone } from "./paint.ts";

/** The heading of a column, and what a row has there. `tone`: the colour of the cell; none if omitted or undefined. */
export type Column<Row> = readonly [
  title: string,
  cell: (row: Row) => string,
  options?: { readonly right?: true; readonly tone?: (row: Row) => Tone | undefined },
];

interface Cell {
  readonly text: string;
  readonly tone: Tone | undefined;
}

export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  paint: Paint = plain,
): string {
  const lines = [
    columns.map(([title]): Cell => ({ text: title, tone: undefined })),
    ...rows.map((row) =>
      columns.map(([, cell, options]): Cell => ({
        text: replaceControls(cell(row)),
        tone: options?.tone?.(row),
      })),
    ),
  ];
  const padded = columns.map(([, , { right = false } = {}], index) => {
    const cells = lines.map((line) => line[index]);
    const width = Math.max(...cells.map((cell) => (cell?.text ?? "").length));
    return cells.map((cell) => renderCell(cell, { width, right, paint }));
  });
  return lines
    .map((_, index) =>
      padded
        .map((cells) => cells[index])
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function renderCell(
  cell: Cell | undefined,
  { width, right, paint }: { width: number; right: boolean; paint: Paint },
): string {
  const { text = "", tone } = cell ?? {};
  const space = " ".repeat(width - text.length);
  const painted = tone === undefined ? text : paint(tone, text);
  return right ? space + painted : painted + space;
}

export type Field = readonly [name: string, value: string, tone?: Tone | undefined];

export function renderFields(fields: readonly Field[], paint: Paint = plain): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields
    .map(([name, value, tone]) => {
      const shown = replaceControls(value);
      return `${name.padEnd(width)}  ${tone === undefined ? shown : paint(tone, shown)}`;
    })
    .join("\n");
}

/** ISO 8601 in UTC; "-" for no time. */
export function formatTime(unixMs: number | undefined): string {
  return unixMs === undefined ? "-" : new Date(unixMs).toISOString();
}

export function timeOrNull(unixMs: number | undefined): string | null {
  return unixMs === undefined ? null : formatTime(unixMs);
}
