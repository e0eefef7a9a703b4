// `sluice audit export`

import { exportAudit, viewAuditEntry } from "../../actions/trail/list-audit.ts";
import { defineStoreCommand } from "../command.ts";
import { entryOptions, writeEntries } from "../output/write-entries.ts";

export const auditExport = defineStoreCommand({
  name: "audit export",
  summary: "Print the audit trail as NDJSON, oldest entry first.",
  details:
    "The trail has an entry for every change of a key, hold, deletion or organization, for every backup and restore, and for " +
    "records that a command showed, exported or imported: who did it, and when. It never contains the content of a record. " +
    "Each entry contains the hash of the previous one: SHA-256 over the JSON list [previous_hash, entry_no, at, actor, action, " +
    "organization_id, subject, detail], with `at` in milliseconds and `detail` as its JSON text. Where a restore cut the trail, an " +
    "entry `store.restore` gives the entry numbers on both sides of the gap. `sluice audit verify` verifies the chain, and the signed manifest in the last line.",
  examples: ["sluice audit export > audit.ndjson", "sluice audit export --after 5000"],
  rights: ["audit.read"],
  options: entryOptions,
  restoring: true,
  run: (app, { organization, after }, { out }) =>
    writeEntries(app, out, {
      query: { export: "audit", after },
      organization,
      pages: exportAudit(app, after),
      organizationOf: ({ organizationId }) => organizationId,
      view: viewAuditEntry,
    }),
});
