// Legal holds: placed, released and read. A record may have several. A hold only states that a record has to stay; the
// plans of deletions obey it.

import { describeHold, type Hold } from "../../../domain/access.ts";
import { isRestrictedId } from "../../../domain/deletion/restricted-set.ts";
import { organizationType } from "../../../domain/deletion/organization-deletion.ts";
import { limits } from "../../../domain/limits.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import { hasEnded } from "../../../domain/retention/hold-end.ts";
import type { Act } from "../../interface/act.ts";
import type { Unapproved } from "../../interface/proposal.ts";
import type { HoldCounts, Unnamed } from "../../interface/retention.ts";
import { reader } from "../../row/reader.ts";
import { confidentialTypes } from "../../../domain/confidentiality.ts";
import { lockOrganization } from "../access/organization.ts";
import { seekApproval, type Consent, auditApproval } from "../proposal/proposal.ts";
import { wokenAtOnceMax } from "./floor.ts";
import { auditAct } from "../trail/audit.ts";
import { recordExists } from "../record/record.ts";
import { namesErasedParty } from "../party/erased-parties.ts";
import { matching, sameOnServer } from "../statement/named.ts";
import { find, get, list, run, type Statements, scalar } from "../statement/statements.ts";
import { insertion } from "../statement/insertion.ts";
import { keyValues } from "../../shared/record-key.ts";

export type NewHold = Omit<Hold, "placedAt" | "placedBy">;

/** `unnamed`: nothing was stored; to be called again with this. */
export type HoldOutcome =
  | Hold
  | { readonly unnamed: Unnamed }
  | "no_such_record"
  | "being_erased"
  | "too_many_holds";

export interface HoldFilter {
  readonly organizationId?: string | undefined;
  /** Whether the holds in restricted sets, of all organizations, are listed beside those of the organization. */
  readonly restricted?: boolean;
  /** Lists only holds after the one with this id. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface HoldCounting extends HoldFilter {
  /** Dates: what is ahead is from one to the other. */
  readonly today: string;
  readonly last: string;
}

const toHold = reader<Hold>({});
const toHoldCounts = reader<HoldCounts>({});

const lockById = `
  SELECT * FROM hold WHERE hold_id = $1
  --postgres FOR UPDATE
  `;

const findOwnerOfSet = `
  SELECT restricted_of FROM deletion WHERE deletion_request_id = $1`;

const insertHold = insertion<Hold>(
  "hold",
  "hold_id organization_id resource_type resource_id reason owner review_on placed_at placed_by ends_on",
  "ON CONFLICT DO NOTHING",
);

const removeHold = `DELETE FROM hold WHERE hold_id = $1`;

const findTarget = `
  SELECT 1 FROM deletion_target
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3 LIMIT 1`;

/** CROSS JOIN makes SQLite begin with the list of keys, and OFFSET makes PostgreSQL read each once. */
const findOfRecords = `
  SELECT hold.* FROM
    --sqlite json_each($1) AS named CROSS JOIN hold
    --sqlite ON organization_id = named.value ->> 0 AND resource_type = named.value ->> 1
    --sqlite AND resource_id = named.value ->> 2
    --postgres (SELECT key, value ->> 0 AS organization_id, value ->> 1 AS resource_type,
    --postgres value ->> 2 AS resource_id
    --postgres FROM json_array_elements(CAST($1 AS json)) WITH ORDINALITY AS listed (value, key)
    --postgres OFFSET 0) AS named JOIN hold ON ${sameOnServer("hold")}
  ORDER BY named.key, placed_at, hold_id`;

/** In the order of an index of all holds, or of those of an organization. */
const findPart = (filter: string) => `
  SELECT * FROM hold WHERE hold_id > $1 ${filter} ORDER BY hold_id LIMIT $2`;

/** Two parts, each in the order of an index, so that neither reads more holds than the page has. */
const withRestricted = (filter: string) => `
  SELECT * FROM (
    SELECT * FROM (${findPart(filter)}) AS own
    UNION ALL
    SELECT * FROM (
      SELECT * FROM hold
      --sqlite INDEXED BY hold_restricted
      WHERE hold_id > $1 AND organization_id > 'restricted/' AND organization_id < 'restricted0'
      ORDER BY hold_id LIMIT $2) AS restricted) AS both_parts
  ORDER BY hold_id LIMIT $2`;

function pageOf({ organizationId, restricted = false }: HoldFilter, place: number) {
  const { sql, values } = matching({ organization_id: organizationId }, place);
  const isDivided = restricted && organizationId !== undefined;
  return { page: isDivided ? withRestricted(sql) : findPart(sql), values };
}

const countPart = (page: string) => `
  SELECT organization_id, resource_type, count(*) AS holds,
    count(*) FILTER (WHERE review_on < $3) AS reviews_overdue,
    count(*) FILTER (WHERE review_on BETWEEN $3 AND $4) AS reviews_ahead,
    count(*) FILTER (WHERE ends_on BETWEEN $3 AND $4) AS holds_ending,
    max(hold_id) AS last_hold_id
  FROM (${page}) AS part GROUP BY organization_id, resource_type`;

/** Holds that end by themselves, in the order of their ends. */
const findEnding = `
  SELECT * FROM hold WHERE ends_on <= $1 ORDER BY ends_on, hold_id LIMIT $2`;

