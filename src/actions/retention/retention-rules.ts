// Sets and lists the retention rules of an organization: how long it has to keep its records of a type, and when they
// are erased without a request. Describes what a rule would do before it is set.

import type { Organization } from "../../domain/access.ts";
import { confidentialTypes } from "../../domain/confidentiality.ts";
import type { RecordType, ResourceType } from "../../domain/record-type.ts";
import { nounOf, recordTypes, titleOf } from "../../domain/record-types.ts";
import { hasFilingTime } from "../../domain/retention/floor-origin.ts";
import {
  boundsOf,
  ceilingOf,
  describeRule,
  isEarlier,
  type RetentionBounds,
} from "../../domain/retention/ceiling.ts";
import {
  type FloorOrigin,
  type RetentionRule,
  weakensFloor,
} from "../../domain/retention/floor.ts";
import { actTogether, objectionTo, requireApproved } from "../proposal/second-person.ts";
import type { App } from "../app.ts";
import { ceilingTooLow, requireRetainDays } from "../access/change-organization.ts";
import { findOrganization, listOrganizations } from "../access/find-organization.ts";
import { findType } from "../record/find-named-record.ts";
import { listHolds, type ShownHold } from "./holds.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireRight, viewerOf } from "../operator/viewer.ts";
import type { Part } from "../pages.ts";
import {
  previewPart,
  type PreviewPart,
  type PreviewQuery,
  requireFuture,
} from "./preview-retention.ts";

/** Undefined members stay unchanged. */
export interface RuleSetting {
  readonly organizationId: string;
  readonly resourceType: string;
  /** Null removes the floor. */
  readonly keepDays?: number | null | undefined;
  /** Null removes the ceiling; `floor`: as soon as the floor ends. */
  readonly deleteAfterDays?: number | "floor" | null | undefined;
  /** From when both count; if undefined, a new rule counts from last_seen. */
  readonly countedFrom?: FloorOrigin | undefined;
  /** Whether references in its records may be redacted; belongs to the floor, and is false for a new one. */
  readonly redactable?: boolean | undefined;
}

export interface Retention {
  readonly organization: Organization;
  /** The rules in the order of their types, without those that this person may not know of. */
  readonly rules: readonly RetentionRule[];
}

export interface RulePlan {
  readonly organization: Organization;
  readonly before: RetentionRule | undefined;
  readonly rule: RetentionRule;
  /** In words. */
  readonly effect: string;
  /** The floors and ceilings of the organization with the rule. */
  readonly bounds: RetentionBounds;
  /** Whether records may be erased without a further request earlier than before, also by a deletion that waits. */
  readonly erasesEarlier: boolean;
}

/** Describes what a rule would do, and changes nothing. Throws OperatorError invalid and floor_above_ceiling. */
export async function planRule(app: App, wanted: RuleSetting): Promise<RulePlan> {
  requireRight(app, "retention.set");
  const { organizationId } = wanted;
  const type = findType(wanted.resourceType);
  const { resourceType } = type;
  const organization = await findOrganization(app, organizationId);
  const { retainDays } = organization;
  const rules = await app.store.retention.listRules([organizationId]);
  const before = rules.find((one) => one.resourceType === resourceType);
  const rule = changeRule(type, before, wanted);
  const ceilingDays = rule.deleteAfterDays ?? retainDays ?? Number.POSITIVE_INFINITY;
  if (rule.keepDays > ceilingDays) throw ceilingTooLow(ceilingDays, rule);
  const changed = [...rules.filter((one) => one !== before), rule];
  const after = ceilingOf(resourceType, changed, retainDays);
  const isWeaker = weakensFloor(before, rule);
  const released = isWeaker ? describeReleased(organization, resourceType) : "";
  return {
    organization,
    before,
    rule,
    effect: describeRule(rule, retainDays) + describeRedaction(before, rule) + released,
    bounds: boundsOf(recordTypes, changed, retainDays),
    erasesEarlier: isWeaker || isEarlier(ceilingOf(resourceType, rules, retainDays), after),
  };
}

export interface RulePreview extends Pick<RulePlan, "effect">, Pick<PreviewPart, "last"> {
  /** Names the current rule: whoever saw this preview replaces that rule and no other (`setRule`). */
  readonly seen: string;
  /** How many deletions it would request now; if there is `last`, not all records were examined. */
  readonly due: number;
}

