// The inputs of commands that verify files: public keys, published heads, and receipts. Verifies nothing itself.

import { fileReasonOf, OperatorError } from "../../actions/operator/operator-error.ts";
import { type Heads, readHeads } from "./heads.ts";
import {
  type PublishedKeys,
  publishReceiptKeys,
  readPublishedKeys,
} from "../../actions/receipt/receipt-keys.ts";
import { withoutTrailing } from "../../basics/without-trailing.ts";
import { readAtMost, readText } from "../../cli/input/read-file.ts";
import { type Context, optional } from "../../cli/command.ts";
import { findMissingStore } from "../../cli/new-store.ts";
import { text } from "../../cli/input/kinds.ts";
import {
  type GivenDisclosures,
  type ReceiptDocument,
  readReceipts,
  readValues,
} from "./verify-document.ts";
import { findRepeatedName } from "../../domain/json/repeated-name.ts";

export const keysOption = {
  keys: optional(text("FILE"), "The public keys to verify against. Default: those of this store."),
};

export const proofOptions = {
  ...keysOption,
  head: optional(
    text("FILE"),
    "A copy of the heads that a server publishes at /.well-known/sluice-heads.json. Shows whether the end of the file is missing.",
  ),
};

/** Throws OperatorError keys. */
export async function findKeys(context: Context, file: string | undefined): Promise<PublishedKeys> {
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
    const message = `The keys in ${file} can't be read: ${withoutTrailing(fileReasonOf(cause), ".")}.`;
    throw new OperatorError("keys", message, { cause });
  }
}

const headsBytesMax = 16_384;
const keysBytesMax = 1_048_576;

/** Throws OperatorError file and keys. */
export function findHeads(file: string | undefined, published: PublishedKeys): Heads | undefined {
  return file === undefined ? undefined : readHeads(readText(file, headsBytesMax), published);
}

const receiptBytesMax = 256 * 1_024 * 1_024;

/** At least one. Throws OperatorError that says where the file is not JSON, or which field an object has twice. */
export function readReceiptFile(path: string): ReceiptDocument {
  return readReceipts(path, readText(path, receiptBytesMax, "; split it"));
}

/** What `sluice receipt disclose` prints, one or many, or statuses of deletions. Throws OperatorError as above. */
export function readDisclosureFile(path: string): readonly GivenDisclosures[] {
  return readValues(path, readText(path, receiptBytesMax, "; split it"));
}

/** A file of public keys as JSON. Throws an error that says what is wrong. */
function readKeysFile(path: string): unknown {
  const content = readAtMost(path, keysBytesMax);
  const value: unknown = JSON.parse(content);
  const repeated = findRepeatedName(content);
  if (repeated !== undefined) throw new TypeError(`it has the field "${repeated}" twice`);
  return value;
}
