// Tells recipients what was erased: a step that erases records writes a notice for each of them, in the same
// transaction, so that the feed has the notice from the moment at which it no longer has the record. Without recipients
// nothing is written.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import { type ArrivedNotice, keyText } from "../../../domain/record/record-write.ts";
import type { Recipient } from "../recipient.ts";
import { findRecipientsOf } from "./recipient.ts";
import type { Act } from "../../../store/interface/act.ts";
import {
  acknowledgeDeletions,
  endAcknowledging,
  findNextToAcknowledge,
  isStillWaiting,
  isWaiting,
} from "../../../store/sql/deletion/informed-recipient.ts";
import type { PurgedPart } from "../../../store/sql/method.ts";
import type { ErasedRecords } from "../../../store/sql/part.ts";
import { all, get, Rows, run, type Statements } from "../../../store/sql/statement/statements.ts";
import {
  among,
  named,
  ofTypes,
  ofTypesOnServer,
  sameAsNamed,
} from "../../../store/sql/statement/named.ts";

/**
 * On SQLite the numbers are taken before the rows have them. On PostgreSQL this marks where they begin, as a group of
 * writes does (postgres/commit/record.ts).
 */
const reserveNumbers = `
  --sqlite UPDATE counter SET value = value + $1 WHERE name = 'arrival'
  --postgres SELECT CAST($1 AS bigint), pg_advisory_xact_lock_shared(
  --postgres   (5::bigint << 54) | coalesce(pg_sequence_last_value('arrival'::regclass), 0))
  `;

const insertNotices = `
  INSERT INTO erasure_notice
    (organization_id, notice_no, kind, resource_type, resource_id, deletion_request_id, created_at)
  SELECT organization_id,
    --sqlite (SELECT value FROM counter WHERE name = 'arrival') - following,
    --postgres nextval('arrival'),
    kind, resource_type, resource_id, deletion_request_id, created_at
  FROM ${named(
    "organization_id",
    "kind",
    "resource_type",
    "resource_id",
    "deletion_request_id",
    "created_at bigint",
    "following bigint",
  )}
  --sqlite WHERE true
  RETURNING organization_id, resource_type, deletion_request_id, notice_no`;

const namedTold = named(
  "deletion_request_id",
  "name",
  "resource_type",
  "organization_id",
  "last_no bigint",
  "told_at bigint",
  "since_no bigint",
);

/** What an earlier recipient of the same name has not acknowledged, the new one can't acknowledge either. */
const endEarlier = `
  UPDATE deletion_recipient SET removed_at = named.told_at
  FROM ${namedTold}
  WHERE ${sameAsNamed("deletion_recipient", ["deletion_request_id", "name", "resource_type"])}
    AND deletion_recipient.last_no <= named.since_no AND ${isStillWaiting}`;

const storeTold = `
  INSERT INTO deletion_recipient
    (deletion_request_id, name, resource_type, organization_id, last_no, told_at)
  SELECT deletion_request_id, name, resource_type, organization_id, last_no, told_at
  FROM ${namedTold}
  WHERE true
  ON CONFLICT (deletion_request_id, name, resource_type) DO UPDATE SET
    last_no = excluded.last_no, told_at = excluded.told_at, acknowledged_at = NULL`;

/** A notice for the recipients of a type. */
interface Notice {
  readonly deletion: Deletion;
  readonly kind: ArrivedNotice["kind"];
  readonly resourceType: string;
  readonly resourceId: string;
}

interface NoticeRow {
  readonly organization_id: string;
  readonly resource_type: string;
  readonly deletion_request_id: string;
  readonly notice_no: number;
}

interface Writing {
  /** The possible notices: whether there are recipients is checked in any case. */
  readonly deletions: readonly Deletion[];
  readonly now: number;
}

/**
 * The organization no longer has the moved records, either. The order must not depend on what else was erased or moved,
 * which may be confidential, so it is the order of the keys.
 */
function noticesOf({ deletion, erased, moved }: ErasedRecords): readonly Notice[] {
  return [...erased, ...moved]
    .toSorted((one, other) => (keyText(one) < keyText(other) ? -1 : 1))
    .map((key) => ({ deletion, kind: "erased", ...key }));
}

export function* tellErased(records: readonly ErasedRecords[], { now }: Act): Statements<number> {
  const deletions = records.map(({ deletion }) => deletion);
  return (yield* writeNotices(records.flatMap(noticesOf), { deletions, now })).length;
}

export function* tellCompleted(
  deletions: readonly Deletion[],
  { now }: Act,
): Statements<ReadonlySet<string>> {
  const notices = deletions.map((deletion): Notice => {
    const { resourceType, deletionRequestId: resourceId } = deletion;
    return { deletion, kind: "completed", resourceType, resourceId };
  });
  const written = yield* writeNotices(notices, { deletions, now });
  return new Set(written.map(({ resourceId }) => resourceId));
}

