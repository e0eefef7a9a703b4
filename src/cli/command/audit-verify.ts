// `sluice audit verify`

import { verifyFile } from "../../actions/proof/verify-file.ts";
import { defineCommand, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { findHeads, findKeys, proofOptions, readParts } from "../input/proof.ts";
import { describeFile, viewFile } from "../output/file-verdict.ts";

export const auditVerify = defineCommand({
  name: "audit verify",
  summary: "Verify an exported audit trail: that no entry was changed, removed or added.",
  details:
    "FILE is the output of `sluice audit export`. Entries that are missing in the middle are reported by their numbers. With " +
    "--head, entries that are missing at the end are found too: read the head first, then export the trail. A manifest in the " +
    "last line is verified with it. With --keys, a copy of what a server publishes at " +
    "/.well-known/sluice-receipts.json, the command needs neither a store nor a network. Exits with 1 if anything is wrong.",
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
    return {
      json: viewFile(verdict),
      text: describeFile(file, verdict, context.paint),
      exitCode: verdict.faults.length === 0 ? 0 : 1,
    };
  },
});
