// Columns of exports and of files of refused rows that are not fields of a record. An import knows them.

export const bulkKeys = {
  /** In a history: the number of the change within its record, from 1. */
  change: "sluice_change",
  /** In a history: when the change arrived. Ignored by an import. */
  receivedAt: "sluice_received_at",
  /** In a state: the changes to send instead, if no single record would give this state. */
  changes: "sluice_changes",
  /** In Parquet, which does not distinguish null from a missing value: the names of the fields that are null. */
  nulls: "sluice_nulls",
  /** In refused rows: the number of the row in the first input, from 1. */
  row: "sluice_row",
  /** In refused rows: the reason. Ignored by an import. */
  code: "sluice_code",
  reason: "sluice_reason",
  /** In refused rows: the text of a row that could not be parsed. An import reads it in place of the row. */
  text: "sluice_text",
} as const;

const all: ReadonlySet<string> = new Set(Object.values(bulkKeys));

export function isBulkKey(name: string): boolean {
  return all.has(name);
}
