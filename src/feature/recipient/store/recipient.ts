// Recipients in the store: registered, listed and removed, and what they have acknowledged of the feed of changes.

import { AppError } from "../../../domain/error.ts";
import type { Act } from "../../../store/interface/act.ts";
import { reader, type Row } from "../../../store/row/reader.ts";
import {
  acknowledgeDeletions,
  endAcknowledging,
} from "../../../store/sql/deletion/informed-recipient.ts";
import { findLatestArrival } from "../../../store/sql/record/record.ts";
import { inNamedIds } from "../../../store/sql/statement/named.ts";
import {
  allTogether,
  get,
  list,
  run,
  type Statements,
} from "../../../store/sql/statement/statements.ts";
import {
  createSubscription,
  findSubscription,
  listSubscriptions,
  type Marked,
  type Name,
  removeSubscription,
  type SubscriptionKind,
} from "../../follow/store/subscription.ts";
import { changeOnce } from "../../../store/sql/access/idempotency.ts";
import type { Recipient, WaitingRecipient } from "../recipient.ts";
import { actions, errors, recipientsMax } from "./rows.ts";

export type NewRecipient = Pick<Recipient, "organizationId" | "name" | "types"> & Marked;

/** Recipients of all organizations after this one, in the order of their keys. */
export interface RecipientPage {
  readonly after: Pick<Recipient, "organizationId" | "name"> | undefined;
  readonly limit: number;
}

export interface Acknowledgement extends Name {
  readonly changeNo: number;
  /** Up to this number, if it is given, is the same place for the caller, who may not read what is in between. */
  readonly through?: number;
  /** The same position, as the recipient knows it. */
  readonly offset: string;
  readonly now: number;
}

const unread = { without: "created_by" };
const toRecipient = reader<Recipient>({ types: "json" }, unread);
const toWaiting = reader<WaitingRecipient>({ types: "json" }, unread);

const registrationsOf = (organizationId: string) =>
  `hashtextextended('sluice recipients of ' || ${organizationId}, 0)`;

/** A registration excludes erasures of the organization's records; erasures don't exclude each other. */
const lockRegistrations = `
  --sqlite SELECT $1
  --postgres SELECT pg_advisory_xact_lock(${registrationsOf("$1")})
  `;

const insertOne = `
  INSERT INTO recipient (organization_id, name, types, created_at, created_by, since_no)
  VALUES ($1, $2, $3, $4, $5, $6)`;

export const recipientKind: SubscriptionKind<Recipient, NewRecipient, Recipient> = {
  table: "recipient",
  nameColumn: "name",
  order: "name",
  read: toRecipient,
  countMax: recipientsMax,
  tooMany: errors.too_many_recipients,
  *insert({ organizationId, name, types }, { now, actor }) {
    const sinceNo = yield* findLatestArrival();
    yield* run(insertOne, organizationId, name, JSON.stringify(types), now, actor, sinceNo);
  },
  requireSame: (known, { types }) => {
    if (JSON.stringify(known.types) !== JSON.stringify(types))
      throw new AppError(errors.recipient_exists);
  },
  kept: (recipient) => recipient,
  actions: { create: actions["recipient.create"].name, remove: actions["recipient.remove"].name },
  detail: ({ types }) => ({ types: [...types] }),
  // The purge stores the rest.
  end: (one, now) => endAcknowledging(one, Number.MAX_SAFE_INTEGER, now),
};

/**
 * `$1`: types that are left out. The index by type finds the oldest notice of each type that a recipient has not
 * acknowledged, however many notices of other types there are.
 */
const waiting = `
  SELECT recipient.*, (
    SELECT notice.created_at FROM erasure_notice AS notice
    WHERE notice.organization_id = recipient.organization_id AND notice.notice_no = (
      SELECT min((
        SELECT min(oldest.notice_no) FROM erasure_notice AS oldest
        WHERE oldest.organization_id = recipient.organization_id AND oldest.resource_type = type.value
          AND oldest.notice_no >
            CASE WHEN since_no > acknowledged_no THEN since_no ELSE acknowledged_no END))
      --sqlite FROM json_each(recipient.types) AS type
      --sqlite WHERE type.value NOT IN (SELECT value FROM json_each($1))
      --postgres FROM jsonb_array_elements_text(CAST(recipient.types AS jsonb)) AS type(value)
      --postgres WHERE type.value <> ALL ($1::text[])
    )) AS waiting_since
  FROM recipient`;

