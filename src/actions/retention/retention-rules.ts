// Sets and lists the retention rules of an organization: how long it has to keep its records of a type, and when they
// are erased without a request. Says what a rule would do before it is set.

import type { Organization } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { hasFilingTime } from "../../domain/retention/filed-at.ts";
import {
  type Ceiling,
  ceilingOf,
  ceilingsOf,
  describeRule,
  isEarlier,
} from "../../domain/retention/ceiling.ts";
import {
  type FloorOrigin,
  floorOrigins,
  type RetentionRule,
} from "../../domain/retention/floor.ts";
import { actOf, type App } from "../app.ts";
import { ceilingTooLow } from "../access/change-organization.ts";
import { findOrganization, listOrganizations } from "../access/find-organization.ts";
import { findType } from "../record/find-named-record.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { type Knows, requireRight, viewerOf } from "../operator/viewer.ts";

/** What is undefined stays as it is. */
export interface RuleSetting {
  readonly organizationId: string;
  readonly resourceType: string;
  /** Null removes the floor. */
  readonly keepDays?: number | null | undefined;
  /** Null removes the ceiling; `floor`: as soon as the floor ends. */
  readonly deleteAfterDays?: number | "floor" | null | undefined;
  /** From when both count; a new rule counts from last_seen if undefined. */
  readonly countedFrom?: FloorOrigin | undefined;
  /** Whether references in its records may be redacted; belongs to the floor, and is false if undefined. */
  readonly redactable?: boolean;
}

export interface Retention {
  readonly organization: Organization;
  /** The rules in the order of their types, without those that this person may not know of. */
  readonly rules: readonly RetentionRule[];
}

/** What a rule would do. */
export interface RulePlan {
  readonly organization: Organization;
  readonly rule: RetentionRule;
  /** In words. */
  readonly effect: string;
  /** The ceilings of the organization with the rule. */
  readonly ceilings: readonly Ceiling[];
  /** Whether records of the type may be erased earlier than without it. */
  readonly erasesEarlier: boolean;
}

/**
 * Says what a rule would do, and changes nothing. Throws OperatorError not_permitted, no_such_type,
 * no_such_organization, invalid and floor_above_ceiling, as `setRule` does.
 */
export async function planRule(app: App, wanted: RuleSetting): Promise<RulePlan> {
  requireRight(app, "retention.set");
  const { organizationId } = wanted;
  const type = findType(wanted.resourceType);
  const organization = await findOrganization(app, organizationId);
  const rules = await app.store.retention.listRules(organizationId);
  const before = rules.find(({ resourceType }) => resourceType === type.resourceType);
  const rule = changeRule(type, before, wanted);
  const { retainDays } = organization;
  requireNoContradiction(rule, retainDays);
  const { resourceType } = rule;
  const changed = [...rules.filter((one) => one !== before), rule];
  const after = ceilingOf(resourceType, changed, retainDays);
  return {
    organization,
    rule,
    effect: describeRule(rule, retainDays),
    ceilings: ceilingsOf(recordTypes, changed, retainDays),
    erasesEarlier: isEarlier(ceilingOf(resourceType, rules, retainDays), after),
  };
}

/**
 * Sets or removes the floor and the ceiling of a type, and has the deletions that wait for a floor evaluated again.
 * Throws OperatorError not_permitted, no_such_type, no_such_organization, invalid and floor_above_ceiling; then
 * nothing was changed.
 */
export async function setRule(app: App, wanted: RuleSetting): Promise<Retention> {
  requireRight(app, "retention.set");
  const { organizationId, resourceType, ...rule } = (await planRule(app, wanted)).rule;
  const isEmpty = rule.keepDays === 0 && rule.deleteAfterDays === undefined;
  const change = { organizationId, resourceType, rule: isEmpty ? undefined : rule };
  const outcome = await app.store.retention.setFloor(change, actOf(app));
  if (outcome.result === "above_ceiling") {
    throw ceilingTooLow(outcome.ceilingDays, { resourceType, ...rule });
  }
  let after: string | undefined = "";
  while (after !== undefined) after = await app.store.retention.wakeFrom(organizationId, after);
  let afterSet: string | undefined = "";
  while (afterSet !== undefined) {
    afterSet = await app.store.retention.wakeSetsFrom(organizationId, afterSet);
  }
  return read(app, organizationId);
}

