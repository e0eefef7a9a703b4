// The columns of an export as CSV and as Parquet.

import type { ExportedEvent } from "../../actions/record/export-records.ts";
import { bulkKeys } from "../../bulk/formats/bulk-keys.ts";
import { type CellKind, cellKindOf } from "../../bulk/formats/csv-cell.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";
import type { SchemaShape } from "../../domain/schema/schema-shape.ts";
import type { ExportedState } from "./export-states.ts";

export interface Column<Item> {
  readonly name: string;
  /** `instant`: Unix milliseconds. `nulls`: the names of fields, for Parquet, which does not tell null from nothing. */
  readonly kind: CellKind | "count" | "instant" | "nulls";
  readonly valueOf: (item: Item) => unknown;
}

export function stateColumns(type: RecordType): readonly Column<ExportedState>[] {
  return [
    ...fieldColumns(type, ({ state }: ExportedState) => state),
    { name: bulkKeys.changes, kind: "json", valueOf: ({ changes }) => changes },
  ];
}

export function historyColumns(type: RecordType): readonly Column<ExportedEvent>[] {
  return [
    { name: bulkKeys.change, kind: "count", valueOf: ({ number }) => number },
    { name: bulkKeys.receivedAt, kind: "instant", valueOf: ({ receivedAt }) => receivedAt },
    ...fieldColumns(type, ({ payload }: ExportedEvent) => payload),
  ];
}

function fieldColumns<Item>(
  { addSchema, fieldNames }: RecordType,
  fieldsOf: (item: Item) => Payload,
): readonly Column<Item>[] {
  const { properties }: SchemaShape = addSchema;
  const fields = fieldNames.map((name): Column<Item> => {
    const kind = cellKindOf(properties?.[name] ?? {});
    return { name, kind, valueOf: (item) => fieldsOf(item)[name] };
  });
  const nulls: Column<Item> = {
    name: bulkKeys.nulls,
    kind: "nulls",
    valueOf: (item) => namesOfNulls(fieldsOf(item)),
  };
  return [...fields, nulls];
}

function namesOfNulls(fields: Payload): readonly string[] | undefined {
  const names = Object.keys(fields).filter((name) => fields[name] === null);
  return names.length === 0 ? undefined : names;
}