const findWaitingPage = `
  ${waiting} WHERE (organization_id, name) > ($2, $3) ORDER BY organization_id, name LIMIT $4`;

const findWaitingOf = `${waiting} WHERE organization_id = $2 ORDER BY name`;

const findOfSome = `
  SELECT * FROM recipient WHERE ${inNamedIds("organization_id")} ORDER BY organization_id, name`;

/** Waits for registrations in progress, and later ones for the transaction. */
const awaitRegistrations = `
  --sqlite SELECT $1
  --postgres SELECT pg_advisory_xact_lock_shared(${registrationsOf("id")}) FROM unnest($1::text[]) AS id
  `;

/**
 * A single statement, so that the furthest of several concurrent acknowledgements remains. An identical one changes
 * nothing. `$6`: the last number of the same place.
 */
const setAcknowledged = `
  UPDATE recipient SET
    acknowledged_no = CASE WHEN acknowledged_no < $3 THEN $3 ELSE acknowledged_no END,
    acknowledged_offset = $4, acknowledged_at = $5
  WHERE organization_id = $1 AND name = $2
    AND (acknowledged_no < $3 OR acknowledged_no <= $6 AND acknowledged_offset IS DISTINCT FROM $4)`;

export function* createRecipient(wanted: NewRecipient, act: Act): Statements<Recipient> {
  // First, so that nothing is locked while this waits.
  yield* get(lockRegistrations, wanted.organizationId);
  return yield* createSubscription(recipientKind, wanted, act);
}

export function* removeRecipient(one: Name, act: Act): Statements<Recipient | undefined> {
  return yield* removeSubscription(recipientKind, one, act);
}

export function* listRecipients(organizationId: string): Statements<readonly Recipient[]> {
  return yield* listSubscriptions(recipientKind, organizationId);
}

/** Lists those of an organization, or a page of all. `hidden`: types whose notices do not count. */
export function* listWaiting(
  wanted: string | RecipientPage,
  hidden: readonly string[],
): Statements<readonly WaitingRecipient[]> {
  if (typeof wanted === "string") return yield* list(toWaiting, findWaitingOf, hidden, wanted);
  const { after, limit } = wanted;
  const place = [after?.organizationId ?? "", after?.name ?? "", limit] as const;
  return yield* list(toWaiting, findWaitingPage, hidden, ...place);
}

/** Returns the recipient afterwards: with a number of a later place if the acknowledgement would go back. */
export function* acknowledge(one: Acknowledgement): Statements<Recipient | undefined> {
  const { changeNo, through = changeNo } = one;
  const isKept = ({ acknowledgedNo }: Recipient) => acknowledgedNo <= through;
  return yield* changeOnce({ ...one, change: () => advance(one), isKept });
}

function* advance(one: Acknowledgement): Statements<Recipient | undefined> {
  const { organizationId, name, changeNo, through = changeNo, offset, now } = one;
  const values = [organizationId, name, changeNo, offset, now, through] as const;
  const isNews = (yield* run(setAcknowledged, ...values)) > 0;
  const recipient = yield* findSubscription(recipientKind, one);
  if (isNews && recipient !== undefined) yield* acknowledgeDeletions(recipient, now);
  return recipient;
}

/**
 * The recipients of these organizations. On PostgreSQL this waits until registrations in progress are visible, and
 * later registrations wait for the transaction: a recipient that can read a record learns when it is erased.
 */
export function* findRecipientsOf(
  organizationIds: readonly string[],
): Statements<readonly Recipient[]> {
  const ids = organizationIds.toSorted();
  const [, rows] = yield* allTogether<readonly [unknown[], Row[]]>(
    [awaitRegistrations, ids],
    [findOfSome, ids],
  );
  return rows.map(toRecipient);
}
