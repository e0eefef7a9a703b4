// What a move came to, and what its operator has to do next. Does none of it.

import type { Moved } from "../move.ts";
import { formatSeconds } from "./bulk-progress.ts";
import type { CommandResult } from "./command.ts";

export function reportMove(moved: Moved, seconds: number): CommandResult {
  const { storeId, rows, rowsBefore, summary, files } = moved;
  const json = {
    store_id: storeId,
    rows,
    rows_copied_before: rowsBefore,
    seconds: Number(seconds.toFixed(3)),
    tables: summary,
    take_along: { receipt_key: files.receiptKey ?? null, ledger: files.ledger ?? null },
    left_behind: files.store,
  };
  const tables = Object.keys(summary).length;
  const text = [
    `Moved ${rows.toLocaleString("en")} rows of ${storeId} in ${formatSeconds(seconds)}. Counts and digests of all ${tables} ` +
      "tables are equal on both sides.",
    "",
    "What is left to do:",
    ...describeSteps(moved).map((step, index) => `${index + 1}. ${step}`),
  ].join("\n");
  return { json, text };
}

function describeSteps({ files }: Moved): readonly string[] {
  const along = [
    ...tellFile(files.receiptKey, "the private key that signs receipts"),
    ...tellFile(files.ledger, "the ledger of deletions"),
  ];
  return [
    "Set DATABASE_URL to the database, wherever Sluice runs from now on.",
    ...(along.length === 0
      ? []
      : [
          [
            "Take along what no database holds. With another DATABASE_URL, DATA_DIR is ./data unless it is set: set it to " +
              "where these files are, or copy them there:",
            ...along,
          ].join("\n"),
        ]),
    `Never serve ${files.store} again, and remove it, with its backups, once the service runs: what is erased from now on ` +
      "is still in it.",
  ];
}

function tellFile(path: string | undefined, what: string): readonly string[] {
  return path === undefined ? [] : [`   ${path} (${what})`];
}