/** The rule that the type has after the change. */
function changeRule(
  type: RecordType,
  before: RetentionRule | undefined,
  wanted: RuleSetting,
): RetentionRule {
  const { organizationId, redactable = false } = wanted;
  const countedFrom = wanted.countedFrom ?? before?.countedFrom ?? "last_seen";
  if (wanted.keepDays === undefined && wanted.deleteAfterDays === undefined) {
    throw new OperatorError("invalid", "Nothing to change: set a floor, a ceiling, or both.");
  }
  const floor =
    wanted.keepDays === undefined
      ? { keepDays: before?.keepDays ?? 0, redactable: before?.redactable ?? false }
      : { keepDays: wanted.keepDays ?? 0, redactable: wanted.keepDays !== null && redactable };
  const asked = wanted.deleteAfterDays;
  const days =
    asked === undefined ? before?.deleteAfterDays : asked === "floor" ? floor.keepDays : asked;
  if (asked === "floor" && floor.keepDays === 0) {
    throw new OperatorError(
      "invalid",
      `There is no floor of ${type.resourceType} after which records could be erased. Set one, or a number of days after ` +
        "which they are erased.",
    );
  }
  if (wanted.keepDays !== undefined && wanted.keepDays !== null)
    requireDays("floor", wanted.keepDays);
  if (typeof asked === "number") requireDays("ceiling", asked);
  requireOrigin(type, countedFrom);
  const ceiling = typeof days === "number" ? { deleteAfterDays: days } : {};
  return { organizationId, resourceType: type.resourceType, countedFrom, ...floor, ...ceiling };
}

function requireNoContradiction(rule: RetentionRule, retainDays: number | undefined): void {
  const { keepDays, deleteAfterDays = retainDays ?? Number.POSITIVE_INFINITY } = rule;
  if (keepDays > deleteAfterDays) throw ceilingTooLow(deleteAfterDays, rule);
}

/** Throws OperatorError not_permitted and no_such_organization. */
export async function readRetention(app: App, organizationId: string): Promise<Retention> {
  requireRight(app, "retention.read");
  return read(app, organizationId);
}

async function read(app: App, organizationId: string): Promise<Retention> {
  const organization = await findOrganization(app, organizationId);
  return withRules(app, organization, await viewerOf(app).knowledge(organizationId));
}

export interface RetentionPart {
  readonly shown: readonly Retention[];
  /** Where the next part begins; undefined at the end. */
  readonly next: string | undefined;
}

/** Lists open organizations in the order of their ids. Throws OperatorError not_permitted. */
export async function listRetention(app: App, after = "", limit = 50): Promise<RetentionPart> {
  requireRight(app, "retention.read");
  const all = await listOrganizations(app);
  const following = all
    .filter(({ organizationId, closedAt }) => organizationId > after && closedAt === undefined)
    .sort((one, other) => (one.organizationId < other.organizationId ? -1 : 1));
  const shown = following.slice(0, limit);
  const next = following.length > limit ? shown.at(-1)?.organizationId : undefined;
  const knows = await viewerOf(app).knowledge();
  return { shown: await Promise.all(shown.map((one) => withRules(app, one, knows))), next };
}

async function withRules(app: App, organization: Organization, knows: Knows): Promise<Retention> {
  const rules = await app.store.retention.listRules(organization.organizationId);
  return { organization, rules: rules.filter(knows) };
}

function requireDays(name: "floor" | "ceiling", days: number): void {
  if (Number.isInteger(days) && days >= 1 && days <= limits.retainDaysMax) return;
  throw new OperatorError(
    "invalid",
    `A retention ${name} must be a whole number of days from 1 to ${limits.retainDaysMax}.`,
  );
}

function requireOrigin(type: RecordType, countedFrom: FloorOrigin): void {
  const { resourceType, closed } = type;
  if (!floorOrigins.includes(countedFrom)) {
    throw new OperatorError("invalid", `Rules count from ${floorOrigins.join(" or ")}.`);
  }
  if (countedFrom === "closed" && closed === undefined) {
    const types = recordTypes.filter((one) => one.closed !== undefined);
    const origins = hasFilingTime(type) ? "last_seen or report_filed_at" : "last_seen";
    throw new OperatorError(
      "invalid",
      `A ${resourceType} is never closed, so its rule can only count from ${origins}. Rules that count from closing are ` +
        `possible for: ${types.map((one) => one.resourceType).join(", ")}.`,
    );
  }
  if (countedFrom === "report_filed_at" && !hasFilingTime(type)) {
    const types = recordTypes.filter(hasFilingTime).map((one) => one.resourceType);
    throw new OperatorError(
      "invalid",
      `A ${resourceType} has no field report_filed_at, so its rule can't count from it. Types with that field: ` +
        `${types.join(", ")}.`,
    );
  }
}
