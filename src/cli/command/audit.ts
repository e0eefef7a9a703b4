// `sluice audit export`.

import { exportAudit, followAudit, viewAuditEntry } from "../../actions/trail/list-audit.ts";
import type { AuditEntry } from "../../domain/access.ts";
import { defineStoreCommand, flag } from "../command.ts";
import { entryOptions, writeEntries } from "../output/write-entries.ts";
import { makeSameStoreCheck } from "../same-store.ts";
import { runUntilStopped } from "../stop-signal.ts";

export const auditExport = defineStoreCommand({
  name: "audit export",
  summary: "Print the audit trail as NDJSON, oldest entry first.",
  details:
    "The trail has an entry for every change of a key, hold, deletion or organization, for every backup and restore, and for " +
    "records that a command showed, exported or imported: who did it, and when. It never contains the content of a record. " +
    "Each entry contains the hash of the previous one: SHA-256 over the JSON list [previous_hash, entry_no, at, actor, action, " +
    "organization_id, subject, detail], with `at` in milliseconds and `detail` as its JSON text. Where a restore cut the trail, an " +
    "entry `store.restore` gives the entry numbers on both sides of the gap. The last line is a signed manifest.\n" +
    "With --follow there is no manifest, and the command ends with 0 when it is asked to stop (SIGTERM, SIGINT), or when the " +
    "reader of its output has gone and there is a further entry. To continue, begin after the `entry_no` of the last line. The " +
    "trail records each start.",
  examples: ["sluice audit export > audit.ndjson", "sluice audit export --follow --after 5000"],
  rights: ["audit.read"],
  options: {
    ...entryOptions,
    follow: flag("Then print each further entry as it is written, until interrupted."),
  },
  restoring: true,
  run: (app, { organization, after, follow }, context) => {
    const printed = {
      query: { export: "audit", after },
      organization,
      organizationOf: ({ organizationId }: AuditEntry) => organizationId,
      view: viewAuditEntry,
      endless: follow,
    };
    if (!follow) {
      return writeEntries(app, context.out, { ...printed, pages: exportAudit(app, after) });
    }
    return runUntilStopped(async (signal) => {
      const check = await makeSameStoreCheck(app, context);
      const pages = followAudit(app, after, { signal, check });
      return writeEntries(app, context.out, { ...printed, pages });
    });
  },
});
