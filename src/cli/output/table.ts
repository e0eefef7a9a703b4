// Aligned tables and lists for people to read.

import type { Node } from "../../domain/deletion/erasure.ts";
import { replaceControls } from "./control-characters.ts";

/** The heading of a column, and what a row has there. */
export type Column<Row> = readonly [
  title: string,
  cell: (row: Row) => string,
  options?: { readonly right?: true },
];

export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, cell]) => replaceControls(cell(row)))),
  ];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const pad = (text: string, at: number): string => {
    const width = widths[at] ?? 0;
    return columns[at]?.[2]?.right === true ? text.padStart(width) : text.padEnd(width);
  };
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n");
}

export type Field = readonly [name: string, value: string | undefined];

/** Fields without a value are left out. */
export function renderFields(fields: readonly Field[]): string {
  const shown = fields.filter((field): field is [string, string] => field[1] !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown
    .map(([name, value]) => `${name.padEnd(width)}  ${replaceControls(value)}`)
    .join("\n");
}

/** ISO 8601 in UTC; "-" for no time. */
export function formatTime(unixMs: number | undefined): string {
  return unixMs === undefined ? "-" : new Date(unixMs).toISOString();
}

export function timeOrNull(unixMs: number | undefined): string | null {
  return unixMs === undefined ? null : formatTime(unixMs);
}

export function viewNode({ type, id }: Node) {
  return { resource_type: type, resource_id: id };
}

export function describeNodes(title: string, nodes: readonly Node[]): readonly string[] {
  if (nodes.length === 0) return [];
  return [title, ...nodes.map(({ type, id }) => `  ${replaceControls(`${type} ${id}`)}`)];
}

export function formatCounts(
  counts: Readonly<Partial<Record<string, number>>>,
  none = "only references",
): string {
  const list = Object.entries(counts).map(([type, count]) => `${count} ${type}`);
  return list.length === 0 ? none : list.join(", ");
}
