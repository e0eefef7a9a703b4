// What follows the baseline (schema.sql), the same list for both engines: each migration raises the version of the schema
// by one.

import { baselineVersion } from "../shared/schema-version.ts";
import { type EngineName, textFor } from "./statement/statements.ts";

/** What is due, by the organizations that take turns. */
const addTurns = `
  CREATE INDEX deletion_in_turn
    ON deletion (coalesce(restricted_of, organization_id), coalesce(next_attempt_at, due_at), deletion_request_id)
    WHERE status = 'pending'`;

/** Deletions of types that only operators and the retention ceiling request, of which the figures leave out confidential ones. */
const addOthers = `
  CREATE INDEX deletion_of_others
    ON deletion (organization_id, resource_type, status, floor_until)
    WHERE resource_type NOT IN ('transaction', 'person', 'company')`;

/** Hashes take no less room compressed; the server would try to compress each receipt, and then store it as it is. */
const storeReceiptsAsTheyAre = `
  --postgres ALTER TABLE receipt ALTER COLUMN document SET STORAGE EXTERNAL
  `;

/**
 * PostgreSQL uses no index on COALESCE together with row-level security, because it considers that expression leaky; CASE
 * it considers safe. Without the index, each claim reads all pending deletions.
 */
const findWithoutCoalesce = `
  DROP INDEX deletion_in_turn;
  CREATE INDEX deletion_in_turn
    ON deletion ((CASE WHEN restricted_of IS NULL THEN organization_id ELSE restricted_of END),
      (CASE WHEN next_attempt_at IS NULL THEN due_at ELSE next_attempt_at END), deletion_request_id)
    WHERE status = 'pending';
  DROP INDEX deletion_due;
  CREATE INDEX deletion_due
    ON deletion (status, (CASE WHEN next_attempt_at IS NULL THEN due_at ELSE next_attempt_at END)
    --postgres , due_at, deletion_request_id
    ) WHERE status IN ('pending', 'processing')`;

/** A receipt fits in a page, so it need not be cut into rows of a second table. */
const storeReceiptsInRows = `
  --postgres ALTER TABLE receipt SET (toast_tuple_target = 8160)
  `;

/** Room for the next version of a deletion, so that an update of no indexed column leaves the indexes alone. */
const leaveRoomForProgress = `
  --postgres ALTER TABLE deletion SET (fillfactor = 50)
  `;

/** Rules from before this column protect every part of their records too. */
const letReferencesBeRedacted = `
  -- whether a deletion may redact a reference in the records that it keeps
  --sqlite ALTER TABLE retention_floor ADD COLUMN redactable INTEGER NOT NULL DEFAULT 0
  --postgres ALTER TABLE retention_floor ADD COLUMN redactable boolean NOT NULL DEFAULT false
  `;

const endHolds = `
  -- the last date of a hold that ends by itself; null: only a release ends it
  ALTER TABLE hold ADD COLUMN ends_on text
    --postgres COLLATE "C"
    ;
  CREATE INDEX hold_by_end ON hold (ends_on) WHERE ends_on IS NOT NULL`;

/**
 * The changes of an organization in the order of arrival, for the feed. On SQLite the first change of a record has the number
 * of the record, and only later ones need an index of their own; on PostgreSQL the new index also does what the old one did.
 */
const findByArrival = `
  --sqlite CREATE INDEX record_by_arrival ON record (organization_id, record_no);
  --sqlite DROP INDEX change_later;
  --sqlite CREATE INDEX change_later ON change (change_no) WHERE change_no > record_no;
  --postgres DROP INDEX change_by_arrival;
  --postgres CREATE INDEX change_by_arrival ON change (organization_id, change_no);
  `;

/** In order. A migration that was published is never edited; the next change is the next one. */
export const published: readonly string[] = [
  addTurns,
  addOthers,
  storeReceiptsAsTheyAre,
  findWithoutCoalesce,
  storeReceiptsInRows,
  leaveRoomForProgress,
  letReferencesBeRedacted,
  endHolds,
  findByArrival,
];

export const schemaVersion = baselineVersion + published.length;

export interface Upgrade {
  /** The version of the store; 0 for an empty database. */
  readonly from: number;
  readonly migrations: readonly string[];
}

/** The statements of the migrations that a store lacks; a new one, made from the baseline, lacks all. */
export function missingIn({ from, migrations }: Upgrade, engine: EngineName): readonly string[] {
  const done = Math.max(from - baselineVersion, 0);
  return migrations.slice(done).map((migration) => textFor(engine, migration));
}
