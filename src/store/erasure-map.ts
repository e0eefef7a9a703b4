// Every column of every table of both engines: how an erasure removes it, or why it remains. Documentation as data: a test
// compares it with the real tables, and with what a deletion leaves in them; nothing is erased by it.

export type Fate = { readonly erased: string } | { readonly kept: string };

const withRecord: Fate = { erased: "the row is deleted when the record is erased" };
const withReference: Fate = {
  erased:
    "the row is deleted when either record is erased; the other's changes are rewritten without it",
};
const withPlan: Fate = { erased: "the plan is deleted when the deletion is verified" };
const notAboutRecords: Fate = { kept: "contains nothing about any record" };
const proof: Fate = { kept: "the proof of a deletion: that it was requested, and its result" };
const trail: Fate = { kept: "the audit trail is a chain; it never contains record content" };
const replyHashes: Fate = {
  erased: "the row is deleted when any record that the request wrote is erased, or after 24 hours",
};
const untilRelease: Fate = {
  kept: "a record under a hold is not erased; the row is deleted when the hold is released",
};

const untilReplayed: Fate = {
  erased: "the row is deleted when the deletion is reopened, which then contains the same",
};

export const erasureMap = {
  meta: { name: notAboutRecords, value: notAboutRecords },
  counter: { name: notAboutRecords, value: notAboutRecords },
  organization: {
    organization_id: notAboutRecords,
    name: notAboutRecords,
    strict_scopes: notAboutRecords,
    deletion_grace_seconds: notAboutRecords,
    rate_limit_per_second: notAboutRecords,
    retain_days: notAboutRecords,
    created_at: notAboutRecords,
  },
  api_key: {
    key_id: notAboutRecords,
    organization_id: notAboutRecords,
    name: notAboutRecords,
    secret_hash: notAboutRecords,
    scopes: notAboutRecords,
    created_at: notAboutRecords,
    expires_at: notAboutRecords,
    revoked_at: notAboutRecords,
    last_used_at: notAboutRecords,
  },
  access_token: {
    token_hash: notAboutRecords,
    key_id: notAboutRecords,
    organization_id: notAboutRecords,
    scopes: notAboutRecords,
    created_at: notAboutRecords,
    expires_at: notAboutRecords,
  },
  record: {
    organization_id: withRecord,
    resource_type: withRecord,
    resource_id: withRecord,
    record_no: withRecord,
    first_seen: withRecord,
    last_seen: withRecord,
  },
  change: {
    organization_id: withRecord,
    resource_type: withRecord,
    resource_id: withRecord,
    record_no: withRecord,
    change_no: withRecord,
    received_at: withRecord,
    reply_key: withRecord,
    payload: {
      erased: "the row is deleted with its record; references to erased records are redacted",
    },
    digest: {
      erased: "the row is deleted with its record; recomputed when the payload is rewritten",
    },
  },
  relation: {
    organization_id: withReference,
    from_type: withReference,
    from_id: withReference,
    to_type: withReference,
    to_id: withReference,
    kind: withReference,
  },
  deletion: {
    deletion_request_id: proof,
    organization_id: proof,
    resource_type: proof,
    resource_id: proof,
    reason: proof,
    status: proof,
    requested_by: proof,
    requested_at: proof,
    due_at: proof,
    started_at: proof,
    completed_at: proof,
    erased: proof,
    redacted: proof,
    attempts: proof,
    waiting_for: { erased: "emptied on completion; it may name a record under a hold" },
    held: proof,
    next_attempt_at: proof,
    lease_until: proof,
    claimant: proof,
    carried_out_before: proof,
  },
  deletion_target: {
    deletion_request_id: withPlan,
    position: withPlan,
    organization_id: withPlan,
    action: withPlan,
    resource_type: withPlan,
    resource_id: withPlan,
    record_no: withPlan,
    to_type: withPlan,
    to_id: withPlan,
    done: withPlan,
  },
  hold: {
    hold_id: untilRelease,
    organization_id: untilRelease,
    resource_type: untilRelease,
    resource_id: untilRelease,
    reason: untilRelease,
    owner: untilRelease,
    review_on: untilRelease,
    placed_at: untilRelease,
    placed_by: untilRelease,
  },
  idempotent_reply: {
    organization_id: replyHashes,
    key_hash: replyHashes,
    fingerprint: replyHashes,
    outcome: replyHashes,
    created_at: replyHashes,
  },
  receipt: {
    receipt_no: proof,
    deletion_request_id: proof,
    organization_id: proof,
    document: { kept: "the proof itself: the request, with id and reason, and its result" },
    hash: proof,
  },
  receipt_key: {
    key_id: notAboutRecords,
    public_key: notAboutRecords,
    created_at: notAboutRecords,
    retired_at: notAboutRecords,
  },
  receipt_head: {
    single: notAboutRecords,
    store_id: notAboutRecords,
    receipt_no: notAboutRecords,
    hash: notAboutRecords,
  },
  audit_head: { single: trail, entry_no: trail, hash: trail },
  restore: {
    single: notAboutRecords,
    state: notAboutRecords,
    began_at: notAboutRecords,
    began_by: notAboutRecords,
    sources: notAboutRecords,
    cut: notAboutRecords,
    reopened: notAboutRecords,
  },
  replay_entry: {
    deletion_request_id: untilReplayed,
    organization_id: untilReplayed,
    resource_type: untilReplayed,
    resource_id: untilReplayed,
    requested_by: untilReplayed,
    requested_at: untilReplayed,
    completed_at: untilReplayed,
    receipt_no: untilReplayed,
    receipt_hash: untilReplayed,
  },
  ledger: {
    ledger_id: notAboutRecords,
    frame_end: notAboutRecords,
    digest: notAboutRecords,
    noted_at: notAboutRecords,
  },
  move: {
    single: notAboutRecords,
    store_id: notAboutRecords,
    summary: {
      erased: "counts and digests of what is moved; the table is emptied after the move",
    },
    table_name: notAboutRecords,
    last_key: { erased: "may name a record; the table is emptied after the move" },
    rows_copied: notAboutRecords,
  },
  audit_entry: {
    entry_no: trail,
    at: trail,
    actor: trail,
    action: trail,
    organization_id: trail,
    subject: trail,
    detail: trail,
    previous_hash: trail,
    hash: trail,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Fate>>>>;

/** False for a column that contains nothing about any record; undefined for an unknown column. */
export function isAboutRecords(table: string, column: string): boolean | undefined {
  const tables: Readonly<Record<string, Readonly<Record<string, Fate>>>> = erasureMap;
  const fate = Object.hasOwn(tables, table) ? tables[table]?.[column] : undefined;
  return fate === undefined ? undefined : fate !== notAboutRecords;
}
