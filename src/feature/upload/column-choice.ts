// The choice of a person which column of an uploaded file goes to which field of a record, and the resulting mapping.
// The first choice is by name; nothing is guessed except for case and spaces.

import type { RecordType } from "../../domain/record-type.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { isBulkKey } from "../../bulk/formats/bulk-keys.ts";
import { firstStep } from "../import/map/column-names.ts";
import { type Mapping, type Origin, readItemsOrFile } from "../import/map/mapping.ts";
import { mappingError } from "../import/rows.ts";

export interface ColumnChoice {
  readonly column: string;
  /** A path in the record; empty for a column that is not imported. */
  readonly field: string;
  /** The format of a time or a number (cell-reader.ts); empty for the one of exports. */
  readonly time: string;
}

export interface MappingChoice {
  /** The name of a preset, which the others override; empty for none. */
  readonly preset: string;
  readonly layout: Readonly<Record<string, unknown>>;
  /** Columns that are not among them are chosen by name. */
  readonly columns: readonly ColumnChoice[];
  /** Items as in `--map`, or a mapping file. */
  readonly more: string;
}

export function choosable(columns: readonly string[]): readonly string[] {
  return [...new Set(columns)].filter((column) => column !== "" && !isBulkKey(column));
}

const noChoice: MappingChoice = { preset: "", layout: {}, columns: [], more: "" };

/** Maps the first column with the name of a field, apart from case and spaces, to it, unless the preset maps it. */
export function chooseByName(
  columns: readonly string[],
  { type, preset }: { readonly type: RecordType; readonly preset: Mapping },
  { columns: given, ...choice }: MappingChoice = noChoice,
): MappingChoice {
  const chosen = new Map(given.map((one) => [one.column, one]));
  const free = new Set(type.fieldNames).difference(namedIn(preset));
  for (const { field } of given) free.delete(field);
  const fieldOf = (column: string): string => {
    const field = [column, plain(column)].find((name) => free.has(name)) ?? "";
    free.delete(field);
    return field;
  };
  const byName = (column: string) => ({ column, field: fieldOf(column), time: "" });
  const others = given.filter(({ column, field }) => field !== "" && !columns.includes(column));
  return {
    ...choice,
    columns: [...columns.map((column) => chosen.get(column) ?? byName(column)), ...others],
  };
}

function plain(column: string): string {
  return column
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
}

/** Throws OperatorError that names the field or the column. `isCsv`: rows are cells, not objects. */
export function toMapping(
  { columns, more }: MappingChoice,
  {
    type,
    preset,
    isCsv,
  }: { readonly type: RecordType; readonly preset: Mapping; readonly isCsv: boolean },
): Mapping {
  const own = new Map<string, Origin>();
  for (const { column, field, time } of columns) {
    if (field === "") continue;
    const other = own.get(field);
    if (other !== undefined && "column" in other)
      throw mappedTwice(field, String(other.column), column);
    own.set(field, time === "" ? { column } : { column, format: time });
  }
  const isOwn = [...own].every(([field, origin]) => isPlain(field, origin));
  const allChosen = columns.every(({ field }) => field !== "");
  const mapping = new Map([...preset, ...own, ...readItemsOrFile(more).mapping]);
  if (mapping.size === 0) {
    throw mappingError("No column is mapped to a field. Choose a field for each.");
  }
  // Objects with the names of fields are sent unchanged, including fields that the first rows don't have.
  const isAlone = preset.size === 0 && more.trim() === "";
  if (!isCsv && isOwn && allChosen && isAlone) return new Map();
  const named = namedIn(mapping);
  for (const { column, field } of columns) {
    const isField = type.fieldNames.includes(column);
    // Its name alone would map it otherwise.
    if (field === "" && isField && !named.has(column)) mapping.set(column, { value: undefined });
  }
  return mapping;
}

function namedIn(mapping: Mapping): ReadonlySet<string> {
  return new Set([...mapping.keys()].map(firstStep));
}

export function columnsIn(mapping: Mapping): ReadonlySet<string> {
  const columns = [...mapping.values()].flatMap((origin) => {
    if ("column" in origin) return origin.column;
    if ("filled" in origin) return Object.keys(origin.filled);
    if (!("template" in origin)) return [];
    return origin.template.match(/(?<=\{)[^{}]+(?=\})/g) ?? [];
  });
  return new Set(columns);
}

function isPlain(field: string, origin: Origin): boolean {
  return "column" in origin && origin.column === field && origin.format === undefined;
}

function mappedTwice(field: string, one: string, other: string): OperatorError {
  return mappingError(
    `The columns "${one}" and "${other}" are both mapped to ${field}. Choose one of them.`,
  );
}
