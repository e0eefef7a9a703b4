// What retention would delete, and the rules of an organization, as the command line prints them.

import type { RetentionPreview } from "../../actions/retention/preview-retention.ts";
import type { Retention, RulePlan } from "../../actions/retention/retention-rules.ts";
import { type Ceiling, describeCommonCeiling } from "../../domain/retention/ceiling.ts";
import { formatDays, type RetentionRule } from "../../domain/retention/floor.ts";
import {
  type Column,
  describeNodes,
  formatCounts,
  formatTime,
  renderFields,
  renderTable,
  viewNode,
} from "./table.ts";

function viewRule({ resourceType, keepDays, deleteAfterDays, ...rule }: RetentionRule) {
  return {
    resource_type: resourceType,
    keep_days: keepDays === 0 ? null : keepDays,
    delete_after_days: deleteAfterDays ?? null,
    counted_from: rule.countedFrom,
    redactable: rule.redactable,
  };
}

export function viewRetention({ organization, rules }: Retention) {
  return {
    organization_id: organization.organizationId,
    retain_days: organization.retainDays ?? null,
    rules: rules.map(viewRule),
  };
}

const ruleColumns: readonly Column<RetentionRule>[] = [
  ["type", ({ resourceType }) => resourceType],
  ["kept at least", ({ keepDays }) => (keepDays === 0 ? "-" : formatDays(keepDays))],
  ["erased after", ({ deleteAfterDays: days }) => (days === undefined ? "-" : formatDays(days))],
  ["counted from", ({ countedFrom }) => countedFrom],
  ["references", ({ redactable }) => (redactable ? "may be redacted" : "kept too")],
];

export function describeRetention({ organization, rules }: Retention): string {
  const { organizationId, retainDays, closedAt } = organization;
  const afterClosing =
    "everything is deleted together, once the last floor of its records has ended";
  const fields = renderFields([
    ["organization", organizationId],
    ["closed", closedAt === undefined ? undefined : afterClosing],
    ["ceiling of types without their own", describeCommonCeiling(retainDays)],
    ["rules", rules.length === 0 ? "none" : String(rules.length)],
  ]);
  return rules.length === 0 ? fields : `${fields}\n\n${renderTable(ruleColumns, rules)}`;
}

export function viewPlan({ rule, effect }: RulePlan, preview: RetentionPreview) {
  return { dry_run: true, effect, rule: viewRule(rule), preview: viewPreview(preview) };
}

export function viewPreview(preview: RetentionPreview) {
  const { organization, at, ceilings, tally, restricted } = preview;
  const { counts, due } = tally;
  return {
    organization_id: organization.organizationId,
    at: formatTime(at),
    retain_days: organization.retainDays ?? null,
    ceilings: ceilings.filter(({ isOwn }) => isOwn).map(viewCeiling),
    due: counts.due,
    due_by_type: tally.dueByType,
    erased_with_them: tally.erasedWith,
    shared_with_others: tally.shared,
    counted_in_part: tally.inPart,
    arrived_within_a_day: tally.recent,
    held: counts.held,
    under_floor: counts.floor,
    deletion_open: counts.open,
    needed_by_later: counts.needed,
    first: due.map(({ resourceType, resourceId }) => ({
      resource_type: resourceType,
      resource_id: resourceId,
    })),
    ...(restricted === undefined ? {} : { would_restrict: restricted.map(viewNode) }),
  };
}

function viewCeiling({ resourceType, days, countedFrom }: Ceiling) {
  return { resource_type: resourceType, delete_after_days: days, counted_from: countedFrom };
}

function describeCeilings({ organization, ceilings }: RetentionPreview): string {
  const { retainDays } = organization;
  const own = ceilings
    .filter(({ isOwn }) => isOwn)
    .map(
      ({ resourceType, days, countedFrom }) =>
        `${resourceType} ${formatDays(days)} from ${countedFrom}`,
    );
  const common =
    retainDays === undefined ? [] : [`other types ${formatDays(retainDays)} from last_seen`];
  return [...own, ...common].join("; ") || "none";
}

export function describePreview(preview: RetentionPreview): string {
  const { organization, at, tally, restricted } = preview;
  const { counts, due, recent, inPart } = tally;
  const fields = renderFields([
    ["organization", organization.organizationId],
    ["at", formatTime(at)],
    ["ceilings", describeCeilings(preview)],
    ["would be deleted", formatCounts(tally.dueByType, "nothing")],
    ["erased with these", formatCounts(tally.erasedWith, "nothing")],
    ["of several, erased with the last", formatCounts(tally.shared, "nothing")],
    ["of these, arrived within a day", recent === 0 ? undefined : String(recent)],
    ["left out, more belongs to", inPart === 0 ? undefined : String(inPart)],
    ["kept, on hold", String(counts.held)],
    ["kept, under a retention floor", String(counts.floor)],
    ["kept, needed by later ones", String(counts.needed)],
    ["deletion already open", String(counts.open)],
  ]);
  const first = due.map(({ resourceType, resourceId }) => `  ${resourceType} ${resourceId}`);
  return [
    fields,
    ...(first.length === 0 ? [] : ["The first of them:", ...first]),
    ...describeNodes(
      "The restricted store would keep these records, which belong to them:",
      restricted ?? [],
    ),
  ].join("\n");
}
