// The ledger of deletions: a file beside the store and outside its backups, from which a restore learns what has to be
// erased again. Only ever grows; holds ids, types and times, never a reason or content.
//
// A deletion is noted before it is completed and again with its receipt, each on stable storage before the next step. So
// whatever was completed is in the ledger, also when a process ends in between.

import { hash as digest } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { chainedText, type Receipt } from "../domain/receipt.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { isReceipt } from "../domain/receipt-form.ts";
import { recordTypeByName } from "../domain/record-types.ts";
import { StoreError } from "./store-error.ts";
import { entryOfReceipt, type LedgerEntry } from "../domain/ledger-entry.ts";
import type { DeletionLedger } from "./store.ts";

const tailBytes = 256 * 1_024;

/** One file for each store, so that a folder may serve several. Made when something is noted first. */
export function openLedger(folder: string, storeId: string): DeletionLedger {
  const path = join(folder, `deletion-ledger-${storeId}.ndjson`);
  let last: number | undefined;
  return {
    path,
    note: async (entries) => {
      await append(path, entries);
      if (last !== undefined) last = Math.max(last, lastOf(entries));
    },
    lastReceiptNo: async () => {
      last ??= lastOf(await readTail(path));
      return last;
    },
    readTail: () => readTail(path),
    read: () => readLedgerFile(path),
  };
}

/** Also understands a file of receipts. Throws StoreError, with the number of the line, for what is neither. */
export async function* readLedgerFile(path: string): AsyncGenerator<LedgerEntry> {
  if (!existsSync(path)) return;
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: 0 })) {
    number += 1;
    const entry = parseLine(line, `${path}, line ${number}`);
    if (entry !== undefined) yield entry;
  }
}

function lastOf(entries: readonly LedgerEntry[]): number {
  return Math.max(0, ...entries.map(({ completed }) => completed?.receiptNo ?? 0));
}

async function append(path: string, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const isNew = !existsSync(path);
  makePrivateFolder(dirname(path));
  const file = await open(path, "a+", 0o600);
  try {
    const text = entries.map((entry) => `${JSON.stringify(toLine(entry))}\n`).join("");
    // What a crash has cut short stays a line of its own.
    await file.appendFile((await endsInLine(file)) ? text : `\n${text}`);
    await file.sync();
  } finally {
    await file.close();
  }
  if (isNew) await syncFolder(dirname(path));
}

async function endsInLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 });
  return buffer[0] === 0x0a;
}

/** The last entries, oldest first; at least all since the last one with a receipt. */
async function readTail(path: string): Promise<readonly LedgerEntry[]> {
  if (!existsSync(path)) return [];
  const file = await open(path, "r");
  let from: number;
  let bytes: Buffer;
  try {
    const { size } = await file.stat();
    from = Math.max(0, size - tailBytes);
    bytes = Buffer.alloc(size - from);
    await file.read({ buffer: bytes, position: from });
  } finally {
    await file.close();
  }
  const lines = bytes
    .toString()
    .split("\n")
    .slice(from === 0 ? 0 : 1);
  return lines.flatMap((line) => parseLine(line, path) ?? []);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

interface Line {
  readonly organization_id: string;
  readonly deletion_request_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly requested_by: string;
  readonly requested_at: string;
  readonly completed_at?: string;
  readonly receipt_no?: number;
  readonly receipt_hash?: string;
}

function toLine(entry: LedgerEntry): Line {
  const { completed } = entry;
  return {
    organization_id: entry.organizationId,
    deletion_request_id: entry.deletionRequestId,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    requested_by: entry.requestedBy,
    requested_at: new Date(entry.requestedAt).toISOString(),
    ...(completed === undefined
      ? {}
      : {
          completed_at: new Date(completed.at).toISOString(),
          receipt_no: completed.receiptNo,
          receipt_hash: completed.receiptHash,
        }),
  };
}

/** Undefined for an empty line, and for one that a crash has cut short: it was never relied on. */
function parseLine(line: string, place: string): LedgerEntry | undefined {
  if (!line.endsWith("}")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw damaged(place);
  }
  if (isReceipt(value)) return entryOfReceipt(value, hashOf(value));
  const { completed_at: at, receipt_no: receiptNo, receipt_hash: receiptHash } = value as Line;
  const entry = fromLine(value as Line);
  if (entry === undefined) throw damaged(place);
  if (at === undefined || receiptNo === undefined || receiptHash === undefined) return entry;
  return { ...entry, completed: { at: Date.parse(at), receiptNo, receiptHash } };
}

function fromLine(line: Line): LedgerEntry | undefined {
  const { organization_id, deletion_request_id, resource_id, requested_by } = line;
  const type = recordTypeByName(line.resource_type);
  const requestedAt = Date.parse(line.requested_at);
  const texts = [organization_id, deletion_request_id, resource_id, requested_by];
  if (type === undefined || !texts.every((text) => typeof text === "string")) return undefined;
  if (Number.isNaN(requestedAt)) return undefined;
  return {
    organizationId: organization_id,
    deletionRequestId: deletion_request_id,
    resourceType: type.resourceType,
    resourceId: resource_id,
    requestedBy: requested_by,
    requestedAt,
  };
}

function damaged(place: string): StoreError {
  return new StoreError(
    `The ledger of deletions can't be read at ${place}: it is neither an entry nor a receipt. Put an undamaged copy ` +
      "in its place, or name one with --ledger.",
  );
}

function hashOf(receipt: Receipt): string {
  return digest("sha256", chainedText(receipt));
}
