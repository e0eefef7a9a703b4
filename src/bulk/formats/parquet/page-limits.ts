// Bounds of a page of a Parquet file in memory. Most programs write pages of a megabyte or of 20,000 rows. The largest
// known pages are those of DuckDB, 122,880 rows, and of Arrow, a whole row group if each value is an index or a
// boolean.

export const pageLimits = {
  /** The size compressed, decompressed, and as the values that it stands for. */
  bytesMax: 16 * 1_024 * 1_024,
  headerBytesMax: 2 * 1_024 * 1_024,
  /** Values in the header. */
  headerValuesMax: 1_000,
  /** Values that share their memory: indexes into a dictionary, or booleans. */
  valuesMax: 1_048_576,
  /** Values that each have their own memory, dictionary entries included, and nested values. */
  objectsMax: 262_144,
  blockPartsMax: 4_096,
  paddingMax: 512,
} as const;
