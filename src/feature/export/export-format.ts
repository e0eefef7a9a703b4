// The names of the formats of an export. Loads none of their code.

import { formatByEnding } from "../../bulk/formats/compression.ts";

export const exportFormats = ["ndjson", "csv", "parquet"] as const;
export type ExportFormat = (typeof exportFormats)[number];

const formatsByEnding: Readonly<Record<string, ExportFormat>> = {
  ndjson: "ndjson",
  jsonl: "ndjson",
  csv: "csv",
  parquet: "parquet",
};

export function formatOfOutput(name: string): ExportFormat | undefined {
  return formatByEnding(name, formatsByEnding);
}