/** Zero is in the past. Only a part, because writers wait on SQLite: the others are tried again soon anyway. */
const wakeHeld = `
  UPDATE deletion SET next_attempt_at = 0
  WHERE deletion_request_id
    --sqlite IN (
    --postgres = ANY (ARRAY (
    SELECT deletion_request_id FROM deletion
    --sqlite INDEXED BY deletion_held
    WHERE organization_id = $1 AND held AND status IN ('pending', 'processing')
    LIMIT ${wokenAtOnceMax}
    --postgres )
    )`;

/** On PostgreSQL the caller has to lock the plans of the organization first. */
export function* placeHold(wanted: NewHold, act: Act, unnamed?: Unnamed): Statements<HoldOutcome> {
  const { organizationId } = wanted;
  const target = yield* get(findTarget, ...keyValues(wanted));
  if (target !== undefined) return "being_erased";
  const whole = yield* get(findTarget, organizationId, organizationType, organizationId);
  if (whole !== undefined) return "being_erased";
  if (!(yield* recordExists(wanted))) return "no_such_record";
  // The records that name a person or a company are found, and rewritten, after its erasure has begun.
  const named = yield* namesErasedParty(wanted, unnamed);
  if (typeof named === "object") return { unnamed: named };
  if (named) return "being_erased";
  const hold = { ...wanted, placedAt: act.now, placedBy: act.actor };
  const placed = yield* findHoldsOf([wanted]);
  const again = placed.find((one) => isSentAgain(one, hold));
  if (again !== undefined) return again;
  if (placed.length >= limits.holdsOfRecordMax) return "too_many_holds";
  yield* addHold(hold, act);
  return hold;
}

/** After that, an equal hold of the same person is another hold. */
const sentAgainMs = 60_000;

/** A form can arrive twice, such as after a double click. Each hold would have to be released. */
function isSentAgain(placed: Hold, hold: Hold): boolean {
  return (
    hold.placedAt - placed.placedAt < sentAgainMs &&
    stated.every((name) => placed[name] === hold[name])
  );
}

const stated = ["placedBy", "reason", "owner", "reviewOn", "endsOn"] as const;

/** Adds a hold whether or not its record exists. Does nothing if the hold exists. */
export function* addHold(hold: Hold, act: Act, because?: string): Statements<void> {
  if ((yield* insertHold(hold)) === 0) return;
  const detail = { ...describeHold(hold), because };
  const { organizationId } = hold;
  yield* auditAct({ action: "hold.place", organizationId, subject: hold, detail }, act);
}

/** Releases a hold; undefined if there is no such hold. */
export function* releaseHold(
  holdId: string,
  act: Act,
  because?: string,
): Statements<Hold | Unapproved | undefined> {
  const hold = yield* find(toHold, lockById, holdId);
  if (hold === undefined) return undefined;
  const { organizationId } = hold;
  const consent = yield* seekReleaseApproval(hold, act, because);
  if ("unapproved" in consent) return consent;
  yield* run(removeHold, holdId);
  yield* run(wakeHeld, organizationId);
  const detail = { holdId, because };
  yield* auditAct({ action: "hold.release", organizationId, subject: hold, detail }, act);
  yield* auditApproval(consent, act);
  return hold;
}

/** A restricted set has no settings; the settings of the organization of its records apply. */
function* seekReleaseApproval(
  { holdId, organizationId: id, resourceType, reason }: Hold,
  act: Act,
  because: string | undefined,
): Statements<Consent | Unapproved> {
  const { proposalId, approves, shell } = act;
  if ((proposalId ?? approves ?? shell) === undefined) return { approved: undefined };
  const owner = isRestrictedId(id) ? yield* scalar<string>(findOwnerOfSet, id) : undefined;
  const organizationId = owner ?? id;
  const organization = yield* lockOrganization(organizationId);
  const confidential = confidentialTypes(organization?.confidentialTypes);
  // The proposal outlives the hold, and people read it who may not know of every record.
  const isKnown = owner === undefined && !confidential.has(resourceType);
  return yield* seekApproval(act, {
    organizationId,
    act: "hold.release",
    parameters: { holdId, ...(because !== undefined && { because }) },
    state: isKnown ? { resourceType, reason } : {},
    isNeeded: organization?.deletionApproval === true,
  });
}

export function* findHold(holdId: string) {
  return yield* find(toHold, `SELECT * FROM hold WHERE hold_id = $1`, holdId);
}

/** The holds on several records, in the order of the keys, oldest first. */
export function* findHoldsOf(keys: readonly RecordKey[]) {
  return yield* list(toHold, findOfRecords, JSON.stringify(keys.map(keyValues)));
}

/** The key texts of those records under a hold that has not ended by then. */
export function* findHeldKeys(
  keys: readonly RecordKey[],
  now: number,
): Statements<ReadonlySet<string>> {
  const holds = yield* findHoldsOf(keys);
  return new Set(holds.filter((hold) => !hasEnded(hold, now)).map(keyText));
}

/** In the order of their ids. */
export function* listHolds(filter: HoldFilter): Statements<readonly Hold[]> {
  const { after = "", limit } = filter;
  const { page, values } = pageOf(filter, 3);
  return yield* list(toHold, page, after, limit, ...values);
}

/** Counts only among the first holds after one, as many as `limit`. */
export function* countHolds(counting: HoldCounting) {
  const { after = "", limit, today, last } = counting;
  const { page, values } = pageOf(counting, 5);
  return yield* list(toHoldCounts, countPart(page), after, limit, today, last, ...values);
}

/** The holds of all organizations whose last date is this one or an earlier one. */
export function* listEnding(lastDate: string, limit: number) {
  return yield* list(toHold, findEnding, lastDate, limit);
}
