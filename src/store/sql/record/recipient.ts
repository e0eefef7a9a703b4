// Registered readers of the feed of changes: created, removed and read, with what they have acknowledged.

import type { VerbOn } from "../../../domain/trail-action.ts";
import { AppError } from "../../../domain/error.ts";
import type { Recipient, WaitingRecipient } from "../../../domain/recipient.ts";
import { limits } from "../../../domain/limits.ts";
import type { IdempotencyMark } from "../../../domain/record/record-write.ts";
import type { Act } from "../../interface/act.ts";
import { reader, type Row } from "../../row/reader.ts";
import { findOutcome, storeOutcome } from "../access/idempotency.ts";
import { lockOrganization } from "../access/organization.ts";
import { auditAct } from "../trail/audit.ts";
import { inNamedIds } from "../statement/named.ts";
import { allTogether, find, get, list, run, type Statements } from "../statement/statements.ts";
import { findLatestArrival } from "./record.ts";
import { acknowledgeTold, endTold } from "./told-recipient.ts";

interface Marked {
  readonly idempotency?: IdempotencyMark | undefined;
}

export type NewRecipient = Pick<Recipient, "organizationId" | "name" | "types"> & Marked;
/** Of the recipients of all organizations, in the order of their keys. */
export interface RecipientPage {
  readonly after: Pick<Recipient, "organizationId" | "name"> | undefined;
  readonly limit: number;
}
export type RecipientRemoval = Pick<Recipient, "organizationId" | "name"> & Marked;

/**
 * `exists`: a recipient with this name and these types existed already; `differs`: one with this name and other types.
 */
export interface CreatedRecipient {
  readonly result: "created" | "exists" | "differs" | "too_many" | "closed";
  readonly recipient?: Recipient;
}

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

const toRecipient = reader<Recipient>({ types: "json" });
const toWaiting = reader<WaitingRecipient>({ types: "json" });

const findOne = `SELECT * FROM recipient WHERE organization_id = $1 AND name = $2`;

const findAll = `SELECT * FROM recipient ORDER BY organization_id, name`;

const findOfOrganization = `SELECT * FROM recipient WHERE organization_id = $1 ORDER BY name`;

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

const insertRecipient = `
  INSERT INTO recipient (organization_id, name, types, created_at, since_no)
  VALUES ($1, $2, $3, $4, $5)`;

const findOfSome = `
  SELECT * FROM recipient WHERE ${inNamedIds("organization_id")} ORDER BY organization_id, name`;

/** A registration excludes concurrent erasures of records; erasures don't exclude each other. */
const lockRegistrations = `
  --sqlite SELECT 1
  --postgres SELECT pg_advisory_xact_lock(27, 66)
  `;
const awaitRegistrations = `
  --sqlite SELECT 1
  --postgres SELECT pg_advisory_xact_lock_shared(27, 66)
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

const removeOne = `DELETE FROM recipient WHERE organization_id = $1 AND name = $2`;

const removeAll = `DELETE FROM recipient WHERE organization_id = $1`;

interface Once<Outcome> {
  readonly change: () => Statements<Outcome>;
  readonly isKept: (outcome: NonNullable<Outcome>) => boolean;
}

/**
 * Returns the outcome of the first request with this Idempotency-Key, if there was one. Throws AppError
 * idempotency_reused.
 */
function* once<Outcome extends object | undefined>(
  { organizationId, idempotency }: Marked & { readonly organizationId: string },
  now: number,
  { change, isKept }: Once<Outcome>,
): Statements<Outcome> {
  const known = yield* findOutcome(organizationId, idempotency, now);
  if (known === "idempotency_reused") throw new AppError("idempotency_reused");
  if (known !== undefined) return JSON.parse(known) as Outcome;
  const outcome = yield* change();
  if (outcome !== undefined && isKept(outcome))
    yield* storeOutcome(organizationId, idempotency, { outcome, now });
  return outcome;
}

/** Locks the organization, so that two concurrent registrations keep to the bound. */
export function* createRecipient(wanted: NewRecipient, act: Act): Statements<CreatedRecipient> {
  // First, so that nothing is locked while this waits.
  yield* get(lockRegistrations);
  const isKept = ({ result }: CreatedRecipient) => result === "created" || result === "exists";
  return yield* once(wanted, act.now, { change: () => register(wanted, act), isKept });
}

function* register(wanted: NewRecipient, act: Act): Statements<CreatedRecipient> {
  const { organizationId, name, types } = wanted;
  const organization = yield* lockOrganization(organizationId);
  if (organization === undefined || organization.closedAt !== undefined)
    return { result: "closed" };
  const all = yield* list(toRecipient, findOfOrganization, organizationId);
  const known = all.find((one) => one.name === name);
  if (known !== undefined) {
    const isSame = JSON.stringify(known.types) === JSON.stringify(types);
    return { result: isSame ? "exists" : "differs", recipient: known };
  }
  if (all.length >= limits.recipientsMax) return { result: "too_many" };
  const sinceNo = yield* findLatestArrival();
  const text = JSON.stringify(types);
  yield* run(insertRecipient, organizationId, name, text, act.now, sinceNo);
  yield* note("create", wanted, act);
  const recipient = yield* findRecipient(organizationId, name);
  return recipient === undefined ? { result: "closed" } : { result: "created", recipient };
}

export function* findRecipient(
  organizationId: string,
  name: string,
): Statements<Recipient | undefined> {
  return yield* find(toRecipient, findOne, organizationId, name);
}

/** Lists those of one organization, or of all if none is named. */
export function* listRecipients(
  organizationId: string | undefined,
): Statements<readonly Recipient[]> {
  if (organizationId === undefined) return yield* list(toRecipient, findAll);
  return yield* list(toRecipient, findOfOrganization, organizationId);
}

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

/** Returns the removed recipient; undefined if there is none with this name. */
export function* removeRecipient(
  removal: RecipientRemoval,
  act: Act,
): Statements<Recipient | undefined> {
  return yield* once(removal, act.now, { change: () => remove(removal, act), isKept: () => true });
}

function* remove(
  { organizationId, name }: RecipientRemoval,
  act: Act,
): Statements<Recipient | undefined> {
  const recipient = yield* findRecipient(organizationId, name);
  if (recipient === undefined) return undefined;
  if ((yield* run(removeOne, organizationId, name)) === 0) return undefined;
  // The purge stores the rest.
  yield* endTold(recipient, Number.MAX_SAFE_INTEGER, act.now);
  yield* note("remove", recipient, act);
  return recipient;
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
  const recipient = yield* findRecipient(organizationId, name);
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

export function* removeRecipientsOf(organizationId: string): Statements<void> {
  yield* run(removeAll, organizationId);
}

function* note(
  verb: VerbOn<"recipient">,
  { organizationId, name, types }: NewRecipient,
  act: Act,
): Statements<void> {
  const detail = { types: [...types] };
  yield* auditAct({ action: `recipient.${verb}`, organizationId, subject: name, detail }, act);
}
