// The JSON of the entries of a ledger, both ways.

import type { Hold } from "../access.ts";
import {
  type Codec,
  count,
  countOrNull,
  flag,
  invalid,
  object,
  partial,
  text,
  textOrNull,
  time,
} from "../json/codec.ts";
import type { ResourceType } from "../record-type.ts";
import { recordTypeByName } from "../record-types.ts";
import { floorOrigins } from "../retention/floor.ts";
import { isJsonObject } from "../schema/schema-shape.ts";
import type {
  BeginEntry,
  ChainCut,
  ChainHead,
  DeletionCancelledEntry,
  DeletionEntry,
  FloorEntry,
  HeadsEntry,
  HoldReleasedEntry,
  LedgerEntry,
  LedgerSettings,
  RestoreEntry,
  SettingsEntry,
} from "./ledger-entry.ts";
import { isOfOrganization } from "./organization-deletion.ts";

type EntryOf<Kind> = Extract<LedgerEntry, { readonly kind: Kind }>;
type Fields<Entry extends LedgerEntry> = Omit<Entry, "kind">;

/** The type of a record, or `organization`. */
const resourceType: Codec<ResourceType> = {
  write: text.write,
  read: (json) => {
    if (typeof json !== "string") return invalid;
    if (isOfOrganization({ resourceType: json })) return json;
    return recordTypeByName(json)?.resourceType ?? invalid;
  },
};

const request = object<Omit<Fields<DeletionEntry>, "completed">>({
  organizationId: text,
  deletionRequestId: text,
  resourceType,
  resourceId: text,
  requestedBy: text,
  requestedAt: time,
});

const completion = object({ completedAt: time, receiptNo: count, receiptHash: text });

/** A deletion. An entry without a completion contains only the request. */
export const deletionCodec: Codec<Fields<DeletionEntry>> = {
  write: ({ completed, ...asked }) => {
    const written = request.write(asked) as object;
    if (completed === undefined) return written;
    const { at: completedAt, receiptNo, receiptHash } = completed;
    const done = completion.write({ completedAt, receiptNo, receiptHash }) as object;
    return { ...written, ...done };
  },
  read: (json) => {
    const asked = request.read(json);
    if (asked === invalid || !isJsonObject(json) || json["completed_at"] === undefined)
      return asked;
    const done = completion.read(json);
    if (done === invalid) return invalid;
    const { completedAt: at, receiptNo, receiptHash } = done;
    return { ...asked, completed: { at, receiptNo, receiptHash } };
  },
};

const hold = object<Hold>({
  holdId: text,
  organizationId: text,
  resourceType: text,
  resourceId: text,
  reason: text,
  owner: textOrNull,
  reviewOn: textOrNull,
  endsOn: textOrNull,
  placedAt: time,
  placedBy: text,
});

type Rule = FloorEntry["rule"] & {};

const floorRule = object<Omit<Rule, "deleteAfterDays"> & { deleteAfterDays: number | undefined }>({
  keepDays: count,
  countedFrom: {
    write: text.write,
    read: (json) => floorOrigins.find((origin) => origin === json) ?? invalid,
  },
  redactable: flag,
  deleteAfterDays: countOrNull,
});

/** Null for a rule that was removed. */
const ruleOrNull: Codec<Rule | undefined> = {
  write: (rule) =>
    rule === undefined ? null : floorRule.write({ deleteAfterDays: undefined, ...rule }),
  read: (json) => {
    if (json === null) return undefined;
    const read = floorRule.read(json);
    if (read === invalid) return invalid;
    const { deleteAfterDays, ...floor } = read;
    return deleteAfterDays === undefined ? floor : { ...floor, deleteAfterDays };
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

const numberOrNull: Codec<number | null> = {
  write: (value) => value,
  read: (json) => (json === null ? null : count.read(json)),
};

export const settingsCodec = partial<LedgerSettings>({
  name: text,
  strictScopes: flag,
  deletionGraceSeconds: count,
  rateLimitPerSecond: numberOrNull,
  retainDays: numberOrNull,
  confidentialTypes: types,
  eraseOrphanedTransactions: flag,
  deletionApproval: flag,
});

export const headCodec = object<ChainHead>({ no: count, hash: text });

export const cutCodec = object<ChainCut>({ restored: headCodec, known: headCodec });

const signed = {
  at: time,
  storeId: text,
  ledgerId: text,
  audit: headCodec,
  receipts: headCodec,
  ledger: text,
  keyId: text,
};
const signedHeads = object<Omit<Fields<HeadsEntry>, "signature">>(signed);

/** Returns what is signed, as canonical JSON. */
export function headsToSign(entry: Omit<HeadsEntry, "signature">): object {
  return { kind: entry.kind, ...(signedHeads.write(entry) as object) };
}

const codecs: { readonly [Kind in LedgerEntry["kind"]]: Codec<Fields<EntryOf<Kind>>> } = {
  deletion: deletionCodec,
  deletion_cancelled: object<Fields<DeletionCancelledEntry>>({
    deletionRequestId: text,
    at: time,
    by: text,
  }),
  hold_placed: {
    write: (entry) => hold.write(entry.hold),
    read: (json) => {
      const placed = hold.read(json);
      return placed === invalid ? invalid : { hold: placed };
    },
  },
  hold_released: object<Fields<HoldReleasedEntry>>({
    holdId: text,
    at: time,
    by: text,
    because: textOrNull,
  }),
  floor: object<Fields<FloorEntry>>({
    entryNo: count,
    organizationId: text,
    resourceType,
    rule: ruleOrNull,
    at: time,
    by: text,
  }),
  settings: object<Fields<SettingsEntry>>({
    entryNo: count,
    organizationId: text,
    settings: settingsCodec,
    at: time,
    by: text,
  }),
  heads: object<Fields<HeadsEntry>>({ ...signed, signature: text }),
  restore: object<Fields<RestoreEntry>>({
    at: time,
    by: text,
    entry: headCodec,
    audit: cutCodec,
    receipts: cutCodec,
    shared: headCodec,
  }),
  begin: object<Fields<BeginEntry>>({ ledgerId: text, storeId: text, at: time }),
};

export function writeEntry(entry: LedgerEntry): object {
  const { write } = codecs[entry.kind] as Codec<object>;
  return { kind: entry.kind, ...(write(entry) as object) };
}

export function readEntry(json: unknown): LedgerEntry | typeof invalid {
  const kind = isJsonObject(json) ? json["kind"] : undefined;
  if (typeof kind !== "string" || !Object.hasOwn(codecs, kind)) return invalid;
  const fields = codecs[kind as LedgerEntry["kind"]].read(json);
  return fields === invalid ? invalid : ({ kind, ...fields } as LedgerEntry);
}
