// `sluice receipt export`

import { exportReceipts } from "../../actions/browse-receipts.ts";
import { defineStoreCommand } from "../command.ts";
import { entryOptions, writeEntries } from "../output/write-entries.ts";

export const receiptExport = defineStoreCommand({
  name: "receipt export",
  summary: "Print the receipts of completed deletions as NDJSON, in the order of their chain.",
  details:
    "`sluice receipt verify` reads the output, and so does `sluice deletion replay --ledger` after a restore. Stored outside " +
    "the database server, the output is a ledger that a restore of the database does not roll back.",
  examples: ["sluice receipt export > receipts.ndjson", "sluice receipt export --after 1200"],
  rights: ["receipt.read"],
  options: entryOptions,
  restoring: true,
  run: (app, { organization, after }, { out }) =>
    writeEntries(app, out, {
      organization,
      pages: exportReceipts(app, after),
      organizationOf: ({ receipt }) => receipt.organization_id,
      view: ({ receipt }) => receipt,
    }),
});
