// `sluice receipt verify`

import { OperatorError, reasonOf } from "../../actions/operator-error.ts";
import {
  type PublishedKeys,
  publishReceiptKeys,
  readPublishedKeys,
} from "../../actions/receipt-keys.ts";
import { type ReceiptVerdict, verifyReceipts } from "../../actions/verify-receipt.ts";
import { type Context, defineCommand, optional, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { readKeysFile, readReceiptFile } from "../input/receipt-file.ts";
import { findMissingStore } from "../new-store.ts";
import type { Paint } from "../output/paint.ts";

export const receiptVerify = defineCommand({
  name: "receipt verify",
  summary: "Verify receipts of deletions: who signed them, and that nothing was changed.",
  details:
    "FILE contains a receipt, the status of a deletion that has one, or receipts as a JSON list or NDJSON in the order of their " +
    "chain. With --keys, a copy of what a server publishes at /.well-known/sluice-receipts.json, it needs neither a store nor a " +
    "network; without it, the keys are those of this store. Exits with 1 unless every receipt is genuine.",
  examples: [
    "sluice receipt verify receipt.json",
    "curl -sS https://sluice.example/.well-known/sluice-receipts.json > keys.json && sluice receipt verify receipt.json --keys keys.json",
  ],
  arguments: { file: required(text("FILE"), "The receipts, as JSON or NDJSON.") },
  options: { keys: optional(text("FILE"), "The public keys to verify against.") },
  run: async (context, { file, keys }) => {
    const receipts = readReceiptFile(file);
    const verdicts = verifyReceipts(receipts, await findKeys(context, keys));
    const bad = verdicts.filter(({ faults }) => faults.length > 0).length;
    return {
      json: { ok: bad === 0, receipts: verdicts.map(viewVerdict) },
      text: verdicts.map((verdict) => describeVerdict(verdict, context.paint)).join("\n"),
      exitCode: bad === 0 ? 0 : 1,
    };
  },
});

async function findKeys(context: Context, file: string | undefined): Promise<PublishedKeys> {
  if (file === undefined) {
    const missing = findMissingStore(context);
    if (missing === undefined) return context.withApp(publishReceiptKeys, { restoring: true });
    throw new OperatorError(
      "keys",
      `There is no store ${missing} to read the public keys from. Use --keys to name a copy of what the server publishes at ` +
        "/.well-known/sluice-receipts.json.",
    );
  }
  try {
    return readPublishedKeys(readKeysFile(file));
  } catch (cause) {
    const message = `The keys in ${file} can't be read: ${reasonOf(cause)}`;
    throw new OperatorError("keys", message, { cause });
  }
}

function viewVerdict({ receipt, faults }: ReceiptVerdict) {
  return {
    receipt_no: receipt?.receipt_no ?? null,
    deletion_request_id: receipt?.deletion_request_id ?? null,
    genuine: faults.length === 0,
    faults,
  };
}

function describeVerdict({ name, receipt, faults }: ReceiptVerdict, paint: Paint): string {
  if (receipt !== undefined && faults.length === 0) {
    const { asked, completed_at: at, carried_out_again: again } = receipt;
    const what = `${asked.resource_type} ${asked.resource_id} of ${receipt.organization_id}`;
    const repeated = again === undefined ? "" : ", replayed after a restore";
    return `${name} is ${paint("good", "genuine")}: ${what}, completed ${at}${repeated}.`;
  }
  return [
    `${name} is ${paint("bad", "not genuine")}:`,
    ...faults.map((fault) => `  ${fault}`),
  ].join("\n");
}
