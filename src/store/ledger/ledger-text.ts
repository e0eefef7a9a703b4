// Reads lines of older ledgers, and receipts, which contain the same about a deletion. Reads no file.

import { hash as digest } from "node:crypto";
import { deletionCodec } from "../../domain/deletion/ledger-codec.ts";
import { type DeletionEntry, entryOfReceipt } from "../../domain/deletion/ledger-entry.ts";
import { chainedText } from "../../domain/deletion/receipt.ts";
import { isReceipt } from "../../domain/deletion/receipt-form.ts";
import { invalid } from "../../domain/json/codec.ts";

/** Undefined if it is neither. */
export function readPlainLine(value: unknown): DeletionEntry | undefined {
  if (isReceipt(value)) return entryOfReceipt(value, digest("sha256", chainedText(value)));
  const fields = deletionCodec.read(value);
  return fields === invalid ? undefined : { kind: "deletion", ...fields };
}
