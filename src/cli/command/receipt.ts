// `sluice receipt …`: the commands about receipts. `receipt verify` needs no store.

import { resolve } from "node:path";
import { discloseReceipt } from "../../actions/receipt/disclose-receipt.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { exportReceipts } from "../../actions/receipt/list-receipts.ts";
import { organizationType } from "../../domain/deletion/organization-deletion.ts";
import { rotateReceiptKey } from "../../actions/receipt/receipt-keys.ts";
import { makeKey, replaceKey } from "../../data-folder/receipt-key.ts";
import { noteUnfinished } from "../../data-folder/unfinished-files.ts";
import { readConfig } from "../../settings/config.ts";
import { defineStoreCommand, optional, required, defineCommand } from "../command.ts";
import { confidentialOptions, text, typeList } from "../input/kinds.ts";
import { entryOptions, writeEntries } from "../output/write-entries.ts";
import { compareReceipts } from "../../actions/proof/receipt-join.ts";
import { type DocumentVerdict, verifyDocument } from "../../actions/receipt/verify-document.ts";
import {
  findHeads,
  findKeys,
  proofOptions,
  readDisclosureFile,
  readParts,
  readReceiptFile,
} from "../input/proof.ts";
import { describeCompleteness, viewCompleteness } from "../output/file-verdict.ts";

export const receiptDisclose = defineStoreCommand({
  name: "receipt disclose",
  summary: "Print the numbers of a receipt with their salts, for somebody who has the receipt.",
  details:
    "A receipt contains a hash for each number, so it can be passed on without saying what was erased. With the output of this " +
    "command, `sluice receipt verify --disclosures` proves the numbers. It leaves out confidential types, such as customer_sar, " +
    "unless --include-confidential is given: to disclose that a report was filed is an offence in many countries. Each use is " +
    "written to the audit trail.",
  examples: [
    "sluice receipt disclose del_4fQ2mN8sT1vXc7Za > numbers.json",
    "sluice receipt disclose del_4fQ2mN8sT1vXc7Za --types customer_sar --include-confidential",
  ],
  rights: ["receipt.disclose"],
  arguments: { id: required(text("DELETION_REQUEST_ID"), "The completed deletion.") },
  options: {
    types: optional(typeList, "Only numbers of these record types, separated by commas."),
    ...confidentialOptions,
  },
  run: async (app, { id, types, includeConfidential }) => {
    const document = await discloseReceipt(app, {
      deletionRequestId: id,
      types,
      includeConfidential,
    });
    return { json: document, text: JSON.stringify(document, null, 2) };
  },
});

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
      query: { export: "receipts", after, include_confidential: includeConfidential },
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

export const receiptRotate = defineStoreCommand({
  name: "receipt rotate",
  summary: "Replace the key that receipts are signed with.",
  details:
    "Processes that use the same key file sign the next receipt with the new key, without a restart. The old public keys stay " +
    "published, so receipts that were signed with them remain genuine; the old private key is destroyed.",
  examples: ["sluice receipt rotate"],
  rights: ["receipt_key.rotate"],
  run: async (app, _, context) => {
    const config = readConfig(context.environment);
    const privateKey = makeKey();
    await using unfinished = await noteUnfinished(config.dataDir, resolve(config.receiptKeyFile));
    const replace = () => replaceKey(config, privateKey, unfinished.path);
    const key = await rotateReceiptKey(app, privateKey, replace);
    return {
      json: { key_id: key.keyId, key_file: config.receiptKeyFile },
      text: `From now on, receipts are signed with the key ${key.keyId} (${config.receiptKeyFile}).`,
    };
  },
});

export const receiptVerify = defineCommand({
  name: "receipt verify",
  summary: "Verify receipts of deletions: who signed them, and that nothing was changed.",
  details:
    "FILE contains a receipt, the status of a deletion that has one, or receipts as a JSON list or NDJSON in the order of their " +
    "chain. With --keys, a copy of what a server publishes at /.well-known/sluice-receipts.json, it needs neither a store nor a " +
    "network; without it, the keys are those of this store. A receipt contains hashes instead of numbers; --disclosures, and the " +
    "status of a deletion, contain numbers with their salts, which are verified too. So is everything else that a status says. " +
    "Numbers that are not disclosed are listed by " +
    "type, and are no error. With --head, FILE has to be the whole chain, and receipts that are missing at its end are found " +
    "too. With --trail, FILE also has to have each receipt that the audit trail names, and no other: those of closed " +
    "organizations, restricted sets and confidential records are in no chain. A gap in the numbers is accepted where the trail records a restore that explains it. Read the head first, then export the trail, and " +
    "the receipts with --include-confidential last. The output says up to when the receipts are complete, and what was not " +
    "examined. Exits with 3 unless every receipt is genuine, none is known to be missing, and every disclosed number is right.",
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
    const given = readReceiptFile(file);
    const published = await findKeys(context, keys);
    const heads = await findHeads(head, published);
    const more = disclosures === undefined ? [] : readDisclosureFile(disclosures);
    const document = { ...given, disclosures: [...given.disclosures, ...more] };
    const { verdicts, faults: own } = verifyDocument(document, published);
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
