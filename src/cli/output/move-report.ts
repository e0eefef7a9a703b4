// The result of a move, and what the operator has to do next.

import type { Moved } from "../../process/move.ts";
import { formatSeconds } from "./bulk-progress.ts";
import type { CommandResult } from "../command.ts";

export function reportMove(moved: Moved, seconds: number): CommandResult {
  const { storeId, rows, rowsBefore, summary, files } = moved;
  const json = {
    store_id: storeId,
    rows,
    rows_copied_before: rowsBefore,
    seconds: Number(seconds.toFixed(3)),
    tables: summary,
    take_along: { receipt_key: files.receiptKey ?? null, ledger: files.ledger ?? null },
    left_behind: files.storeFile,
  };
  const tables = Object.keys(summary).length;
  const text = [
    `Moved ${rows.toLocaleString("en")} rows of ${storeId} in ${formatSeconds(seconds)}. Counts and digests of all ${tables} ` +
      "tables are equal on both sides.",
    "",
    "Next steps:",
    ...describeSteps(moved).map((step, index) => `${index + 1}. ${step}`),
  ].join("\n");
  return { json, text };
}

function describeSteps({ files }: Moved): readonly string[] {
  const along = [
    ...printFile(files.receiptKey, "the private key that signs receipts"),
    ...printFile(files.ledger, "the ledger of deletions"),
  ];
  return [
    "Set DATABASE_URL to the database wherever Sluice runs.",
    ...(along.length === 0
      ? []
      : [
          [
            "Keep these files, which are not in the database: set DATA_DIR to their folder, or copy them to the one that is " +
              "used from now on (./data unless DATA_DIR is set):",
            ...along,
          ].join("\n"),
        ]),
    `Never serve ${files.storeFile} again. Delete it and its backups once the service runs: they still contain what is erased ` +
      "from now on.",
  ];
}

function printFile(path: string | undefined, what: string): readonly string[] {
  return path === undefined ? [] : [`   ${path} (${what})`];
}
