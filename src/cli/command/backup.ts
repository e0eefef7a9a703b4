// `sluice backup`

import { readConfig } from "../../config.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import { defineCommand, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { requireOutputFile } from "../input/output-file.ts";
import { printTenths } from "../output/progress-tenths.ts";

export const backup = defineCommand({
  name: "backup",
  summary:
    "Copy the embedded store, as it is at one moment, into a new file while it is being served.",
  details:
    "The file appears under its name when it is whole and was checked; only its owner can read it. It holds neither the private " +
    "key of receipts nor the ledger of deletions, which have to be kept apart from it. While it is made, deletions wait to be " +
    "completed. If this is killed, the next command removes what it left. PostgreSQL is backed up with its own tools.",
  examples: ["sluice backup sluice-2026-03-01.db"],
  arguments: {
    file: required(text("FILE"), "The file to make; it must not exist, and its folder must."),
  },
  options: {},
  run: async (context, { file }) => {
    const advice = "Name another file, or remove it first.";
    requireOutputFile(file, { replace: false, advice });
    const { backUp } = await import("../../restore.ts");
    const config = readConfig(context.environment);
    const { operator } = context;
    const onProgress = printTenths(context, "copied");
    const bytes = await backUp(config, { file, operator, onProgress }).catch((cause: unknown) => {
      throw new OperatorError("backup", cause instanceof Error ? cause.message : String(cause), {
        cause,
      });
    });
    return { json: { file, bytes }, text: `The backup is in ${file}, ${bytes} bytes.` };
  },
});
