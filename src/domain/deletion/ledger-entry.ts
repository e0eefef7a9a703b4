// Entries of the ledger outside a store: deletions, legal holds, retention floors, settings, restores, and the ends of
// the store's chains. Each is described once, for its type and its JSON. They contain no record content and no reason
// of a deletion.

import {
  type Codec,
  count,
  flag,
  invalid,
  nullable,
  object,
  optional,
  orNull,
  text,
  time,
  type ValueOf,
} from "../json/codec.ts";
import type { ResourceType } from "../record-type.ts";
import { recordTypeByName } from "../record-types.ts";
import { type FloorOrigin, floorOrigins } from "../retention/floor.ts";
import { isJsonObject } from "../schema/schema-shape.ts";
import { isOfOrganization } from "./organization-deletion.ts";
import type { Receipt } from "./receipt.ts";

/** The type of a record, or `organization`. */
const resourceType: Codec<ResourceType> = {
  write: text.write,
  read: (json) => {
    if (typeof json !== "string") return invalid;
    if (isOfOrganization({ resourceType: json })) return json;
    return recordTypeByName(json)?.resourceType ?? invalid;
  },
};

const types: Codec<readonly ResourceType[]> = {
  write: (names) => names,
  read: (json) => {
    if (!Array.isArray(json)) return invalid;
    const read = json.map((name) => resourceType.read(name));
    return read.includes(invalid) ? invalid : (read as readonly ResourceType[]);
  },
};

const origin: Codec<FloorOrigin> = {
  write: text.write,
  read: (json) => floorOrigins.find((one) => one === json) ?? invalid,
};

/** The last link of a hash chain. */
const head = object({ no: count, hash: text });
export type ChainHead = ValueOf<typeof head>;

export const beforeFirst: ChainHead = { no: 0, hash: "0".repeat(64) };

/** The end of the chain in the restored store, and according to the ledger. */
const cut = object({ restored: head, known: head });
export type ChainCut = ValueOf<typeof cut>;

/** A restore cut the links up to `known`. A backup of another ledger has other links after `shared`. */
const cuts = { audit: cut, receipts: cut, shared: head };
export const cutsCodec = object(cuts);

const hold = object({
  holdId: text,
  organizationId: text,
  resourceType: text,
  resourceId: text,
  reason: text,
  owner: orNull(text),
  reviewOn: orNull(text),
  endsOn: orNull(text),
  placedAt: time,
  placedBy: text,
});

const rule = object({
  keepDays: count,
  countedFrom: origin,
  redactable: flag,
  deleteAfterDays: optional(count),
});

/** What an entry about an organization can state. */
const settings = object({
  name: optional(text),
  strictScopes: optional(flag),
  deletionGraceSeconds: optional(count),
  rateLimitPerSecond: optional(nullable(count)),
  retainDays: optional(nullable(count)),
  confidentialTypes: optional(types),
  deletionApproval: optional(flag),
});
export type LedgerSettings = ValueOf<typeof settings>;

const made = { at: time, by: text };

const heads = {
  at: time,
  storeId: text,
  ledgerId: text,
  audit: head,
  receipts: head,
  /** The digest of the previous frame, so that the signature covers the ledger too. */
  ledger: text,
  keyId: text,
};
const signedHeads = object(heads);

const codecs = {
  deletion: object({
    organizationId: text,
    deletionRequestId: text,
    resourceType,
    resourceId: text,
    requestedBy: text,
    requestedAt: time,
    /** Missing in the entry that is written before the completion. */
    completed: optional(object({ at: time, receiptNo: count, receiptHash: text })),
  }),
  /** A request was cancelled while it was pending, so what it names must not be erased. */
  deletion_cancelled: object({ deletionRequestId: text, ...made }),
  hold_placed: object({ hold }),
  /** `because`: `ended` for a hold that ended by itself; undefined for one that somebody released. */
  hold_released: object({ holdId: text, ...made, because: orNull(text) }),
  /** The rule of a type was set or, without a rule, removed. The highest number of an audit entry is in force. */
  floor: object({
    entryNo: count,
    organizationId: text,
    resourceType,
    rule: orNull(rule),
    ...made,
  }),
  /** For each setting, the highest number of an audit entry is in force. */
  settings: object({ entryNo: count, organizationId: text, settings, ...made }),
  /** The heads of both chains of the store. The signature is Ed25519 over the canonical JSON of the rest, base64url. */
  heads: object({ ...heads, signature: text }),
  /** `entry`: the audit entry in the store that records the restore. */
  restore: object({ ...made, entry: head, ...cuts }),
  /** The first entry of every ledger. */
  begin: object({ ledgerId: text, storeId: text, at: time }),
};

type Kind = keyof typeof codecs;
type EntryOf<Of extends Kind> = {
  readonly [Each in Of]: { readonly kind: Each } & ValueOf<(typeof codecs)[Each]>;
}[Of];

/** Times are Unix milliseconds. */
export type LedgerEntry = EntryOf<Kind>;
export type DeletionEntry = EntryOf<"deletion">;
export type FloorEntry = EntryOf<"floor">;
export type SettingsEntry = EntryOf<"settings">;
export type HeadsEntry = EntryOf<"heads">;
export type RestoreEntry = EntryOf<"restore">;

/** Returns what is signed, as canonical JSON. */
export function headsToSign(entry: Omit<HeadsEntry, "signature">): object {
  return { kind: entry.kind, ...(signedHeads.write(entry) as object) };
}

export function writeEntry(entry: LedgerEntry): object {
  const { write } = codecs[entry.kind] as Codec<object>;
  return { kind: entry.kind, ...(write(entry) as object) };
}

export function readEntry(json: unknown): LedgerEntry | typeof invalid {
  const kind = isJsonObject(json) ? json["kind"] : undefined;
  if (typeof kind !== "string" || !Object.hasOwn(codecs, kind)) return invalid;
  const fields = codecs[kind as Kind].read(json);
  return fields === invalid ? invalid : ({ kind, ...fields } as LedgerEntry);
}

/** Returns the entry of a completed deletion. `hash` is the hash of the receipt. */
export function entryOfReceipt(receipt: Receipt, hash: string): DeletionEntry {
  const { asked } = receipt;
  return {
    kind: "deletion",
    organizationId: receipt.organization_id,
    deletionRequestId: receipt.deletion_request_id,
    resourceType: asked.resource_type,
    resourceId: asked.resource_id,
    requestedBy: asked.by,
    requestedAt: Date.parse(asked.at),
    completed: {
      at: Date.parse(receipt.completed_at),
      receiptNo: receipt.receipt_no,
      receiptHash: hash,
    },
  };
}
