// `sluice receipt verify`

import { readFileSync } from "node:fs";
import {
  type PublishedKeys,
  publishReceiptKeys,
  readPublishedKeys,
} from "../../actions/receipt-keys.ts";
import { type ReceiptVerdict, verifyReceipts } from "../../actions/verify-receipt.ts";
import { readConfig } from "../../config.ts";
import { sqlitePath } from "../../files/sqlite-path.ts";
import { findRepeatedName } from "../../domain/json/repeated-name.ts";
import { isPresent } from "../../files/present.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import { type Context, defineCommand, optional, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { readReceiptFile } from "../input/receipt-file.ts";

export const receiptVerify = defineCommand({
  name: "receipt verify",
  summary: "Check receipts of deletions: whose they are, and that nothing was changed.",
  details:
    "FILE holds a receipt, the status of a deletion that has one, or a list or lines of receipts in the order of their chain. " +
    "With --keys, a copy of what a server publishes at /.well-known/sluice-receipts.json, neither a store nor a network is " +
    "needed; without it the keys are those of this store. Exits with 1 unless every receipt is genuine.",
  examples: [
    "sluice receipt verify receipt.json",
    "curl -sS https://sluice.example/.well-known/sluice-receipts.json > keys.json && sluice receipt verify receipt.json --keys keys.json",
  ],
  arguments: { file: required(text("FILE"), "The receipts, as JSON or NDJSON.") },
  options: { keys: optional(text("FILE"), "The public keys to check against.") },
  run: async (context, { file, keys }) => {
    const receipts = readReceiptFile(file);
    const verdicts = verifyReceipts(receipts, await findKeys(context, keys));
    const bad = verdicts.filter(({ faults }) => faults.length > 0).length;
    return {
      json: { ok: bad === 0, receipts: verdicts.map(viewVerdict) },
      text: verdicts.map(describeVerdict).join("\n"),
      exitCode: bad === 0 ? 0 : 1,
    };
  },
});

async function findKeys(context: Context, file: string | undefined): Promise<PublishedKeys> {
  if (file === undefined) {
    requireStore(context);
    return context.withApp(publishReceiptKeys, { existing: true, restoring: true });
  }
  try {
    const content = readFileSync(file, "utf8");
    const value = JSON.parse(content) as unknown;
    const repeated = findRepeatedName(content);
    if (repeated !== undefined) throw new TypeError(`the field "${repeated}" is there twice`);
    return readPublishedKeys(value);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError("keys", `The keys in ${file} can't be read: ${why}`, { cause });
  }
}

/** To check a receipt must not make an empty store. */
function requireStore({ environment }: Context): void {
  const path = sqlitePath(readConfig(environment).databaseUrl);
  if (path === undefined || isPresent(path, "The store")) return;
  throw new OperatorError(
    "keys",
    `There is no store ${path} to take the public keys from. Name a copy of what the server publishes at ` +
      "/.well-known/sluice-receipts.json with --keys.",
  );
}

function viewVerdict({ receipt, faults }: ReceiptVerdict) {
  return {
    receipt_no: receipt?.receipt_no ?? null,
    deletion_request_id: receipt?.deletion_request_id ?? null,
    genuine: faults.length === 0,
    faults,
  };
}

function describeVerdict({ name, receipt, faults }: ReceiptVerdict): string {
  if (receipt !== undefined && faults.length === 0) {
    const { asked, completed_at: at, carried_out_again: again } = receipt;
    const what = `${asked.resource_type} ${asked.resource_id} of ${receipt.organization_id}`;
    const repeated = again === undefined ? "" : ", replayed after a restore";
    return `${name} is genuine: ${what}, completed ${at}${repeated}.`;
  }
  return [`${name} is not genuine:`, ...faults.map((fault) => `  ${fault}`)].join("\n");
}
