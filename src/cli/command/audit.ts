// `sluice audit export` and `verify`.

import { exportAudit, followAudit, viewAuditEntry } from "../../actions/trail/list-audit.ts";
import type { AuditEntry } from "../../domain/access.ts";
import { defineCommand, defineStoreCommand, flag, required } from "../command.ts";
import { entryOptions, writeEntries } from "../output/write-entries.ts";
import { verifyFile } from "../../actions/proof/verify-file.ts";
import { text } from "../input/kinds.ts";
import { findHeads, findKeys, proofOptions, readParts } from "../input/proof.ts";
import { makeSameStoreCheck } from "../same-store.ts";
import { runUntilStopped } from "../stop-signal.ts";
import { reportFile } from "../output/file-verdict.ts";

export const auditExport = defineStoreCommand({
  name: "audit export",
  summary: "Print the audit trail as NDJSON, oldest entry first.",
  details:
    "The trail has an entry for every change of a key, hold, deletion or organization, for every backup and restore, and for " +
    "records that a command showed, exported or imported: who did it, and when. It never contains the content of a record. " +
    "Each entry contains the hash of the previous one: SHA-256 over the JSON list [previous_hash, entry_no, at, actor, action, " +
    "organization_id, subject, detail], with `at` in milliseconds and `detail` as its JSON text. Where a restore cut the trail, an " +
    "entry `store.restore` gives the entry numbers on both sides of the gap. `sluice audit verify` verifies the chain, and the signed manifest in the last line.\n" +
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

export const auditVerify = defineCommand({
  name: "audit verify",
  summary: "Verify an exported audit trail: that no entry was changed, removed or added.",
  details:
    "FILE is the output of `sluice audit export`. Entries that are missing in the middle are reported by their numbers. With " +
    "--head, entries that are missing at the end are found too: read the head first, then export the trail. A manifest in the " +
    "last line is verified with it. With --keys, a copy of what a server publishes at " +
    "/.well-known/sluice-receipts.json, the command needs neither a store nor a network. Exits with 3 if anything is wrong.",
  examples: [
    "sluice audit verify audit.ndjson",
    "sluice audit verify audit.ndjson --keys keys.json --head https://sluice.example/.well-known/sluice-heads.json",
  ],
  rights: [],
  arguments: { file: required(text("FILE"), "The exported trail.") },
  options: proofOptions,
  run: async (context, { file, keys, head }) => {
    const published = await findKeys(context, keys);
    const heads = await findHeads(head, published);
    const verdict = await verifyFile(readParts(file), { published, heads, kind: "audit" });
    return reportFile(file, verdict);
  },
});
