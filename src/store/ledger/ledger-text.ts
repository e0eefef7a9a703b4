// Converts entries of the ledger to JSON values and back: entries of frames, lines of older ledgers, and receipts, which contain
// the same about a deletion. Reads no file.

import { hash as digest } from "node:crypto";
import type { Hold } from "../../domain/access.ts";
import {
  type BeginEntry,
  type ChainCut,
  type ChainHead,
  type DeletionEntry,
  entryOfReceipt,
  type HeadsEntry,
  headsToSign,
  type HoldPlacedEntry,
  type HoldReleasedEntry,
  type LedgerEntry,
  type RestoreEntry,
} from "../../domain/deletion/ledger-entry.ts";
import { chainedText, type Receipt } from "../../domain/deletion/receipt.ts";
import { holdFields } from "../../domain/deletion/hold-fields.ts";
import { isReceipt } from "../../domain/deletion/receipt-form.ts";
import { recordTypeByName } from "../../domain/record-types.ts";

type Fields = Readonly<Record<string, unknown>>;

const writers: {
  readonly [Kind in LedgerEntry["kind"]]: (
    entry: Extract<LedgerEntry, { readonly kind: Kind }>,
  ) => Fields;
} = {
  deletion: writeDeletion,
  hold_placed: ({ hold }) => ({
    ...holdFields(hold),
    review_on: hold.reviewOn ?? null,
    placed_at: toTime(hold.placedAt),
    placed_by: hold.placedBy,
  }),
  hold_released: ({ holdId, at, by }) => ({ hold_id: holdId, at: toTime(at), by }),
  heads: (entry) => ({ ...headsToSign(entry), signature: entry.signature }),
  restore: ({ at, by, entry, audit, receipts }) => ({
    at: toTime(at),
    by,
    entry,
    audit,
    receipts,
  }),
  begin: ({ ledgerId, storeId, at }) => ({
    ledger_id: ledgerId,
    store_id: storeId,
    at: toTime(at),
  }),
};

export function writeEntry(entry: LedgerEntry): Fields {
  const write = writers[entry.kind] as (of: LedgerEntry) => Fields;
  return { kind: entry.kind, ...write(entry) };
}

function writeDeletion(entry: DeletionEntry): Fields {
  const { completed } = entry;
  return {
    organization_id: entry.organizationId,
    deletion_request_id: entry.deletionRequestId,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    requested_by: entry.requestedBy,
    requested_at: toTime(entry.requestedAt),
    ...(completed === undefined
      ? {}
      : {
          completed_at: toTime(completed.at),
          receipt_no: completed.receiptNo,
          receipt_hash: completed.receiptHash,
        }),
  };
}

const readers: Readonly<Record<string, (fields: Fields) => LedgerEntry | undefined>> = {
  deletion: readDeletion,
  hold_placed: readHoldPlaced,
  hold_released: readHoldReleased,
  heads: readHeads,
  restore: readRestore,
  begin: readBegin,
};

/** An entry of a frame; undefined if it is invalid. */
export function readEntry(value: unknown): LedgerEntry | undefined {
  if (!isObject(value)) return undefined;
  const { kind } = value;
  return typeof kind === "string" && Object.hasOwn(readers, kind)
    ? readers[kind]?.(value)
    : undefined;
}

/** A line of an older ledger, or a receipt; undefined if it is neither. */
export function readPlainLine(value: unknown): DeletionEntry | undefined {
  if (isReceipt(value)) return entryOfReceipt(value, hashOf(value));
  return isObject(value) ? readDeletion(value) : undefined;
}