/** Throws like `planRule`. */
export async function previewRule(app: App, wanted: RuleSetting): Promise<RulePreview> {
  const { effect, rule, bounds, before } = await planRule(app, wanted);
  const { organizationId, resourceType } = rule;
  const ceilings = bounds.ceilings.filter((ceiling) => ceiling.resourceType === resourceType);
  const { tally, last } = await previewPart(app, {
    organizationId,
    bounds: { ...bounds, ceilings },
    after: undefined,
  });
  const due = tally.dueByType[resourceType] ?? 0;
  return { effect, due, last, seen: nameRule(before) };
}

/**
 * `seen`: the rule that the person saw (`RulePreview`); undefined if nobody decided by a preview. Throws like
 * `planRule` and `setPlanned`.
 */
export async function setRule(app: App, wanted: RuleSetting, seen?: string): Promise<Retention> {
  const plan = await planRule(app, wanted);
  if (seen !== undefined && seen !== nameRule(plan.before)) throw ruleChanged(plan.rule);
  return setPlanned(app, plan);
}

/** How many deletions a rule would request, as text. `last`: where the next part begins, if there is more. */
export function describeRequested({ due, last }: Pick<RulePreview, "due" | "last">): string {
  const deletions = `${due.toLocaleString("en")} ${due === 1 ? "deletion" : "deletions"}`;
  if (last === undefined) return `It would request ${deletions} now.`;
  return `It would request ${deletions} now for the records that were examined; nothing is known about the rest.`;
}

/** The same text for equal rules. */
export function nameRule(rule: RetentionRule | undefined): string {
  const { keepDays = 0, deleteAfterDays = null, countedFrom, redactable = false } = rule ?? {};
  return JSON.stringify([keepDays, deleteAfterDays, countedFrom ?? null, redactable]);
}

function ruleChanged({ resourceType }: RetentionRule): OperatorError {
  const text = `Somebody has changed the retention rule of the type ${titleOf(resourceType)} meanwhile. Nothing was changed: try again.`;
  return new OperatorError("rule_changed", text);
}

/** Throws OperatorError rule_changed, or proposal_outdated for a proposal, if somebody has changed the rule since. */
export async function setPlanned(
  app: App,
  { before, rule }: Pick<RulePlan, "before" | "rule">,
): Promise<Retention> {
  requireRight(app, "retention.set");
  const { organizationId, resourceType, ...own } = rule;
  const isEmpty = own.keepDays === 0 && own.deleteAfterDays === undefined;
  const change = { organizationId, resourceType, rule: isEmpty ? undefined : own };
  const { retention } = app.store;
  const act = actTogether(app);
  const outcome = await retention.setFloor({ ...change, before: before ?? "none" }, act);
  requireApproved(app, outcome);
  if (outcome.result === "above_ceiling") throw ceilingTooLow(outcome.ceilingDays, rule);
  if (outcome.result === "changed_before") {
    throw app.approving === undefined ? ruleChanged(rule) : objectionTo("changed", app);
  }
  for (const wake of [retention.wakeFrom, retention.wakeSetsFrom]) {
    let after: string | undefined = "";
    while (after !== undefined) after = await wake(organizationId, after);
  }
  return read(app, organizationId);
}

function describeRedaction(before: RetentionRule | undefined, rule: RetentionRule): string {
  const isEnded = before?.redactable === true && rule.keepDays > 0 && !rule.redactable;
  return isEnded ? " References in it may no longer be redacted." : "";
}

/** What may then begin, or be erased, that is not listed, whether or not there is any. */
function describeReleased(
  { closedAt, confidentialTypes: added }: Organization,
  resourceType: ResourceType,
): string {
  if (closedAt !== undefined) {
    return " Everything in the closed organization is then erased, unless a hold or another floor keeps any of it.";
  }
  return confidentialTypes(added).has(resourceType)
    ? " What the restricted store keeps only because of it is then erased."
    : " Deletions that wait only for it then begin.";
}

function invalid(message: string): OperatorError {
  return new OperatorError("invalid", message);
}

