// `sluice audit export`

import { listAudit, viewAuditEntry } from "../../actions/audit-entry.ts";
import { requireOrganization } from "../../actions/find-organization.ts";
import { limits } from "../../domain/limits.ts";
import { defineCommand, optional, withDefault } from "../command.ts";
import { text, wholeNumber } from "../input/kinds.ts";
import { writeLines } from "../output/write-lines.ts";

export const auditExport = defineCommand({
  name: "audit export",
  summary: "Print the audit trail as NDJSON, oldest entry first.",
  details:
    "Every key, hold, deletion, change of an organization, restore and backup, and every record that was shown, exported or " +
    "imported by a command: by whom and when; never content of a record. " +
    "Each entry holds the hash of the one before: SHA-256 over the JSON list [previous_hash, entry_no, at, actor, action, " +
    "organization_id, subject, detail], with `at` in milliseconds and `detail` as its JSON text. Where a restore cut the trail, an " +
    "entry `store.restore` names both sides of the gap in its numbers. `sluice check` verifies the chain.",
  examples: ["sluice audit export > audit.ndjson", "sluice audit export --after 5000"],
  arguments: {},
  options: {
    organization: optional(
      text("ID"),
      "Only what concerns this organization; then it is no chain.",
    ),
    after: withDefault(
      wholeNumber("N", 0, Number.MAX_SAFE_INTEGER),
      "Begin after the entry with this number.",
      "0",
    ),
  },
  run: (context, { organization, after }) =>
    context.withApp(
      async (app) => {
        await requireOrganization(app, organization);
        let last = after;
        for (;;) {
          const entries = await listAudit(app, last, limits.ledgerEntriesAtOnce);
          const wanted = entries.filter(
            ({ organizationId }) => organization === undefined || organizationId === organization,
          );
          await writeLines(context.out, wanted.map(viewAuditEntry));
          last = entries.at(-1)?.entryNo ?? last;
          if (entries.length < limits.ledgerEntriesAtOnce) return undefined;
        }
      },
      { existing: true, restoring: true },
    ),
});
