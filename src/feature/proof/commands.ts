// `sluice receipt verify` and `sluice audit verify`, which need no store.

import { defineCommand, optional, required } from "../../cli/command.ts";
import { text } from "../../cli/input/kinds.ts";
import { readParts } from "../../cli/input/read-file.ts";
import { organizationType } from "../../domain/deletion/organization-deletion.ts";
import { describeCompleteness, reportFile, viewCompleteness } from "./file-verdict.ts";
import {
  findHeads,
  findKeys,
  proofOptions,
  readDisclosureFile,
  readReceiptFile,
} from "./inputs.ts";
import { compareReceipts } from "./receipt-join.ts";
import { type DocumentVerdict, verifyDocument } from "./verify-document.ts";
import { verifyFile } from "./verify-file.ts";

const receiptVerify = defineCommand({
  name: "receipt verify",
  summary: "Verify receipts of deletions: who signed them, and that nothing was changed.",
  details:
    "FILE contains a receipt, the status of a deletion that has one, or receipts as a JSON list or NDJSON in the order " +
    "of their chain. With --keys, a copy of what a server publishes at /.well-known/sluice-receipts.json, it needs " +
    "neither a store nor a network; without it, the keys are those of this store. A receipt contains hashes instead of " +
    "numbers; --disclosures, and the status of a deletion, contain numbers with their salts, which are verified too. " +
    "Each other member of a status is compared with what proves it, or named as not verified. Numbers that are not " +
    "disclosed are listed by type, and are no error. With --head, FILE has to be the whole chain, and receipts that are " +
    "missing at its end are found too. With --trail, FILE also has to have each receipt that the audit trail names, and " +
    "no other: those of closed organizations, restricted sets and confidential records are in no chain. A gap in the " +
    "numbers is accepted where the trail records a restore that explains it. Read the head first, then export the trail, " +
    "and the receipts with --include-confidential last. The output says up to when the receipts are complete, and what " +
    "was not examined. Exits with 3 unless every receipt is genuine, none is known to be missing, and every disclosed " +
    "number is right.",
  examples: [
    "sluice receipt verify receipt.json",
    "curl -sS https://sluice.example/.well-known/sluice-receipts.json > keys.json && sluice receipt verify receipt.json --keys keys.json",
  ],
  rights: [],
  arguments: { file: required(text("FILE"), "The receipts, as JSON or NDJSON.") },
  options: {
    ...proofOptions,
    trail: optional(text("FILE"), "The audit trail: the output of `audit export`."),
    disclosures: optional(text("FILE"), "Output of `receipt disclose`, as JSON or NDJSON."),
  },
  run: async (context, { file, keys, head, trail, disclosures }) => {
    const document = readReceiptFile(file);
    const published = await findKeys(context, keys);
    const heads = findHeads(head, published);
    const disclosed = disclosures === undefined ? [] : readDisclosureFile(disclosures);
    const { verdicts, faults: own } = verifyDocument(document, disclosed, published);
    const entries = trail === undefined ? undefined : readParts(trail);
    const compared = await compareReceipts(verdicts, { published, heads, trail: entries });
    const faults = [...own, ...compared.faults];
    const ok = faults.length === 0 && verdicts.every((verdict) => verdict.faults.length === 0);
    const texts = verdicts.map(describeVerdict);
    const { explained } = compared;
    const ends = ok ? describeCompleteness(compared.completeness) : [];
    const completeness = viewCompleteness(faults, compared.completeness);
    return {
      json: { ok, ...completeness, receipts: verdicts.map(viewVerdict), faults, explained },
      text: [...texts, ...faults, ...explained, ...ends].join("\n"),
      hasFinding: !ok,
    };
  },
});

function viewVerdict({ receipt, faults, disclosed, undisclosed, unverified }: DocumentVerdict) {
  return {
    receipt_no: receipt?.receipt_no ?? null,
    deletion_request_id: receipt?.deletion_request_id ?? null,
    genuine: faults.length === 0,
    faults,
    disclosed,
    undisclosed,
    unverified,
  };
}

function describeVerdict(verdict: DocumentVerdict): string {
  const { name, receipt, faults } = verdict;
  if (receipt === undefined && faults.length === 0) return `${name} is genuine.`;
  if (receipt !== undefined && faults.length === 0) {
    const { asked, completed_at: at, carried_out_again: again } = receipt;
    const record = `${asked.resource_type} ${asked.resource_id}`;
    const isWhole = asked.resource_type === organizationType;
    const what = isWhole ? record : `${record} of ${receipt.organization_id}`;
    const repeated = again === undefined ? "" : ", replayed after a restore";
    const genuine = `${name} is genuine: ${what}, completed ${at}${repeated}.`;
    return [genuine, ...describeNumbers(verdict)].join("\n");
  }
  return [`${name} is not genuine:`, ...faults.map((fault) => `  ${fault}`)].join("\n");
}

function describeNumbers(verdict: DocumentVerdict): readonly string[] {
  const { disclosed, undisclosed, unverified } = verdict;
  const claims =
    unverified.length === 0 ? [] : [`  in the status, not verified: ${unverified.join(", ")}`];
  if (Object.keys(disclosed).length === 0) return claims;
  const types = Object.entries(disclosed).flatMap(([type, byKind]) => {
    const numbers = Object.entries(byKind).filter(([, count]) => count > 0);
    const texts = numbers.map(([kind, count]) => `${kind.replaceAll("_", " ")} ${count}`);
    return texts.length === 0 ? [] : [`${type} (${texts.join(", ")})`];
  });
  return [
    `  verified numbers: ${[...types, "every other disclosed number is 0"].join("; ")}`,
    ...(undisclosed.length === 0
      ? []
      : [
          `  not disclosed: ${undisclosed.map((type) => nameUndisclosed(type, verdict)).join(", ")}`,
        ]),
    ...claims,
  ];
}

function nameUndisclosed(type: string, { receipt, disclosed }: DocumentVerdict): string {
  const known = disclosed[type];
  if (receipt === undefined || known === undefined) return type;
  const missing = Object.keys(receipt.counts[type] ?? {}).filter((kind) => !(kind in known));
  return `${type} (${missing.map((kind) => kind.replaceAll("_", " ")).join(", ")})`;
}

const auditVerify = defineCommand({
  name: "audit verify",
  summary: "Verify an exported audit trail: that no entry was changed, removed or added.",
  details:
    "FILE is the output of `sluice audit export`. Entries that are missing in the middle are reported by their numbers. With " +
    "--head, entries that are missing at the end are found too: read the head first, then export the trail. A manifest in the " +
    "last line is verified with it. With --keys, a copy of what a server publishes at " +
    "/.well-known/sluice-receipts.json, the command needs neither a store nor a network. Exits with 3 if anything is wrong.",
  examples: [
    "sluice audit verify audit.ndjson",
    "sluice audit verify audit.ndjson --keys keys.json --head heads.json",
  ],
  rights: [],
  arguments: { file: required(text("FILE"), "The exported trail.") },
  options: proofOptions,
  run: async (context, { file, keys, head }) => {
    const published = await findKeys(context, keys);
    const heads = findHeads(head, published);
    const verdict = await verifyFile(readParts(file), { published, heads, kind: "audit" });
    return reportFile(file, verdict);
  },
});

export const heading = "Store";

export const groups = {
  receipt: "Verify receipts.",
  audit: "Verify an exported audit trail.",
} as const;

export const commands = [receiptVerify, auditVerify];
