// Matches the columns of an input with a mapping and with the fields of a type.

import type { RecordType } from "../../../domain/record-type.ts";
import { adviseName, closestName } from "../../../domain/validation/suggest.ts";
import { OperatorError } from "../../../actions/operator/operator-error.ts";
import { shorten, shown } from "../../csv/csv-cell.ts";
import type { Mapping, Origin } from "./mapping.ts";
import { mappingError } from "../rows.ts";
import { inputError } from "../../csv/input-error.ts";

/** Columns with the name of a field map to it. Of several columns for a field, those that the input has count. */
export function withOwnNames(
  columns: readonly string[],
  { type, mapping }: { type: RecordType; mapping: Mapping },
): ReadonlyMap<string, Origin> {
  const mapped = new Set(Array.from(mapping.keys(), (path) => firstStep(path)));
  const own = columns.filter((column) => type.fieldNames.includes(column) && !mapped.has(column));
  const named = own.map((column) => [column, { column }] as const);
  const mappedTo = [...mapping].map(([path, origin]) => [path, present(columns, origin)] as const);
  return new Map<string, Origin>([...named, ...mappedTo]);
}

function present(columns: readonly string[], origin: Origin): Origin {
  if (!("column" in origin) || typeof origin.column === "string") return origin;
  const found = origin.column.filter((column) => columns.includes(column));
  return found.length === 0 ? origin : { ...origin, column: found };
}

/** `address` of `address.city`. */
export function firstStep(path = ""): string {
  return /^[^.[]*/.exec(path)?.[0] ?? path;
}

/** Throws OperatorError unless there is exactly one such column. */
export function findColumn(columns: readonly string[], column: string): number {
  const index = columns.indexOf(column);
  if (index === -1) {
    const meant = closestName(
      column,
      columns.map((name) => name.toLowerCase()),
    );
    const hint = columns.find((name) => name.toLowerCase() === meant);
    const advice = hint === undefined ? `it has: ${listNames(columns)}` : `did you mean ${hint}?`;
    throw mappingError(`The input has no column "${column}"; ${advice}`);
  }
  if (columns.lastIndexOf(column) === index) return index;
  throw mappingError(`The input has more than one column "${column}".`);
}

/** A file may have thousands of columns, and names of any length. */
export function listNames(columns: readonly string[], show = shorten): string {
  const namesMax = 100;
  const names = columns.slice(0, namesMax).map(show).join(", ");
  const more = columns.length - namesMax;
  return more > 0 ? `${names} and ${more.toLocaleString("en")} more` : names;
}

export type TypedColumns = ReadonlyMap<string, string | undefined>;

/**
 * Finds a column by its whole name, or by the part before the first dot. Throws OperatorError unless it can be read.
 */
export function requireColumn(columns: TypedColumns, name: string): string {
  const [outer = name] = name.split(".");
  const column = columns.has(name) || !columns.has(outer) ? name : outer;
  findColumn([...columns.keys()], column);
  const cellError = columns.get(column);
  if (cellError === undefined) return column;
  throw inputError(`The column "${column}" ${cellError}.`);
}

export function unknownColumns(type: RecordType, unused: readonly string[]): OperatorError {
  const [first = ""] = unused;
  return mappingError(
    `A ${type.resourceType} has no field ${listNames(unused, shown)}` +
      `${adviseName(first, type.fieldNames) || "."} Use --map to say where each field comes from; columns that ` +
      "are not mapped are then ignored.",
  );
}
