// Every table that a move copies, with its columns, in the order of copying. Data for both engines and for the test
// that compares it with their real tables.

/** flag: 0 or 1 on SQLite, a boolean on PostgreSQL. */
export type ColumnKind = "text" | "number" | "bytes" | "flag";

/** The values of a row, in the same form on every engine; flags are 0 or 1. */
export type MovedValue = null | number | string | Uint8Array;
export type MovedRow = readonly MovedValue[];

export interface MovedTable {
  readonly name: string;
  /** The columns of the key, which is unique and indexed on every engine. */
  readonly key: readonly string[];
  /** The columns, in the order of a row's values. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

/** Columns, separated by spaces, of the same kind. */
function all(kind: ColumnKind, columns: string): MovedTable["columns"] {
  return Object.fromEntries(columns.split(" ").map((column) => [column, kind]));
}

const recordKey = ["organization_id", "resource_type", "resource_id"];

/**
 * Credentials come last, and deletions shortly before: a process that serves the target by mistake accepts no caller
 * and has nothing to process.
 */
export const movedTables: readonly MovedTable[] = [
  {
    name: "record",
    key: recordKey,
    columns: all("text", "organization_id resource_type resource_id first_seen last_seen"),
  },
  {
    name: "change",
    key: [...recordKey, "change_no"],
    columns: {
      ...all("text", "organization_id resource_type resource_id"),
      ...all("number", "change_no received_at"),
      reply_key: "bytes",
      payload: "text",
      digest: "number",
    },
  },
  {
    name: "relation",
    key: ["organization_id", "to_type", "to_id", "from_type", "from_id"],
    columns: all("text", "organization_id from_type from_id to_type to_id kind"),
  },
  {
    name: "hold",
    key: ["hold_id"],
    columns: {
      ...all("text", "hold_id organization_id resource_type resource_id reason owner review_on"),
      placed_at: "number",
      placed_by: "text",
    },
  },
  {
    name: "retention_floor",
    key: ["organization_id", "resource_type"],
    columns: {
      ...all("text", "organization_id resource_type"),
      keep_days: "number",
      counted_from: "text",
    },
  },
  {
    name: "idempotent_reply",
    key: ["organization_id", "key_hash"],
    columns: {
      organization_id: "text",
      ...all("bytes", "key_hash fingerprint"),
      outcome: "text",
      created_at: "number",
    },
  },
  {
    name: "receipt_key",
    key: ["key_id"],
    columns: { ...all("text", "key_id public_key"), ...all("number", "created_at retired_at") },
  },
  {
    name: "receipt",
    key: ["receipt_no"],
    columns: {
      receipt_no: "number",
      ...all("text", "deletion_request_id organization_id document hash"),
    },
  },
  {
    name: "audit_entry",
    key: ["entry_no"],
    columns: {
      ...all("number", "entry_no at"),
      ...all("text", "actor action organization_id subject detail previous_hash hash"),
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
      ...all(
        "text",
        "deletion_request_id organization_id resource_type resource_id reason status requested_by",
      ),
      ...all("number", "requested_at due_at started_at completed_at"),
      ...all("text", "erased kept"),
      redacted: "number",
      redacted_by_type: "text",
      attempts: "number",
      waiting_for: "text",
      held: "flag",
      ...all("number", "next_attempt_at floor_until lease_until"),
      ...all("text", "claimant carried_out_before restricted_of approval_requester approved_by"),
      ...all("number", "approved_at plan_end"),
      cursor: "text",
    },
  },
  {
    name: "deletion_target",
    key: ["deletion_request_id", "position"],
    columns: {
      deletion_request_id: "text",
      position: "number",
      ...all("text", "action organization_id resource_type resource_id to_type to_id"),
      ...all("flag", "done restricted"),
    },
  },
  {
    name: "restricted_reference",
    key: ["deletion_request_id", "from_type", "from_id", "to_type", "to_id"],
    columns: {
      ...all(
        "text",
        "deletion_request_id organization_id from_type from_id from_set to_type to_id",
      ),
      done: "flag",
    },
  },
  {
    name: "pseudonym",
    key: ["deletion_request_id"],
    columns: {
      ...all("text", "deletion_request_id organization_id pseudonym pass_after"),
      ...all("number", "pass_up_to verified_to"),
      pass_found: "flag",
    },
  },
  {
    name: "organization",
    key: ["organization_id"],
    columns: {
      ...all("text", "organization_id name"),
      ...all("flag", "strict_scopes erase_orphaned_transactions deletion_approval"),
      ...all("number", "deletion_grace_seconds rate_limit_per_second retain_days"),
      confidential_types: "text",
      ...all("number", "created_at closed_at"),
      deletion_request_id: "text",
    },
  },
  {
    name: "operator",
    key: ["operator_id"],
    columns: {
      ...all("text", "operator_id name roles issuer subject"),
      ...all("number", "created_at disabled_at"),
    },
  },
  {
    name: "operator_passkey",
    key: ["credential_id"],
    columns: {
      ...all("text", "credential_id operator_id"),
      public_key: "bytes",
      sign_count: "number",
      transports: "text",
      ...all("number", "created_at last_used_at"),
    },
  },
  {
    name: "api_key",
    key: ["key_id"],
    columns: {
      ...all("text", "key_id organization_id name"),
      secret_hash: "bytes",
      scopes: "text",
      ...all("number", "created_at expires_at revoked_at last_used_at"),
    },
  },
  {
    name: "access_token",
    key: ["token_hash"],
    columns: {
      token_hash: "bytes",
      ...all("text", "key_id organization_id scopes"),
      ...all("number", "created_at expires_at"),
    },
  },
];

/** The values of the key of a row, in the order of the key. */
export function keyOf({ columns, key }: MovedTable, row: MovedRow): MovedRow {
  const names = Object.keys(columns);
  return key.map((name) => row[names.indexOf(name)] ?? null);
}