function readDeletion(fields: Fields): DeletionEntry | undefined {
  const type = recordTypeByName(textOf(fields["resource_type"]) ?? "");
  const organizationId = textOf(fields["organization_id"]);
  const deletionRequestId = textOf(fields["deletion_request_id"]);
  const resourceId = textOf(fields["resource_id"]);
  const requestedBy = textOf(fields["requested_by"]);
  const requestedAt = readTime(fields["requested_at"]);
  if (type === undefined || organizationId === undefined || deletionRequestId === undefined) {
    return undefined;
  }
  if (resourceId === undefined || requestedBy === undefined || requestedAt === undefined) {
    return undefined;
  }
  const entry: DeletionEntry = {
    kind: "deletion",
    organizationId,
    deletionRequestId,
    resourceType: type.resourceType,
    resourceId,
    requestedBy,
    requestedAt,
  };
  if (fields["completed_at"] === undefined) return entry;
  const at = readTime(fields["completed_at"]);
  const receiptNo = numberOf(fields["receipt_no"]);
  const receiptHash = textOf(fields["receipt_hash"]);
  if (at === undefined || receiptNo === undefined || receiptHash === undefined) return undefined;
  return { ...entry, completed: { at, receiptNo, receiptHash } };
}

function readHoldPlaced(fields: Fields): HoldPlacedEntry | undefined {
  const hold: Partial<Hold> = {
    holdId: textOf(fields["hold_id"]),
    organizationId: textOf(fields["organization_id"]),
    resourceType: textOf(fields["resource_type"]),
    resourceId: textOf(fields["resource_id"]),
    reason: textOf(fields["reason"]),
    placedAt: readTime(fields["placed_at"]),
    placedBy: textOf(fields["placed_by"]),
  } as Partial<Hold>;
  if (Object.values(hold).includes(undefined)) return undefined;
  const [owner, reviewOn] = [fields["owner"] ?? undefined, fields["review_on"] ?? undefined];
  if (!isTextOrNothing(owner) || !isTextOrNothing(reviewOn)) return undefined;
  return { kind: "hold_placed", hold: { ...(hold as Hold), owner, reviewOn } };
}

function readHoldReleased(fields: Fields): HoldReleasedEntry | undefined {
  const holdId = textOf(fields["hold_id"]);
  const at = readTime(fields["at"]);
  const by = textOf(fields["by"]);
  if (holdId === undefined || at === undefined || by === undefined) return undefined;
  return { kind: "hold_released", holdId, at, by };
}

function readHeads(fields: Fields): HeadsEntry | undefined {
  const at = readTime(fields["at"]);
  const [audit, receipts] = [readHead(fields["audit"]), readHead(fields["receipts"])];
  const texts = {
    storeId: textOf(fields["store_id"]),
    ledgerId: textOf(fields["ledger_id"]),
    ledger: textOf(fields["ledger"]),
    keyId: textOf(fields["key_id"]),
    signature: textOf(fields["signature"]),
  };
  if (at === undefined || audit === undefined || receipts === undefined) return undefined;
  if (Object.values(texts).includes(undefined)) return undefined;
  return { kind: "heads", at, audit, receipts, ...(texts as Record<keyof typeof texts, string>) };
}

function readRestore(fields: Fields): RestoreEntry | undefined {
  const at = readTime(fields["at"]);
  const by = textOf(fields["by"]);
  const entry = readHead(fields["entry"]);
  const [audit, receipts] = [readCut(fields["audit"]), readCut(fields["receipts"])];
  if (at === undefined || by === undefined || entry === undefined) return undefined;
  if (audit === undefined || receipts === undefined) return undefined;
  return { kind: "restore", at, by, entry, audit, receipts };
}

function readBegin(fields: Fields): BeginEntry | undefined {
  const ledgerId = textOf(fields["ledger_id"]);
  const storeId = textOf(fields["store_id"]);
  const at = readTime(fields["at"]);
  if (ledgerId === undefined || storeId === undefined || at === undefined) return undefined;
  return { kind: "begin", ledgerId, storeId, at };
}

export function readCut(value: unknown): ChainCut | undefined {
  if (!isObject(value)) return undefined;
  const [restored, known] = [readHead(value["restored"]), readHead(value["known"])];
  return restored === undefined || known === undefined ? undefined : { restored, known };
}

function readHead(value: unknown): ChainHead | undefined {
  if (!isObject(value)) return undefined;
  const [no, hash] = [numberOf(value["no"]), textOf(value["hash"])];
  return no === undefined || hash === undefined ? undefined : { no, hash };
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTextOrNothing(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

function toTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

function readTime(value: unknown): number | undefined {
  const unixMs = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(unixMs) ? undefined : unixMs;
}

function hashOf(receipt: Receipt): string {
  return digest("sha256", chainedText(receipt));
}
