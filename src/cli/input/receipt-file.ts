// Files of receipts, of disclosures and of public keys. Does not verify them.

import { readFileSync } from "node:fs";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import {
  type ReceiptDocument,
  readReceipts,
  readValues,
} from "../../actions/receipt/receipt-document.ts";
import type { GivenDisclosures } from "../../actions/receipt/verify-disclosures.ts";
import { findRepeatedName } from "../../domain/json/repeated-name.ts";

const bytesMax = 256 * 1_024 * 1_024;

/** At least one. Throws OperatorError that says where the file is not JSON, or which field an object has twice. */
export function readReceiptFile(path: string): ReceiptDocument {
  return readReceipts(path, readText(path));
}

/** What `sluice receipt disclose` prints, one or many, or statuses of deletions. Throws OperatorError as above. */
export function readDisclosureFile(path: string): readonly GivenDisclosures[] {
  return readValues(path, readText(path));
}

function readText(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes; split it`);
    return bytes.toString("utf8");
  } catch (cause) {
    throw new OperatorError("file", `${path} can't be read: ${reasonOf(cause)}.`, { cause });
  }
}

/** A file of public keys as JSON. Throws an error that says what is wrong. */
export function readKeysFile(path: string): unknown {
  const content = readFileSync(path, "utf8");
  const value: unknown = JSON.parse(content);
  const repeated = findRepeatedName(content);
  if (repeated !== undefined) throw new TypeError(`it has the field "${repeated}" twice`);
  return value;
}
