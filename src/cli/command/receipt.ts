// `sluice receipt …`: the commands about receipts.

import { resolve } from "node:path";
import { discloseReceipt } from "../../actions/receipt/disclose-receipt.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { exportReceipts } from "../../actions/receipt/list-receipts.ts";
import { rotateReceiptKey } from "../../actions/receipt/receipt-keys.ts";
import { makeKey, replaceKey } from "../../data-folder/receipt-key.ts";
import { noteUnfinished } from "../../data-folder/unfinished-files.ts";
import { readConfig } from "../../settings/config.ts";
import { defineStoreCommand, required } from "../command.ts";
import { confidentialOptions, text } from "../input/kinds.ts";
import { entryOptions, writeEntries } from "../output/write-entries.ts";

export const receiptDisclose = defineStoreCommand({
  name: "receipt disclose",
  summary: "Print the numbers of a receipt with their salts, for somebody who has the receipt.",
  details:
    "A receipt contains a hash for each number, so it can be passed on without saying what was erased. The output of this " +
    "command proves the numbers to whoever has the receipt. It leaves out confidential types, such as customer_sar, " +
    "unless --include-confidential is given: to disclose that a report was filed is an offence in many countries. Each use is " +
    "written to the audit trail.",
  examples: ["sluice receipt disclose del_4fQ2mN8sT1vXc7Za > numbers.json"],
  rights: ["receipt.disclose"],
  arguments: { id: required(text("DELETION_REQUEST_ID"), "The completed deletion.") },
  options: confidentialOptions,
  run: async (app, { id, includeConfidential }) => {
    const document = await discloseReceipt(app, { deletionRequestId: id, includeConfidential });
    return { json: document, text: JSON.stringify(document, null, 2) };
  },
});

export const receiptExport = defineStoreCommand({
  name: "receipt export",
  summary: "Print the receipts of completed deletions as NDJSON, in the order of their chain.",
  details:
    "`sluice deletion replay --ledger` reads the output after a restore. Stored outside " +
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
    "published, so receipts that were signed with them remain genuine; the old private key is destroyed. A process with a key " +
    "file of its own goes on with its key: rotate that one with its own settings.",
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
      text: `From now on, processes that use ${config.receiptKeyFile} sign receipts with the key ${key.keyId}.`,
    };
  },
});
