// The columns of export files and of files of refused rows that are no fields of a record. `sluice import` recognises them;
// no field has such a name.

export const bulkKeys = {
  /** In a history: which change of its record this is, from 1. */
  change: "sluice_change",
  /** In a history: when the change arrived. Not read back. */
  receivedAt: "sluice_received_at",
  /** In a state: the changes to send instead, where no single one would be taken. */
  changes: "sluice_changes",
  /** In Parquet, which does not distinguish null from a missing value: the fields that are null. */
  nulls: "sluice_nulls",
  /** In refused rows: which row of the first input it was, from 1. */
  row: "sluice_row",
  /** In refused rows: why. Not read back. */
  code: "sluice_code",
  reason: "sluice_reason",
  /** In refused rows: one that could not be read at all. Read back in place of the row, once it is mended. */
  text: "sluice_text",
} as const;

const all: ReadonlySet<string> = new Set(Object.values(bulkKeys));

export function isBulkKey(name: string): boolean {
  return all.has(name);
}
