// Proposals: acts that nobody may do alone in an organization that requires a second person. Somebody proposes the act,
// and another person approves it; until then nothing has changed.

import type { Organization } from "./access.ts";
import { ceilingOf, isEarlier } from "./retention/ceiling.ts";
import { type RetentionRule, weakensFloor } from "./retention/floor.ts";

/** After this time a proposal can't be approved any more. */
export const proposalDays = 7;

/** The acts, with their names for people. */
export const proposedActs = {
  "organization.change": "change of settings",
  "organization.close": "closing",
  "retention.set": "retention rule",
  "hold.release": "release of a hold",
} as const;

export type ProposedAct = keyof typeof proposedActs;

/** The act, and which settings it changes: one of them erases records. */
export function nameProposal({ act, parameters }: Pick<Proposal, "act" | "parameters">): string {
  if (act !== "organization.change") return proposedActs[act];
  const changed = [
    "deletionApproval" in parameters && "end of the approval",
    "retainDays" in parameters && "ceiling",
  ];
  return changed.filter((name) => name !== false).join(", ");
}

export type ProposalStatus = "open" | "approved" | "declined" | "expired";

/** Times are Unix milliseconds. */
export interface Proposal {
  readonly proposalId: string;
  /** The organization that requires the second person. */
  readonly organizationId: string;
  readonly act: ProposedAct;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What the act changes, in its state when the act was proposed. */
  readonly state: Readonly<Record<string, unknown>>;
  readonly proposedBy: string;
  readonly proposedAt: number;
  readonly expiresAt: number;
  readonly status: ProposalStatus;
  readonly decidedBy: string | undefined;
  readonly decidedAt: number | undefined;
}

export function isOpen({ status, expiresAt }: Proposal, now: number): boolean {
  return status === "open" && expiresAt > now;
}

/** The rule of a type that was proposed, and the one that it replaces. A rule without days means none. */
export function rulesOf({ organizationId, parameters, state }: Proposal): {
  readonly before: RetentionRule | undefined;
  readonly rule: RetentionRule;
} {
  const key = { organizationId, resourceType: String(parameters["resourceType"]) };
  // Only this service writes them.
  const [before, rule] = [state["rule"], parameters["rule"]] as readonly (Rule | null)[];
  const none = { keepDays: 0, countedFrom: "last_seen", redactable: false } as const;
  return {
    before: before ? { ...before, ...key } : undefined,
    rule: { ...(rule ?? none), ...key },
  };
}

type Settings = Pick<Organization, "deletionApproval" | "retainDays">;

/** Null removes the ceiling. */
interface Change {
  readonly deletionApproval?: boolean;
  readonly retainDays?: number | null;
}

/** Settings that an organization may not let one person change. */
export function settingsOfTwo({
  deletionApproval,
  retainDays,
}: Change): Readonly<Record<string, unknown>> {
  return {
    ...(deletionApproval === undefined ? {} : { deletionApproval }),
    ...(retainDays === undefined ? {} : { retainDays }),
  };
}

/** Whether it ends the requirement of an approval, or lets records be erased that were kept before. */
export function weakensSettings(before: Settings, change: Change): boolean {
  if (before.deletionApproval !== true) return false;
  if (change.deletionApproval === false) return true;
  return (change.retainDays ?? Infinity) < (before.retainDays ?? Infinity);
}

type Rule = Omit<RetentionRule, "organizationId" | "resourceType">;

/** Whether a new rule of a type may let records be erased or changed earlier. */
export function weakensRule(
  before: Rule | undefined,
  after: Rule | undefined,
  retainDays: number | undefined,
): boolean {
  const ceiling = (rule: Rule | undefined) =>
    ceilingOf("", rule === undefined ? [] : [{ ...rule, resourceType: "" }], retainDays);
  return isEarlier(ceiling(before), ceiling(after)) || weakensFloor(before, after);
}
