// The inputs of commands that verify files: the public keys, the published heads, receipts, and files, read in parts.
// Verifies nothing itself.

import { createReadStream, readFileSync, statSync } from "node:fs";
import { type Readable, pipeline } from "node:stream";
import { fileReasonOf, OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import { type Heads, readHeads } from "../../actions/proof/heads.ts";
import {
  type PublishedKeys,
  publishReceiptKeys,
  readPublishedKeys,
} from "../../actions/receipt/receipt-keys.ts";
import { withoutTrailing } from "../../basics/without-trailing.ts";
import { compressionOf } from "../../bulk/formats/compression.ts";
import { type Context, optional } from "../command.ts";
import { findMissingStore } from "../new-store.ts";
import { text } from "./kinds.ts";
import {
  type GivenDisclosures,
  type ReceiptDocument,
  readReceipts,
  readValues,
} from "../../actions/receipt/verify-document.ts";
import { findRepeatedName } from "../../domain/json/repeated-name.ts";

export const keysOption = {
  keys: optional(text("FILE"), "The public keys to verify against. Default: those of this store."),
};

export const proofOptions = {
  ...keysOption,
  head: optional(
    text("FILE|URL"),
    "The heads that a server publishes at /.well-known/sluice-heads.json, or a copy. Shows whether the end of the file is missing.",
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
const fetchMsMax = 10_000;

/** Throws OperatorError file, server and keys. */
export async function findHeads(
  given: string | undefined,
  published: PublishedKeys,
): Promise<Heads | undefined> {
  if (given === undefined) return undefined;
  if (/^https?:\/\//i.test(given)) return readHeads(await fetchText(given), published);
  return readHeads(readText(given, headsBytesMax), published);
}

async function fetchText(url: string): Promise<string> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(fetchMsMax) });
    if (!reply.ok || reply.body === null) throw new Error(`it answers ${reply.status}`);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of reply.body) {
      bytes += part.length;
      if (bytes > headsBytesMax) throw new Error(`it sends more than ${headsBytesMax} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString("utf8");
  } catch (cause) {
    throw new OperatorError("server", `${url} can't be read: ${reasonOf(cause)}.`, { cause });
  }
}

/** Decompresses according to the ending of the name. Iterating throws OperatorError file. */
export async function* readParts(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  const decompress = compressionOf(path)?.decompress();
  // An error of the file destroys the decompression stream, whose reader gets the error.
  const content: Readable =
    decompress === undefined ? file : pipeline(file, decompress, () => undefined);
  try {
    for await (const part of content) yield part as Buffer;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): OperatorError {
  return new OperatorError("file", `${path} can't be read: ${fileReasonOf(cause)}.`, { cause });
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

/** Throws OperatorError file. `advice` follows what is said of a file that is too large. */
export function readText(path: string, bytesMax: number, advice = ""): string {
  try {
    return readAtMost(path, bytesMax, advice);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Reads nothing of a file that is too large. The size of a pipe is known only when it has been read. */
function readAtMost(path: string, bytesMax: number, advice = ""): string {
  const tooLarge = () => new Error(`it is larger than ${bytesMax} bytes${advice}`);
  if (statSync(path).size > bytesMax) throw tooLarge();
  const bytes = readFileSync(path);
  if (bytes.length > bytesMax) throw tooLarge();
  return bytes.toString("utf8");
}

/** A file of public keys as JSON. Throws an error that says what is wrong. */
function readKeysFile(path: string): unknown {
  const content = readAtMost(path, keysBytesMax);
  const value: unknown = JSON.parse(content);
  const repeated = findRepeatedName(content);
  if (repeated !== undefined) throw new TypeError(`it has the field "${repeated}" twice`);
  return value;
}
