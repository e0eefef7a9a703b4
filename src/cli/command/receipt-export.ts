// `sluice receipt export`

import { requireOrganization } from "../../actions/find-organization.ts";
import { listReceipts } from "../../actions/read-deletion.ts";
import { limits } from "../../domain/limits.ts";
import { defineCommand, optional, withDefault } from "../command.ts";
import { text, wholeNumber } from "../input/kinds.ts";
import { writeLines } from "../output/write-lines.ts";

export const receiptExport = defineCommand({
  name: "receipt export",
  summary: "Print the receipts of completed deletions as NDJSON, in the order of their chain.",
  details:
    "What it prints can be given to `receipt verify`, and to `deletion replay --ledger` after a restore. Kept outside the " +
    "database server, it is the ledger that no backup of the database takes back in time.",
  examples: ["sluice receipt export > receipts.ndjson", "sluice receipt export --after 1200"],
  arguments: {},
  options: {
    organization: optional(text("ID"), "Only those of this organization; then it is no chain."),
    after: withDefault(
      wholeNumber("N", 0, Number.MAX_SAFE_INTEGER),
      "Begin after this number.",
      "0",
    ),
  },
  run: (context, { organization, after }) =>
    context.withApp(
      async (app) => {
        await requireOrganization(app, organization);
        let last = after;
        for (;;) {
          const kept = await listReceipts(app, last, limits.ledgerEntriesAtOnce);
          const wanted = kept
            .map(({ receipt }) => receipt)
            .filter((receipt) => [undefined, receipt.organization_id].includes(organization));
          await writeLines(context.out, wanted);
          last = kept.at(-1)?.receipt.receipt_no ?? last;
          if (kept.length < limits.ledgerEntriesAtOnce) return undefined;
        }
      },
      { existing: true, restoring: true },
    ),
});
