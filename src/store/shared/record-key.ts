// The key of a record in a row, and as the columns of a multi-row statement. Reads nothing.

import { limits } from "../../domain/limits.ts";
import { keyText, type RecordKey } from "../../domain/record/record-write.ts";

/** The three key columns of a row. */
export interface KeyRow {
  readonly organization_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
}

/** The number is null where no plan has it, as on PostgreSQL. */
export interface NumberedKey extends RecordKey {
  readonly recordNo: number | null;
}

/** Greater than the name of every record type. */
export const afterAllTypes = "~";

/** No id of a record is greater. */
export const lastId = "\u{10ffff}".repeat(limits.idCharactersMax);

/** The key in the order of the columns. */
export function keyValues({ organizationId, resourceType, resourceId }: RecordKey) {
  return [organizationId, resourceType, resourceId] as const;
}

export function rowKeyText(row: KeyRow): string {
  return keyText(toKey(row));
}

/** Returns one array for each column, in the order of the keys. */
export function keyColumns(keys: readonly RecordKey[]): [string[], string[], string[]] {
  return [
    keys.map(({ organizationId }) => organizationId),
    keys.map(({ resourceType }) => resourceType),
    keys.map(({ resourceId }) => resourceId),
  ];
}

export function toKey(row: KeyRow): RecordKey {
  return {
    organizationId: row.organization_id,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
  };
}

/** Each key once. */
export function uniqueKeys(rows: readonly KeyRow[]): readonly RecordKey[] {
  return [...new Map(rows.map((row) => [rowKeyText(row), toKey(row)])).values()];
}

/** Each key once, with the number of its record if one of the rows has it. */
export function numberedKeys(
  rows: readonly (KeyRow & { readonly record_no?: number | null })[],
): readonly NumberedKey[] {
  const keys = new Map<string, NumberedKey>();
  for (const row of rows) {
    const recordNo = row.record_no ?? null;
    const text = rowKeyText(row);
    if (recordNo !== null || !keys.has(text)) keys.set(text, { ...toKey(row), recordNo });
  }
  return [...keys.values()];
}