function changeRule(
  type: RecordType,
  before: RetentionRule | undefined,
  wanted: RuleSetting,
): RetentionRule {
  const { organizationId, keepDays, deleteAfterDays: asked, redactable } = wanted;
  const { countedFrom = before?.countedFrom ?? "last_seen" } = wanted;
  const isMoved = before !== undefined && wanted.countedFrom !== undefined;
  if (keepDays === undefined && asked === undefined && redactable === undefined && !isMoved) {
    throw invalid("Nothing to change: set a floor, a ceiling, or both.");
  }
  const floorDays = (keepDays === undefined ? before?.keepDays : keepDays) ?? 0;
  if (redactable === true && floorDays === 0) {
    throw invalid("Only a floor says whether references may be redacted: give its days, too.");
  }
  const mayRedact = redactable ?? before?.redactable ?? false;
  const floor = { keepDays: floorDays, redactable: floorDays > 0 && mayRedact };
  if (asked === "floor" && floor.keepDays === 0) {
    throw invalid(
      `There is no floor of ${nounOf(type.resourceType)} after which records could be erased. Set one, or a number of days after ` +
        "which they are erased.",
    );
  }
  if (typeof keepDays === "number") requireRetainDays(keepDays, "floor");
  if (typeof asked === "number") requireRetainDays(asked);
  requireOrigin(type, countedFrom);
  const days = asked === "floor" ? floor.keepDays : asked;
  const deleteAfterDays = days === undefined ? before?.deleteAfterDays : (days ?? undefined);
  const ceiling = deleteAfterDays === undefined ? {} : { deleteAfterDays };
  return { organizationId, resourceType: type.resourceType, countedFrom, ...floor, ...ceiling };
}

/** Throws OperatorError not_permitted and no_such_organization. */
export async function readRetention(app: App, organizationId: string): Promise<Retention> {
  requireRight(app, "retention.read");
  return read(app, organizationId);
}

const holdsListedMax = 50;

/**
 * The rules and the first holds, with a part of what retention would delete on a day in the future, or now. Throws
 * OperatorError not_permitted, invalid and no_such_organization.
 */
export async function previewRules(
  app: App,
  { date, ...query }: Omit<PreviewQuery, "at"> & { readonly date: string | undefined },
): Promise<Retention & { readonly part: PreviewPart; readonly holds: Part<ShownHold> }> {
  const at = date === undefined ? undefined : requireFuture(app, date);
  const { organizationId } = query;
  const [retention, holds, part] = await Promise.all([
    readRetention(app, organizationId),
    listHolds(app, { organizationId }, { limit: holdsListedMax }),
    previewPart(app, { ...query, at }),
  ]);
  return { ...retention, holds, part };
}

async function read(app: App, organizationId: string): Promise<Retention> {
  const organization = await findOrganization(app, organizationId);
  const [found = { organization, rules: [] }] = await withRules(app, [organization]);
  return found;
}

export async function listRetention(app: App, after = "", limit = 50): Promise<Part<Retention>> {
  requireRight(app, "retention.read");
  const all = await listOrganizations(app);
  const following = all
    .filter(({ organizationId, closedAt }) => organizationId > after && closedAt === undefined)
    .sort((one, other) => (one.organizationId < other.organizationId ? -1 : 1));
  const shown = following.slice(0, limit);
  const next = following.length > limit ? shown.at(-1)?.organizationId : undefined;
  return { shown: await withRules(app, shown), next };
}

async function withRules(
  app: App,
  organizations: readonly Organization[],
): Promise<readonly Retention[]> {
  const ids = organizations.map(({ organizationId }) => organizationId);
  const [only, ...others] = ids;
  const knows = await viewerOf(app).knowledge(others.length === 0 ? only : undefined);
  const rules = (await app.store.retention.listRules(ids)).filter(knows);
  return organizations.map((organization) => ({
    organization,
    rules: rules.filter(({ organizationId }) => organizationId === organization.organizationId),
  }));
}

function requireOrigin(type: RecordType, countedFrom: FloorOrigin): void {
  const { resourceType, closed } = type;
  if (countedFrom === "closed" && closed === undefined) {
    const origins = hasFilingTime(type) ? "last_seen or report_filed_at" : "last_seen";
    throw invalid(
      `Records of the type ${titleOf(resourceType)} are never closed, so their rule can only count from ${origins}. Rules that count from closing are ` +
        `possible for: ${listTypes((one) => one.closed !== undefined)}.`,
    );
  }
  if (countedFrom === "report_filed_at" && !hasFilingTime(type)) {
    throw invalid(
      `Records of the type ${titleOf(resourceType)} have no field report_filed_at, so their rule can't count from it. Types with that field: ` +
        `${listTypes(hasFilingTime)}.`,
    );
  }
}

function listTypes(having: (type: RecordType) => boolean): string {
  return recordTypes
    .filter(having)
    .map(({ resourceType }) => resourceType)
    .join(", ");
}
