// The names of the formats of an export. Loads none of their code.

export const exportFormats = ["ndjson", "csv", "parquet"] as const;
export type ExportFormat = (typeof exportFormats)[number];
