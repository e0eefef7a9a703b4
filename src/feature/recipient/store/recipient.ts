// What recipients have acknowledged of the feed of changes, and what they have not.

import type { Recipient, WaitingRecipient } from "../recipient.ts";
import type { Marked, RecipientPage } from "../../subscription/store/interface.ts";
import { reader, type Row } from "../../../store/row/reader.ts";
import { inNamedIds } from "../../../store/sql/statement/named.ts";
import {
  allTogether,
  list,
  run,
  type Statements,
} from "../../../store/sql/statement/statements.ts";
import { findRecipient, once, recipientColumns, toRecipient } from "../../../store/sql/subscription.ts";
import { acknowledgeTold } from "../../../store/sql/deletion/told-recipient.ts";

export interface Acknowledgement extends Marked {
  readonly organizationId: string;
  readonly name: string;
  readonly changeNo: number;
  /** Up to this number, if it is given, is the same place for the caller, who may not read what is in between. */
  readonly through?: number;
  /** The same position, as the recipient knows it. */
  readonly offset: string;
  readonly now: number;
}

const toWaiting = reader<WaitingRecipient>({ types: "json" });

/**
 * `$1`: types that are left out. The index by type finds the oldest notice of each type that a recipient has not
 * acknowledged, however many notices of other types there are.
 */
const waiting = `
  SELECT ${recipientColumns}, (
    SELECT notice.created_at FROM erasure_notice AS notice
    WHERE notice.organization_id = recipient.organization_id AND notice.notice_no = (
      SELECT min((
        SELECT min(oldest.notice_no) FROM erasure_notice AS oldest
        WHERE oldest.organization_id = recipient.organization_id AND oldest.resource_type = type.value
          AND oldest.notice_no >
            CASE WHEN since_no > change_no THEN since_no ELSE change_no END))
      --sqlite FROM json_each(recipient.types) AS type
      --sqlite WHERE type.value NOT IN (SELECT value FROM json_each($1))
      --postgres FROM jsonb_array_elements_text(CAST(recipient.types AS jsonb)) AS type(value)
      --postgres WHERE type.value <> ALL ($1::text[])
    )) AS waiting_since
  FROM subscription AS recipient WHERE kind = 'recipient'`;

const findWaitingPage = `
  ${waiting} AND (organization_id, name) > ($2, $3) ORDER BY organization_id, name LIMIT $4`;

const findWaitingOf = `${waiting} AND organization_id = $2 ORDER BY name`;

const findOfSome = `
  SELECT ${recipientColumns} FROM subscription
  WHERE kind = 'recipient' AND ${inNamedIds("organization_id")} ORDER BY organization_id, name`;

/** Waits for registrations in progress (subscription.ts), and later ones for the transaction. */
const awaitRegistrations = `
  --sqlite SELECT 1
  --postgres SELECT pg_advisory_xact_lock_shared(27, 66)
  `;

/**
 * A single statement, so that the furthest of several concurrent acknowledgements remains. An identical one changes
 * nothing. `$6`: the last number of the same place.
 */
const setAcknowledged = `
  UPDATE subscription SET
    change_no = CASE WHEN change_no < $3 THEN $3 ELSE change_no END,
    acknowledged_offset = $4, acknowledged_at = $5
  WHERE kind = 'recipient' AND organization_id = $1 AND name = $2
    AND (change_no < $3 OR change_no <= $6 AND acknowledged_offset IS DISTINCT FROM $4)`;

/**
 * Lists the recipients of an organization, or a page of all, with the time since which each has an unacknowledged
 * notice, not counting notices of hidden types.
 */
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
  return yield* once(one, one.now, { change: () => advance(one), isKept });
}

function* advance(one: Acknowledgement): Statements<Recipient | undefined> {
  const { organizationId, name, changeNo, through = changeNo, offset, now } = one;
  const values = [organizationId, name, changeNo, offset, now, through] as const;
  const isNews = (yield* run(setAcknowledged, ...values)) > 0;
  const recipient = yield* findRecipient({ organizationId, name });
  if (isNews && recipient !== undefined) yield* acknowledgeTold(recipient, now);
  return recipient;
}

/**
 * The recipients of these organizations. On PostgreSQL this waits until registrations in progress are visible, and
 * later registrations wait for the transaction: a recipient that can read a record learns when it is erased.
 */
export function* findRecipientsOf(
  organizationIds: readonly string[],
): Statements<readonly Recipient[]> {
  const [, rows] = yield* allTogether<readonly [unknown[], Row[]]>(
    [awaitRegistrations],
    [findOfSome, organizationIds],
  );
  return rows.map(toRecipient);
}
