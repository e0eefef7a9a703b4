// Retention floors: set, removed and listed. The plans of deletions obey them. Erases nothing.

import type { FloorRule, RetentionRule } from "../../../domain/retention/floor.ts";
import { weakensRule } from "../../../domain/proposal.ts";
import type { Act } from "../../interface/act.ts";
import type { FloorChange, FloorOutcome } from "../../interface/retention.ts";
import { seekApproval, auditApproval } from "../proposal/proposal.ts";
import { auditAct } from "../trail/audit.ts";
import { lockOrganization, toRule } from "../access/organization.ts";
import { find, list, run, type Statements, column } from "../statement/statements.ts";
import { insertion } from "../statement/insertion.ts";
import { inNamedIds } from "../statement/named.ts";

export const wokenAtOnceMax = 5_000;

const findFloors = `
  SELECT organization_id, resource_type, keep_days, counted_from, redactable FROM retention_floor
  WHERE organization_id = $1 AND keep_days > 0 ORDER BY resource_type`;

const findRules = (filter: string) => `
  SELECT * FROM retention_floor WHERE ${filter} ORDER BY organization_id, resource_type`;

const findOne = `
  SELECT * FROM retention_floor WHERE organization_id = $1 AND resource_type = $2`;

const storeFloor = insertion<RetentionRule>(
  "retention_floor",
  "organization_id resource_type keep_days counted_from redactable delete_after_days",
  `ON CONFLICT (organization_id, resource_type)
    DO UPDATE SET keep_days = excluded.keep_days, counted_from = excluded.counted_from,
      redactable = excluded.redactable, delete_after_days = excluded.delete_after_days`,
);

const removeFloor = `
  DELETE FROM retention_floor WHERE organization_id = $1 AND resource_type = $2`;

/** Zero is in the past: the worker tries again at once. What is claimed or locked uses the new rules anyway. */
const wakeBy = (index: string, condition: string) => `
  UPDATE deletion SET next_attempt_at = 0
  WHERE deletion_request_id IN (
    SELECT deletion_request_id FROM deletion
    --sqlite INDEXED BY ${index}
    WHERE deletion_request_id > $2 AND ${condition}
    ORDER BY deletion_request_id LIMIT $3
    --postgres FOR UPDATE SKIP LOCKED
  )
  RETURNING deletion_request_id`;

const wakeFloored = wakeBy(
  "deletion_floored",
  `organization_id = $1 AND floor_until IS NOT NULL AND status IN ('pending', 'processing')
      AND (status = 'processing' OR claimant IS NULL)`,
);

/** The deletions of the restricted sets of an organization wait for its rules too. */
const wakeRestricted = wakeBy(
  "deletion_restricted",
  "restricted_of = $1 AND status = 'pending' AND claimant IS NULL",
);

/** The floors of an organization in the order of their types. */
export function* listFloors(organizationId: string) {
  return yield* list(toRule, findFloors, organizationId);
}

/** Lists rules in the order of organizations and types; of all organizations without a list. */
export function* listRules(
  organizationIds: readonly string[] | undefined,
): Statements<readonly RetentionRule[]> {
  if (organizationIds === undefined) return yield* list(toRule, findRules("true"));
  return yield* list(toRule, findRules(inNamedIds("organization_id")), organizationIds);
}

/** Makes the first deletions due that wait for a floor, too. On PostgreSQL the caller locks the plans first. */
export function* setFloor(change: FloorChange, act: Act): Statements<FloorOutcome> {
  const { organizationId, resourceType, rule, before } = change;
  const organization = yield* lockOrganization(organizationId);
  if (organization === undefined) return { result: "no_such_organization" };
  const { retainDays = Number.POSITIVE_INFINITY } = organization;
  const ceilingDays = rule?.deleteAfterDays ?? retainDays;
  if (rule !== undefined && rule.keepDays > ceilingDays) {
    return { result: "above_ceiling", ceilingDays };
  }
  const current = yield* find(toRule, findOne, organizationId, resourceType);
  if (before !== undefined && !isSameRule(current, before === "none" ? undefined : before)) {
    return { result: "changed_before" };
  }
  const consent = yield* seekApproval(act, {
    organizationId,
    act: "retention.set",
    parameters: { resourceType, rule: rule ?? null },
    state: {
      rule: current === undefined ? null : ruleOf(current),
      retainDays: organization.retainDays ?? null,
    },
    isNeeded:
      organization.deletionApproval === true && weakensRule(current, rule, organization.retainDays),
  });
  if ("unapproved" in consent) return { result: "unapproved", ...consent };
  const isChanged = yield* putFloor(change, act);
  yield* auditApproval(consent, act);
  return { result: isChanged ? "changed" : "unchanged" };
}

function ruleOf({ organizationId: _id, resourceType: _type, ...rule }: RetentionRule): FloorRule {
  return rule;
}

/** Stores a floor even if it is longer than the ceiling allows. False if nothing had to be changed. */
export function* putFloor(change: FloorChange, act: Act, because?: string): Statements<boolean> {
  const { organizationId, resourceType, rule } = change;
  const before = yield* find(toRule, findOne, organizationId, resourceType);
  const key = [organizationId, resourceType] as const;
  if (isSameRule(before, rule)) return false;
  if (rule === undefined) yield* run(removeFloor, ...key);
  else yield* storeFloor({ organizationId, resourceType, ...rule });
  yield* wakeFrom(organizationId, "");
  const action = rule === undefined ? "retention.remove" : "retention.set";
  const detail = { resourceType, ...rule, because };
  yield* auditAct({ action, organizationId, subject: organizationId, detail }, act);
  return true;
}

function isSameRule(one: FloorRule | undefined, other: FloorRule | undefined): boolean {
  return (
    one?.keepDays === other?.keepDays &&
    one?.countedFrom === other?.countedFrom &&
    one?.redactable === other?.redactable &&
    one?.deleteAfterDays === other?.deleteAfterDays
  );
}

/** A bounded number, in the order of their ids. Returns the last one; undefined at the end. */
export function* wakeFrom(organizationId: string, after: string): Statements<string | undefined> {
  return yield* wake(wakeFloored, organizationId, after);
}

/** Does the same for deletions of restricted sets; the transaction has to see the deletions of all organizations. */
export function* wakeSetsFrom(
  organizationId: string,
  after: string,
): Statements<string | undefined> {
  return yield* wake(wakeRestricted, organizationId, after);
}

function* wake(sql: string, organizationId: string, after: string): Statements<string | undefined> {
  const values = [organizationId, after, wokenAtOnceMax] as const;
  const ids = yield* column<string>(sql, ...values);
  if (ids.length < wokenAtOnceMax) return undefined;
  return ids.reduce((one, id) => (id > one ? id : one));
}
