// `sluice backup`

import { OperatorError } from "../../actions/operator/operator-error.ts";
import { readConfig } from "../../settings/config.ts";
import { defineCommand, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { requireOutputFile } from "../input/output-file.ts";
import { printTenths } from "../output/bulk-progress.ts";

export const backup = defineCommand({
  name: "backup",
  summary: "Copy a snapshot of the embedded store into a new file while it is in service.",
  details:
    "The file gets its name when it is complete and verified; only its owner can read it. It contains neither the private " +
    "key that signs receipts nor the ledger of deletions; back these up separately. Deletions are not completed while the " +
    "backup runs. If the backup is killed, the next command removes the unfinished file. Use PostgreSQL's own tools to back " +
    "up PostgreSQL.",
  examples: ["sluice backup sluice-2026-03-01.db"],
  rights: ["store.backup"],
  arguments: {
    file: required(text("FILE"), "The file to create; it must not exist, but its folder must."),
  },
  run: async (context, { file }) => {
    const advice = "Name another file, or remove this one first.";
    requireOutputFile(file, { replace: false, advice });
    const { backUp } = await import("../../process/restore.ts");
    const { operator, as } = context;
    const onProgress = printTenths(context, "copied");
    const bytes = await backUp(readConfig(context.environment), {
      file,
      operator,
      as,
      onProgress,
    }).catch((cause: unknown) => {
      throw cause instanceof OperatorError ? cause : OperatorError.from("backup", cause);
    });
    return { json: { file, bytes }, text: `The backup is in ${file}, ${bytes} bytes.` };
  },
});