/** Writes the notices that a recipient receives, and returns them. */
function* writeNotices(
  notices: readonly Notice[],
  { deletions, now }: Writing,
): Statements<readonly Notice[]> {
  const organizations = new Set(deletions.map(({ organizationId }) => organizationId));
  const recipients = yield* findRecipientsOf([...organizations]);
  const taken = notices.filter(({ deletion, resourceType }) =>
    recipients.some((one) => takes(one, deletion.organizationId, resourceType)),
  );
  if (taken.length === 0) return [];
  const rows = taken.map((notice, index) => [
    notice.deletion.organizationId,
    notice.kind,
    notice.resourceType,
    notice.resourceId,
    notice.deletion.deletionRequestId,
    now,
    taken.length - 1 - index,
  ]);
  yield* run(reserveNumbers, rows.length);
  const written = yield* all<NoticeRow>(insertNotices, new Rows(rows, 7));
  yield* storeRecipients(written, { recipients, now });
  return taken;
}

function takes({ organizationId, types }: Recipient, owner: string, resourceType: string): boolean {
  return organizationId === owner && types.some((type) => type === resourceType);
}

/** The last notice of each deletion and type. */
function lastOfEach(notices: readonly NoticeRow[]): readonly NoticeRow[] {
  const sorted = notices.toSorted((one, other) => one.notice_no - other.notice_no);
  const keyOf = (row: NoticeRow) => JSON.stringify([row.deletion_request_id, row.resource_type]);
  return [...new Map(sorted.map((row) => [keyOf(row), row])).values()];
}

/** Stores for each deletion and type which recipients are told, and the number of the last notice. */
function* storeRecipients(
  written: readonly NoticeRow[],
  { recipients, now }: { readonly recipients: readonly Recipient[]; readonly now: number },
): Statements<void> {
  const told = lastOfEach(written).flatMap((last) => {
    const { organization_id: owner, resource_type: type, deletion_request_id: id } = last;
    const { notice_no: lastNo } = last;
    return recipients
      .filter((one) => takes(one, owner, type))
      .map(({ name, sinceNo }) => [id, name, type, owner, lastNo, now, sinceNo]);
  });
  yield* run(endEarlier, new Rows(told, 7));
  yield* run(storeTold, new Rows(told, 7));
}

/** The first organization after `$1` that has notices, or deletions that not every recipient has acknowledged. */
const findNextOrganization = `
  SELECT min(organization_id) AS organization_id FROM (
    SELECT * FROM (
      SELECT organization_id FROM erasure_notice WHERE organization_id > $1
      ORDER BY organization_id LIMIT 1) AS noticed
    UNION ALL
    SELECT * FROM (
      SELECT organization_id FROM deletion_recipient
      WHERE organization_id > $1 AND ${isWaiting}
      ORDER BY organization_id LIMIT 1) AS waiting) AS next`;

const findNextType = `
  SELECT resource_type FROM erasure_notice
  WHERE organization_id = $1 AND resource_type > $2
  ORDER BY resource_type LIMIT 1`;

const removeAcknowledged = `
  DELETE FROM erasure_notice WHERE organization_id = $1 AND notice_no IN (
    SELECT notice_no FROM erasure_notice
    WHERE organization_id = $1 AND resource_type = $2 AND notice_no <= $3
    ORDER BY notice_no LIMIT $4)`;

const findOld = `
  SELECT organization_id, notice_no, deletion_request_id, resource_type FROM erasure_notice
  WHERE created_at < $1 ORDER BY created_at LIMIT $2`;

const removeNamed = `
  DELETE FROM erasure_notice
  ${among("USING", "erasure_notice", ["organization_id", "notice_no bigint"])}`;

/** For recipients that have not acknowledged the last notice of the deletion and the type that is removed. */
const setExpired = `
  UPDATE deletion_recipient SET expired_at = named.at
  FROM ${named("deletion_request_id", "resource_type", "notice_no bigint", "at bigint")}
  WHERE ${sameAsNamed("deletion_recipient", ["deletion_request_id", "resource_type"])}
    AND ${isStillWaiting}
    AND NOT EXISTS (
      SELECT 1 FROM recipient
      WHERE recipient.organization_id = deletion_recipient.organization_id
        AND recipient.name = deletion_recipient.name
        AND recipient.acknowledged_no >= named.notice_no)`;

const removeOfOrganization = `
  DELETE FROM erasure_notice WHERE organization_id = $1 AND notice_no IN (
    SELECT notice_no FROM erasure_notice WHERE organization_id = $1 ORDER BY notice_no LIMIT $2)`;

/** How many statements one transaction may execute before it leaves further organizations to the next. */
const purgeStatementsMax = 256;

