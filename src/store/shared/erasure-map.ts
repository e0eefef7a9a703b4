// Every column of every table of both engines: how an erasure removes it, or why it remains. Documentation as data: a
// test compares it with the real tables, and with what a deletion leaves in them; nothing is erased by it.

export type Fate = { readonly erased: string } | { readonly retained: string };

const withRecord: Fate = { erased: "the row is deleted when the record is erased" };
const withReference: Fate = {
  erased:
    "the row is deleted when either record is erased; the other's changes are rewritten without it",
};
const withPlan: Fate = { erased: "the plan is deleted when the deletion is verified" };
const notAboutRecords: Fate = { retained: "contains nothing about any record" };
const proof: Fate = { retained: "the proof of a deletion: that it was requested, and its result" };
const trail: Fate = { retained: "the audit trail is a chain; it never contains record content" };
const replyHashes: Fate = {
  erased: "the row is deleted when any record that the request wrote is erased, or after 24 hours",
};
const untilCompleted: Fate = {
  erased:
    "the row is deleted when the deletion is completed, so that nothing connects the id with it",
};
const untilRelease: Fate = {
  retained: "a record under a hold is not erased; the row is deleted when the hold is released",
};

const untilReplayed: Fate = {
  erased: "the row is deleted when the deletion is reopened, which then contains the same",
};

const withSet: Fate = {
  erased:
    "the row is deleted when the restricted set is erased, after the reference was redacted, or when the report is erased",
};

type Table = Readonly<Record<string, Fate>>;

/** Columns, separated by spaces, that an erasure treats in the same way. */
function all(fate: Fate, columns: string): Table {
  return Object.fromEntries(columns.split(" ").map((column) => [column, fate]));
}

export const erasureMap: Readonly<Record<string, Table>> = {
  meta: all(notAboutRecords, "name value"),
  counter: all(notAboutRecords, "name value"),
  organization: all(
    notAboutRecords,
    "organization_id name strict_scopes deletion_grace_seconds rate_limit_per_second retain_days " +
      "confidential_types erase_orphaned_transactions deletion_approval created_at closed_at deletion_request_id",
  ),
  api_key: all(
    notAboutRecords,
    "key_id organization_id name secret_hash scopes created_at expires_at revoked_at last_used_at",
  ),
  access_token: all(
    notAboutRecords,
    "token_hash key_id organization_id scopes created_at expires_at",
  ),
  record: all(
    withRecord,
    "organization_id resource_type resource_id record_no first_seen last_seen",
  ),
  change: {
    ...all(
      withRecord,
      "organization_id resource_type resource_id record_no change_no received_at reply_key",
    ),
    payload: {
      erased:
        "the row is deleted with its record; references to erased records are redacted, and pseudonyms replace " +
        "the ids of erased persons and companies",
    },
    digest: {
      erased: "the row is deleted with its record; recomputed when the payload is rewritten",
    },
  },
  relation: all(withReference, "organization_id from_type from_id to_type to_id kind"),
  deletion: {
    ...all(
      proof,
      "deletion_request_id organization_id resource_type resource_id reason status requested_by " +
        "requested_at due_at started_at completed_at erased kept redacted redacted_by_type attempts",
    ),
    waiting_for: { erased: "emptied on completion; it may name a record under a hold or a floor" },
    ...all(
      proof,
      "held floor_until next_attempt_at lease_until claimant carried_out_before restricted_of " +
        "approval_requester approved_by approved_at plan_end",
    ),
    cursor: {
      erased: "emptied when the step has ended; it may name a record that a step has reached",
    },
  },
  deletion_target: all(
    withPlan,
    "deletion_request_id position organization_id action resource_type resource_id record_no " +
      "to_type to_id done restricted",
  ),
  restricted_reference: all(
    withSet,
    "deletion_request_id organization_id from_type from_id from_set to_type to_id done",
  ),
  pseudonym: all(
    untilCompleted,
    "deletion_request_id organization_id pseudonym pass_up_to pass_after pass_found verified_to",
  ),
  hold: all(
    untilRelease,
    "hold_id organization_id resource_type resource_id reason owner review_on placed_at placed_by",
  ),
  retention_floor: all(notAboutRecords, "organization_id resource_type keep_days counted_from"),
  operator: all(notAboutRecords, "operator_id name roles created_at disabled_at issuer subject"),
  operator_passkey: all(
    notAboutRecords,
    "credential_id operator_id public_key sign_count transports created_at last_used_at",
  ),
  operator_session: all(
    notAboutRecords,
    "session_id token_hash operator_id method created_at expires_at",
  ),
  one_time_token: all(notAboutRecords, "token_hash purpose operator_id expires_at"),
  import_run: all(
    notAboutRecords,
    "organization_id import_id resource_type source started_at started_by updated_at rows_read " +
      "written unchanged refused outcome",
  ),
  idempotent_reply: all(replyHashes, "organization_id key_hash fingerprint outcome created_at"),
  receipt: {
    ...all(proof, "receipt_no deletion_request_id organization_id"),
    document: { retained: "the proof itself: the request, with id and reason, and its result" },
    hash: proof,
  },
  receipt_key: all(notAboutRecords, "key_id public_key created_at retired_at"),
  receipt_head: {
    ...all(notAboutRecords, "single store_id receipt_no hash"),
    salt_key: { retained: "the key of the salts of receipts" },
  },
  audit_head: all(trail, "single entry_no hash"),
  restore: all(notAboutRecords, "single state began_at began_by sources cut reopened"),
  replay_entry: all(
    untilReplayed,
    "deletion_request_id organization_id resource_type resource_id requested_by requested_at " +
      "completed_at receipt_no receipt_hash",
  ),
  ledger: all(notAboutRecords, "ledger_id frame_end digest noted_at"),
  move: {
    ...all(notAboutRecords, "single store_id"),
    summary: { erased: "counts and digests of what is moved; the table is emptied after the move" },
    table_name: notAboutRecords,
    last_key: { erased: "may name a record; the table is emptied after the move" },
    rows_copied: notAboutRecords,
  },
  audit_entry: all(
    trail,
    "entry_no at actor action organization_id subject detail previous_hash hash",
  ),
};

/** False for a column that contains nothing about any record; undefined for an unknown column. */
export function isAboutRecords(table: string, column: string): boolean | undefined {
  const fate = erasureMap[table]?.[column];
  return fate === undefined ? undefined : fate !== notAboutRecords;
}
