// `sluice receipt export`

import { exportReceipts } from "../../actions/receipt/list-receipts.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { defineStoreCommand } from "../command.ts";
import { confidentialOptions } from "../input/confidential.ts";
import { entryOptions, writeEntries } from "../output/write-entries.ts";

export const receiptExport = defineStoreCommand({
  name: "receipt export",
  summary: "Print the receipts of completed deletions as NDJSON, in the order of their chain.",
  details:
    "`sluice receipt verify` reads the output, and so does `sluice deletion replay --ledger` after a restore. Stored outside " +
    "the database server, the output is a ledger that a restore of the database does not roll back. The chain of the whole store " +
    "contains the receipts of restricted sets and confidential records, and without them it has gaps, so it needs " +
    "--include-confidential. With --organization, they are left out unless that is given.",
  examples: [
    "sluice receipt export --include-confidential > receipts.ndjson",
    "sluice receipt export --organization acme > acme.ndjson",
  ],
  rights: ["receipt.read"],
  options: { ...entryOptions, ...confidentialOptions },
  restoring: true,
  run: (app, { organization, after, includeConfidential }, { out }) => {
    if (organization === undefined && !includeConfidential) {
      throw new UsageError(
        "The receipts of all organizations form a chain, which contains those of confidential records. Add " +
          "--include-confidential, and do not pass the output on; or --organization ID, for receipts that can be passed on.",
      );
    }
    return writeEntries(app, out, {
      organization,
      pages: exportReceipts(showing(app, { includeConfidential }), {
        after,
        organizationId: organization,
      }),
      organizationOf: ({ organizationId }) => organizationId,
      view: ({ receipt }) => receipt,
    });
  },
});