/** On Citus these are on the coordinator, and can't be in a statement with changes. */
export function noticesIn(order: "ASC" | "DESC"): string {
  return `
    SELECT notice_no, created_at, resource_type, resource_id, kind, deletion_request_id
    FROM erasure_notice
    WHERE organization_id = $1 AND notice_no > $2 AND notice_no <= $3
      --sqlite AND ${ofTypes}
      --postgres AND ${ofTypesOnServer}
    ORDER BY notice_no ${order} LIMIT $5`;
}

export const findNewNotices = `
  --sqlite SELECT value AS organization_id FROM json_each($1)
  --postgres SELECT organization_id FROM unnest($1::text[]) AS waiting (organization_id)
  WHERE EXISTS (
    SELECT 1 FROM erasure_notice
    --sqlite WHERE organization_id = value
    --postgres WHERE erasure_notice.organization_id = waiting.organization_id
      AND notice_no > $2 AND notice_no <= $3)`;

export interface PurgeRange {
  /** Notices that were written before this time are removed, whoever has acknowledged them. */
  readonly before: number;
  /** Where the last part ended; "" for the first part. */
  readonly after: string;
}

/** A bounded part: those written before a time, and those that every recipient of their type has acknowledged. */
export function* purgeNotices({ before, after }: PurgeRange, { now }: Act): Statements<PurgedPart> {
  const rowsMax = limits.purgedRowsMax;
  let removed = after === "" ? yield* removeOld(before, now) : 0;
  if (removed === rowsMax) return { removed, next: after };
  let statements = 3;
  for (let passed = after; ;) {
    if (statements >= purgeStatementsMax) return { removed, next: passed };
    const next = yield* get<{ organization_id: string | null }>(findNextOrganization, passed);
    const owner = next?.organization_id ?? undefined;
    if (owner === undefined) return { removed, next: undefined };
    const part = yield* purgeOfOrganization(owner, { rowsMax: rowsMax - removed, now });
    removed += part.removed;
    statements += part.statements;
    if (!part.isWhole) return { removed, next: passed };
    passed = owner;
  }
}

/** Removes a part of the notices that were written before a time; returns how many. */
function* removeOld(before: number, now: number): Statements<number> {
  const old = yield* all<NoticeRow>(findOld, before, limits.purgedRowsMax);
  if (old.length === 0) return 0;
  const expired = lastOfEach(old).map((last) => [
    last.deletion_request_id,
    last.resource_type,
    last.notice_no,
    now,
  ]);
  yield* run(setExpired, new Rows(expired, 4));
  const ids = old.map((row) => [row.organization_id, row.notice_no]);
  return yield* run(removeNamed, new Rows(ids, 2));
}

interface OrganizationPart {
  readonly removed: number;
  readonly statements: number;
  /** False if there is more of this organization. */
  readonly isWhole: boolean;
}

function* purgeOfOrganization(
  owner: string,
  { rowsMax, now }: { readonly rowsMax: number; readonly now: number },
): Statements<OrganizationPart> {
  const recipients = yield* findRecipientsOf([owner]);
  const settled = yield* settleTold(owner, recipients, now);
  let { statements } = settled;
  let removed = 0;
  for (let type = ""; removed < rowsMax; statements += 2) {
    const next = yield* get<{ resource_type: string }>(findNextType, owner, type);
    if (next === undefined) break;
    type = next.resource_type;
    const told = recipients.filter((one) => takes(one, owner, type));
    const passed = told.map(({ sinceNo, acknowledgedNo }) => Math.max(sinceNo, acknowledgedNo));
    const upTo = Math.min(...passed, Number.MAX_SAFE_INTEGER);
    removed += yield* run(removeAcknowledged, owner, type, upTo, rowsMax - removed);
  }
  return { removed, statements, isWhole: settled.isWhole && removed < rowsMax };
}

/** Stores what an acknowledgement or a removal, which store a bounded number of deletions, has left. */
function* settleTold(
  organizationId: string,
  recipients: readonly Recipient[],
  now: number,
): Statements<Omit<OrganizationPart, "removed">> {
  let statements = 4;
  for (let name = ""; statements < purgeStatementsMax; statements += 3) {
    const next = yield* findNextToAcknowledge(organizationId, name);
    if (next === undefined) return { statements, isWhole: true };
    name = next;
    const recipient = recipients.find((one) => one.name === name);
    const upTo = recipient?.sinceNo ?? Number.MAX_SAFE_INTEGER;
    const parts = [yield* endAcknowledging({ organizationId, name }, upTo, now)];
    if (recipient !== undefined) parts.push(yield* acknowledgeDeletions(recipient, now));
    if (parts.includes(false)) break;
  }
  return { statements, isWhole: false };
}

/** Removes a part of the notices of an organization; returns how many. */
export function* removeNoticesOf(organizationId: string, rowsMax: number): Statements<number> {
  return yield* run(removeOfOrganization, organizationId, rowsMax);
}
