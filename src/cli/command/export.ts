// `sluice export`

import { exportFormats } from "../../bulk/formats/export-format.ts";
import { defineCommand, flag, optional, required, withDefault } from "../command.ts";
import { choice, moment, recordType, text } from "../input/kinds.ts";

export const exportRecords = defineCommand({
  name: "export",
  summary: "Export all records of a type: their latest states, or every change.",
  details:
    "Exports a snapshot as of its start, while writes continue; records that are erased in the meantime may be missing. " +
    "Writes to standard output, or with `--output` to a file that gets its name only when it is complete. The endings .gz, " +
    ".br and .zst compress NDJSON and CSV; Parquet is compressed internally. `sluice import` turns the output into the " +
    "same states again. The audit trail records who exported what, and when.",
  examples: [
    "sluice export transaction --organization acme > transactions.ndjson",
    "sluice export person --organization acme --history --output persons.csv.gz",
    "sluice export transaction --organization acme --output transactions.parquet",
    "sluice export transaction --organization acme --from 2026-01-01 --to 2026-02-01 --test exclude --format csv",
  ],
  rights: ["records.export"],
  arguments: { type: required(recordType, "Record type, such as transaction.") },
  options: {
    organization: required(text("ID"), "Organization that the records belong to."),
    output: optional(text("FILE"), "File to write. Default: standard output."),
    format: optional(
      choice("FORMAT", exportFormats),
      `${exportFormats.join(", ")}. Default: by the ending of the output file, or ndjson on standard output.`,
    ),
    force: flag("Replace the output file if it exists."),
    spreadsheet: flag(
      "Put an apostrophe before cells of CSV that a spreadsheet would execute as formulas. Not for a later import.",
    ),
    history: flag("Every change in order of arrival, instead of the latest states."),
    from: optional(moment, "Only records with this timestamp (business time) or a later one."),
    to: optional(moment, "Only records with an earlier timestamp than this."),
    test: withDefault(
      choice("WHICH", ["include", "exclude", "only"] as const),
      "Whether to export records that are marked as tests: include, exclude or only.",
      "include",
    ),
  },
  run: async (context, given) => {
    const { exportToFile } = await import("../export-to-file.ts");
    return exportToFile(context, given);
  },
});
