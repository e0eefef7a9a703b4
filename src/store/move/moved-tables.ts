// Every table that a move copies, with its columns, in the order of copying. Data for both engines and for the test that compares
// it with their real tables.

/** flag: 0 or 1 on SQLite, a boolean on PostgreSQL. */
export type ColumnKind = "text" | "number" | "bytes" | "flag";

/** In a form that is the same on every engine; flags are 0 or 1. */
export type MovedValue = null | number | string | Uint8Array;
export type MovedRow = readonly MovedValue[];

export interface MovedTable {
  readonly name: string;
  /** Unique and indexed on every engine. */
  readonly key: readonly string[];
  /** The order of a row's values. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

const recordKey = { organization_id: "text", resource_type: "text", resource_id: "text" } as const;

/**
 * Credentials come last, and deletions shortly before: a process that serves the target by mistake accepts no caller and has
 * nothing to process.
 */
export const movedTables: readonly MovedTable[] = [
  {
    name: "record",
    key: ["organization_id", "resource_type", "resource_id"],
    columns: { ...recordKey, first_seen: "text", last_seen: "text" },
  },
  {
    name: "change",
    key: ["organization_id", "resource_type", "resource_id", "change_no"],
    columns: {
      ...recordKey,
      change_no: "number",
      received_at: "number",
      reply_key: "bytes",
      payload: "text",
      digest: "number",
    },
  },
  {
    name: "relation",
    key: ["organization_id", "to_type", "to_id", "from_type", "from_id"],
    columns: {
      organization_id: "text",
      from_type: "text",
      from_id: "text",
      to_type: "text",
      to_id: "text",
      kind: "text",
    },
  },
  {
    name: "hold",
    key: ["hold_id"],
    columns: {
      hold_id: "text",
      ...recordKey,
      reason: "text",
      owner: "text",
      review_on: "text",
      placed_at: "number",
      placed_by: "text",
    },
  },
  {
    name: "idempotent_reply",
    key: ["organization_id", "key_hash"],
    columns: {
      organization_id: "text",
      key_hash: "bytes",
      fingerprint: "bytes",
      outcome: "text",
      created_at: "number",
    },
  },
  {
    name: "receipt_key",
    key: ["key_id"],
    columns: { key_id: "text", public_key: "text", created_at: "number", retired_at: "number" },
  },
  {
    name: "receipt",
    key: ["receipt_no"],
    columns: {
      receipt_no: "number",
      deletion_request_id: "text",
      organization_id: "text",
      document: "text",
      hash: "text",
    },
  },
  {
    name: "audit_entry",
    key: ["entry_no"],
    columns: {
      entry_no: "number",
      at: "number",
      actor: "text",
      action: "text",
      organization_id: "text",
      subject: "text",
      detail: "text",
      previous_hash: "text",
      hash: "text",
    },
  },
  {
    name: "ledger",
    key: ["ledger_id"],
    columns: { ledger_id: "text", frame_end: "number", digest: "text", noted_at: "number" },
  },
  {
    name: "deletion",
    key: ["deletion_request_id"],
    columns: {
      deletion_request_id: "text",
      ...recordKey,
      reason: "text",
      status: "text",
      requested_by: "text",
      requested_at: "number",
      due_at: "number",
      started_at: "number",
      completed_at: "number",
      erased: "text",
      redacted: "number",
      attempts: "number",
      waiting_for: "text",
      held: "flag",
      next_attempt_at: "number",
      lease_until: "number",
      claimant: "text",
      carried_out_before: "text",
    },
  },
  {
    name: "deletion_target",
    key: ["deletion_request_id", "position"],
    columns: {
      deletion_request_id: "text",
      position: "number",
      action: "text",
      ...recordKey,
      to_type: "text",
      to_id: "text",
      done: "flag",
    },
  },
  {
    name: "organization",
    key: ["organization_id"],
    columns: {
      organization_id: "text",
      name: "text",
      strict_scopes: "flag",
      deletion_grace_seconds: "number",
      rate_limit_per_second: "number",
      retain_days: "number",
      created_at: "number",
    },
  },
  {
    name: "api_key",
    key: ["key_id"],
    columns: {
      key_id: "text",
      organization_id: "text",
      name: "text",
      secret_hash: "bytes",
      scopes: "text",
      created_at: "number",
      expires_at: "number",
      revoked_at: "number",
      last_used_at: "number",
    },
  },
  {
    name: "access_token",
    key: ["token_hash"],
    columns: {
      token_hash: "bytes",
      key_id: "text",
      organization_id: "text",
      scopes: "text",
      created_at: "number",
      expires_at: "number",
    },
  },
];

/** Tables and columns that are not copied row by row, and why. */
export const notCopied: Readonly<Record<string, string>> = {
  meta: "each engine has a schema version of its own; the version of credentials is among the ends",
  counter: "its numbers are among the ends",
  receipt_head: "is among the ends",
  audit_head: "follows from the last entry of the trail, which is among the ends",
  restore: "has no row: a store that is being restored is not moved",
  replay_entry: "has no row, as restore",
  move: "is how far the move has come",
  "record.record_no": "a number by which SQLite alone knows a record",
  "change.record_no": "PostgreSQL has the key of the record in its place",
  "deletion_target.record_no": "a number by which SQLite alone knows a record",
};

/** The values of the key of a row, in the order of the key. */
export function keyOf({ columns, key }: MovedTable, row: MovedRow): MovedRow {
  const names = Object.keys(columns);
  return key.map((name) => row[names.indexOf(name)] ?? null);
}
