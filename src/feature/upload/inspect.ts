// Inspects the beginning of an uploaded file: its columns, and its first rows as the records that an import would
// store, with their errors. An unsuitable mapping is part of the result, so that it can be corrected. Writes nothing.

import type { FieldError } from "../../domain/error.ts";
import { closestName } from "../../domain/validation/suggest.ts";
import { OperatorError, UsageError } from "../../actions/operator/operator-error.ts";
import { type Layout, readLayout } from "../csv/layout.ts";
import { type Row, type RowInput, rowsOf } from "../csv/row.ts";
import { isTooLong } from "../csv/record-characters.ts";
import { openText, type TextInput } from "../csv/text-input.ts";
import type { ImportPlan } from "../import/import-file.ts";
import { makeRowMapper } from "../import/map/map-row.ts";
import {
  type Mapping,
  type MappingFile,
  presetNames,
  readItemsOrFile,
  readPreset,
} from "../import/map/mapping.ts";
import { checkRow } from "../import/check-file.ts";
import {
  choosable,
  chooseByName,
  columnsIn,
  type ColumnChoice,
  type MappingChoice,
  toMapping,
} from "./column-choice.ts";
import { inputError } from "../csv/input-error.ts";

export interface InspectedColumn extends ColumnChoice {
  readonly samples: readonly string[];
  readonly isInPreset: boolean;
  readonly meant: string | undefined;
}

export interface InspectedRow {
  readonly row: number;
  readonly records: readonly (readonly (readonly [field: string, value: string])[])[];
  readonly errors: readonly FieldError[];
}

export interface Inspection {
  readonly preset: string;
  readonly layout: Layout;
  readonly detected: Layout;
  readonly columns: readonly InspectedColumn[];
  readonly more: string;
  readonly rows: readonly InspectedRow[];
  /** Undefined if the choice is invalid; then `problem` says why. */
  readonly mapping: Mapping | undefined;
  readonly problem: string | undefined;
}

type InspectionPlan = Omit<ImportPlan, "mapping" | "layout">;

const rowsShown = 5;
const samplesShown = 3;
const charactersShown = 80;
export const columnsMax = 300;
/** Bounds the time of an inspection, for which others wait: a small file may decode to any number of blank lines. */
const beginningCharactersMax = 64 * 1_024 * 1_024;

/** If `choice` is undefined, columns are chosen by name. Throws OperatorError for a file that can't be read. */
export async function inspectFile(
  file: string,
  plan: InspectionPlan,
  choice: MappingChoice | undefined,
): Promise<Inspection> {
  const preset = readChosen(choice?.preset ?? "");
  const own = readLayout(choice?.layout ?? {}, (why) => {
    return new OperatorError("invalid", `The layout of the file is not valid: ${why}.`);
  });
  const layout = { ...preset.layout, ...layoutIn(choice?.more ?? ""), ...own };
  const input = await plan.openRows(beginningOf(openText(file)), { ...plan, layout });
  const rows = await readFirst(input);
  if (rows.length === 0) throw inputError(`${file} has no rows.`);
  const names = choosable(columnsOf(input, rows));
  requireFewColumns(file, names);
  const made = { type: plan.type, preset: preset.mapping, isCsv: input.format === "csv" };
  const chosen = chooseByName(names, made, choice);
  const read = columnsIn(preset.mapping);
  const columns = names.map((column) => {
    const samples = rows.map((row) => valueIn(row, column, input.columns));
    return {
      ...describeColumn(column, chosen, plan.type.fieldNames),
      samples: samples.filter((value) => value !== "").slice(0, samplesShown),
      isInPreset: read.has(column),
    };
  });
  const { more, preset: name } = chosen;
  const view = { preset: name, layout, detected: input.detected ?? {}, columns, more };
  try {
    const mapping = toMapping(chosen, made);
    const mapper = makeRowMapper(input, { ...plan, mapping, layout });
    const shown = rows.map((row) => {
      const { records, errors } = checkRow(plan, mapper.map(row));
      return { row: row.number, records: records.map(describeRecord), errors };
    });
    return { ...view, rows: shown, mapping, problem: undefined };
  } catch (error) {
    if (!(error instanceof OperatorError) || error.errorName === "input") throw error;
    return { ...view, rows: [], mapping: undefined, problem: error.message };
  }
}

/** What is wrong with the text is said beside the columns. */
function layoutIn(more: string): Layout {
  try {
    return readItemsOrFile(more).layout;
  } catch (error) {
    if (error instanceof OperatorError || error instanceof UsageError) return {};
    throw error;
  }
}

function readChosen(preset: string): MappingFile {
  if (preset === "") return { mapping: new Map(), layout: {} };
  if (presetNames.some((name) => name === preset)) return readPreset(preset);
  throw new OperatorError("invalid", "There is no such preset. Choose one of the list.");
}

function requireFewColumns(file: string, names: readonly string[]): void {
  if (names.length <= columnsMax) return;
  const count = names.length.toLocaleString("en");
  throw inputError(`${file} has ${count} columns; at most ${columnsMax} can be.`);
}

function beginningOf(text: TextInput): TextInput {
  return {
    ...text,
    read: async function* (encoding) {
      let characters = 0;
      for await (const piece of text.read(encoding)) {
        characters += piece.length;
        if (characters > beginningCharactersMax) {
          throw inputError(
            `${text.path} has no ${rowsShown} rows in its first ${beginningCharactersMax} characters.`,
          );
        }
        yield piece;
      }
    },
  };
}

async function readFirst(input: RowInput): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const row of rowsOf(input)) {
    rows.push(row);
    // All rows are in memory together here.
    if (rows.length >= rowsShown || isTooLong(rows)) break;
  }
  return rows;
}

function columnsOf({ columns }: RowInput, rows: readonly Row[]): readonly string[] {
  if (columns !== undefined) return columns;
  return rows.flatMap((row) => ("fields" in row ? Object.keys(row.fields) : []));
}

function describeColumn(
  column: string,
  { columns }: MappingChoice,
  fieldNames: readonly string[],
): Omit<InspectedColumn, "isInPreset" | "samples"> {
  const { field = "", time = "" } = columns.find((one) => one.column === column) ?? {};
  const word = column.toLowerCase();
  const within = fieldNames.find((name) => name.split("_").includes(word));
  const meant = field === "" ? (within ?? closestName(word, fieldNames)) : undefined;
  return { column, field, time, meant };
}

function valueIn(row: Row, column: string, columns: readonly string[] = []): string {
  if ("cells" in row) return cut(row.cells[columns.indexOf(column)] ?? "");
  return "fields" in row ? describeValue(row.fields[column]) : "";
}

function describeRecord(record: object): readonly (readonly [string, string])[] {
  return Object.entries(record).map(([field, value]) => [cut(field), describeValue(value)]);
}

function describeValue(value: unknown): string {
  if (value === undefined) return "";
  return cut(typeof value === "string" ? value : JSON.stringify(value));
}

function cut(text: string): string {
  return text.length > charactersShown ? `${text.slice(0, charactersShown)}…` : text;
}
