// `sluice receipt verify`

import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import {
  type PublishedKeys,
  publishReceiptKeys,
  readPublishedKeys,
} from "../../actions/receipt/receipt-keys.ts";
import { addDisclosures } from "../../actions/receipt/verify-disclosures.ts";
import { findMissingReceipts, verifyReceipts } from "../../actions/receipt/verify-receipt.ts";
import { addStatus, type StatusVerdict } from "../../actions/receipt/verify-status.ts";
import { type Context, defineCommand, optional, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { readDisclosureFile, readKeysFile, readReceiptFile } from "../input/receipt-file.ts";
import { findMissingStore } from "../new-store.ts";
import type { Paint } from "../output/paint.ts";

export const receiptVerify = defineCommand({
  name: "receipt verify",
  summary: "Verify receipts of deletions: who signed them, and that nothing was changed.",
  details:
    "FILE contains a receipt, the status of a deletion that has one, or receipts as a JSON list or NDJSON in the order of their " +
    "chain. With --keys, a copy of what a server publishes at /.well-known/sluice-receipts.json, it needs neither a store nor a " +
    "network; without it, the keys are those of this store. A receipt contains hashes instead of numbers; --disclosures, and the " +
    "status of a deletion, contain numbers with their salts, which are verified too. So is everything else that a status says. " +
    "Numbers that are not disclosed are listed by " +
    "type, and are no error. Exits with 1 unless every receipt is genuine, none is missing between two of them, and every disclosed " +
    "number is right.",
  examples: [
    "sluice receipt verify receipt.json",
    "curl -sS https://sluice.example/.well-known/sluice-receipts.json > keys.json && sluice receipt verify receipt.json --keys keys.json",
  ],
  rights: [],
  arguments: { file: required(text("FILE"), "The receipts, as JSON or NDJSON.") },
  options: {
    keys: optional(text("FILE"), "The public keys to verify against."),
    disclosures: optional(text("FILE"), "Output of `receipt disclose`, as JSON or NDJSON."),
  },
  run: async (context, { file, keys, disclosures }) => {
    const given = readReceiptFile(file);
    const more = disclosures === undefined ? [] : readDisclosureFile(disclosures);
    const genuine = verifyReceipts(given.receipts, await findKeys(context, keys));
    const disclosed = addDisclosures(genuine, [...given.disclosures, ...more]);
    const faults = [...findMissingReceipts(genuine), ...disclosed.faults];
    const verdicts = disclosed.verdicts.map((one, at) => addStatus(one, given.statuses[at]));
    const ok = faults.length === 0 && verdicts.every((verdict) => verdict.faults.length === 0);
    const texts = verdicts.map((verdict) => describeVerdict(verdict, context.paint));
    return {
      json: { ok, receipts: verdicts.map(viewVerdict), faults },
      text: [...texts, ...faults].join("\n"),
      exitCode: ok ? 0 : 1,
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

function viewVerdict({ receipt, faults, disclosed, undisclosed, unverified }: StatusVerdict) {
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

function describeVerdict(verdict: StatusVerdict, paint: Paint): string {
  const { name, receipt, faults } = verdict;
  if (receipt === undefined && faults.length === 0)
    return `${name} is ${paint("good", "genuine")}.`;
  if (receipt !== undefined && faults.length === 0) {
    const { asked, completed_at: at, carried_out_again: again } = receipt;
    const what = `${asked.resource_type} ${asked.resource_id} of ${receipt.organization_id}`;
    const repeated = again === undefined ? "" : ", replayed after a restore";
    const genuine = `${name} is ${paint("good", "genuine")}: ${what}, completed ${at}${repeated}.`;
    return [genuine, ...describeNumbers(verdict)].join("\n");
  }
  return [
    `${name} is ${paint("bad", "not genuine")}:`,
    ...faults.map((fault) => `  ${fault}`),
  ].join("\n");
}

/** Lists numbers that are not zero, types with undisclosed numbers, and what the status says without proof. */
function describeNumbers(verdict: StatusVerdict): readonly string[] {
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

/** Names the type and, if some of its numbers are disclosed, which of them are not. */
function nameUndisclosed(type: string, { receipt, disclosed }: StatusVerdict): string {
  const known = disclosed[type];
  if (receipt === undefined || known === undefined) return type;
  const missing = Object.keys(receipt.counts[type] ?? {}).filter((kind) => !(kind in known));
  return `${type} (${missing.map((kind) => kind.replaceAll("_", " ")).join(", ")})`;
}
