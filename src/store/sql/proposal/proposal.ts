// Proposals: read, declined and expired; and whether one person may do an act alone. The act calls `seekApproval` in
// its own transaction, after its other conditions and before its first change. An act that needs a second person
// becomes a proposal; an approved act is done in the transaction that stores the approval. So there is no approval
// without its act, and no such act without its approval. A deletion that needs an approval is its own proposal; the
// worker does what was approved.

import { type Proposal, proposalDays, type ProposedAct } from "../../../domain/proposal.ts";
import type { Act } from "../../interface/act.ts";
import type {
  Objection,
  ProposalQuery,
  WaitingCounts,
  WaitingQuery,
  Unapproved,
} from "../../interface/proposal.ts";
import {
  awaitingApproval,
  auditDeletion,
  findDeletion,
  readExistingDeletion,
} from "../deletion/deletion.ts";
import { reader } from "../../row/reader.ts";
import { auditAct, auditActs } from "../trail/audit.ts";
import { find, get, list, run, type Statements, scalar } from "../statement/statements.ts";
import { matching } from "../statement/named.ts";
import { dayMs } from "../../../basics/duration.ts";
import { canonicalJson } from "../../../domain/json/canonical-json.ts";
import { lockApprover } from "../access/operator.ts";
import { awaitsApproval, type Deletion } from "../../../domain/deletion/deletion.ts";
import type { NotApproved } from "../../interface/deletion.ts";
import { insertion } from "../statement/insertion.ts";

export const toProposal = reader<Proposal>({ parameters: "json", state: "json" });

const listNewest = (filter: string) => `
  SELECT * FROM proposal
  WHERE (proposed_at < $1 OR proposed_at = $1 AND proposal_id < $2) ${filter}
  ORDER BY proposed_at DESC, proposal_id DESC LIMIT $3`;

const isOpen = "AND status = 'open' AND expires_at > $4";

const countedMax = 1_000;

/** Nobody approves what they have requested, or a key or a rule of theirs. */
const isOfOther = (requester: string, person: string) =>
  `${requester} <> ${person} AND NOT EXISTS (${ownKeyOf(requester, person)})`;

const countWaitingOf = (filter: string) => `
  SELECT (
    SELECT count(*) FROM (
      SELECT proposed_by FROM proposal
      --sqlite INDEXED BY proposal_open
      WHERE status = 'open' AND expires_at > $2 ${filter} LIMIT ${countedMax}
    ) AS those WHERE proposed_by <> $1
  ) AS proposals, (
    SELECT count(*) FROM (
      SELECT approval_requester FROM deletion
      --sqlite INDEXED BY deletion_awaiting${filter === "" ? "" : "_of_organization"}
      WHERE ${awaitingApproval} AND restricted_of IS NULL ${filter}
      ORDER BY requested_at DESC, deletion_request_id DESC LIMIT ${countedMax}
    ) AS newest WHERE ${isOfOther("approval_requester", "$1")}
  ) AS deletions`;

const setDeclined = `
  UPDATE proposal SET status = 'declined', decided_by = $2, decided_at = $3
  WHERE proposal_id = $1 AND status = 'open' AND expires_at > $3`;

const expiredAtOnce = 100;

const setExpired = `
  UPDATE proposal SET status = 'expired'
  WHERE proposal_id IN (
    SELECT proposal_id FROM proposal WHERE status = 'open' AND expires_at <= $1
    ORDER BY proposal_id LIMIT $2
    --postgres FOR UPDATE SKIP LOCKED
  )
  RETURNING *`;

export function* findProposal(proposalId: string) {
  return yield* find(toProposal, `SELECT * FROM proposal WHERE proposal_id = $1`, proposalId);
}

/** Newest first. */
export function* listProposals(query: ProposalQuery): Statements<readonly Proposal[]> {
  const { organizationId, openAt, before, limit } = query;
  const { proposedAt = Number.MAX_SAFE_INTEGER, proposalId = "" } = before ?? {};
  const place = [proposedAt, proposalId, limit, ...(openAt === undefined ? [] : [openAt])];
  const { sql, values } = matching({ organization_id: organizationId }, place.length + 1);
  const text = listNewest(openAt === undefined ? sql : isOpen + sql);
  return yield* list(toProposal, text, ...place, ...values);
}

/** Counts what somebody else has proposed or requested and this person may approve, among the newest deletions. */
export function* countWaiting({
  organizationId,
  approver,
  openAt,
}: WaitingQuery): Statements<WaitingCounts> {
  const { sql, values } = matching({ organization_id: organizationId }, 3);
  const counted = yield* get<WaitingCounts>(countWaitingOf(sql), approver, openAt, ...values);
  return counted ?? { proposals: 0, deletions: 0 };
}

/** A proposal can be declined by everybody who may approve it, and by the person who made it. */
export function* declineProposal(proposalId: string, act: Act): Statements<Proposal | Objection> {
  const changed = yield* run(setDeclined, proposalId, act.actor, act.now);
  const proposal = yield* findProposal(proposalId);
  if (proposal === undefined) return "no_such_proposal";
  const { organizationId, status, proposedBy } = proposal;
  if (changed === 0)
    return status === "open" || status === "expired" ? "expired" : "decided_before";
  const detail = { act: proposal.act, proposedBy };
  yield* auditAct({ action: "proposal.decline", organizationId, subject: proposalId, detail }, act);
  return proposal;
}

export function* expireProposals(act: Act): Statements<{ readonly isMore: boolean }> {
  const expired = yield* list(toProposal, setExpired, act.now, expiredAtOnce);
  if (expired.length === 0) return { isMore: false };
  const notes = expired.map(({ organizationId, proposalId: subject, proposedBy, act: name }) => {
    const detail = { act: name, proposedBy };
    return {
      ...act,
      note: { action: "proposal.expire", organizationId, subject, detail } as const,
    };
  });
  yield* auditActs(notes);
  return { isMore: expired.length === expiredAtOnce };
}

/** How many proposals of an organization can be open at the same time. */
const openProposalsMax = 100;

/** An issuer of OpenID Connect can take all roles of somebody away, who is no operator any more. */
const activeOperator = (name: string) =>
  `SELECT 1 FROM operator WHERE name = ${name} AND disabled_at IS NULL AND roles <> '[]'`;

const proposerIsActive = `
    EXISTS (${activeOperator("proposed_by")})`;

const approve = `
  UPDATE proposal SET status = 'approved', decided_by = $2, decided_at = $3
  WHERE proposal_id = $1 AND status = 'open' AND expires_at > $3 AND proposed_by <> $2
    AND organization_id = $4 AND act = $5 AND parameters = $6 AND state = $7
    AND ${proposerIsActive}`;

/** Two people may propose the same act for different reasons. */
const withoutReason = (parameters: string) => `
  --sqlite json_remove(${parameters}, '$.reason', '$.because')
  --postgres CAST(${parameters} AS jsonb) - ARRAY['reason', 'because']
  `;

const findSame = `
  SELECT * FROM proposal
  WHERE organization_id = $1 AND act = $2 AND state = $4
    AND ${withoutReason("parameters")} = ${withoutReason("$3")}
    AND status = 'open' AND expires_at > $5 AND ${proposerIsActive} LIMIT 1`;

const countOpen = `
  SELECT count(*) AS count FROM proposal
  WHERE organization_id = $1 AND status = 'open' AND expires_at > $2`;

const insertProposal = insertion(
  "proposal",
  "proposal_id organization_id act parameters state proposed_by proposed_at expires_at status",
);

const findActive = activeOperator("$1");

export interface WantedAct extends Pick<
  Proposal,
  "organizationId" | "act" | "parameters" | "state"
> {
  /** Whether the organization requires a second person for it. */
  readonly isNeeded: boolean;
}

/** The act may be done now; `approved` if a second person approves it with this. */
export interface Consent {
  readonly approved: Proposal | undefined;
  /** An act that the shell of the host does alone, although the organization requires a second person. */
  readonly bypassed?: WantedAct | undefined;
}

/**
 * Approves the act as the second person, or proposes it where one is needed; otherwise it needs no consent. The caller
 * has locked the organization.
 */
export function* seekApproval(act: Act, wanted: WantedAct): Statements<Consent | Unapproved> {
  const { organizationId, act: name } = wanted;
  const texts = [canonicalJson(wanted.parameters), canonicalJson(wanted.state)] as const;
  const values = [organizationId, name, ...texts] as const;
  const { approves, proposalId, shell } = act;
  if (approves !== undefined) return yield* approveWith(approves, act, values);
  if (!wanted.isNeeded) return { approved: undefined };
  if (proposalId === undefined)
    return { approved: undefined, bypassed: shell === true ? wanted : undefined };
  return { unapproved: yield* propose(proposalId, act, values) };
}

type Values = readonly [
  organizationId: string,
  act: ProposedAct,
  parameters: string,
  state: string,
];

function* approveWith(
  proposalId: string,
  { actor, now }: Act,
  values: Values,
): Statements<Consent | Unapproved> {
  if (!(yield* lockApprover(actor))) return { unapproved: "no_such_person" };
  if ((yield* run(approve, proposalId, actor, now, ...values)) === 1) {
    return { approved: yield* findProposal(proposalId) };
  }
  return { unapproved: yield* findObjection(proposalId, { actor, now }) };
}

function* findObjection(proposalId: string, { actor, now }: Act): Statements<Objection> {
  const proposal = yield* findProposal(proposalId);
  if (proposal === undefined) return "no_such_proposal";
  if (proposal.status === "approved" || proposal.status === "declined") return "decided_before";
  if (proposal.status === "expired" || proposal.expiresAt <= now) return "expired";
  if (proposal.proposedBy === actor) return "own_proposal";
  if ((yield* get(findActive, proposal.proposedBy)) === undefined) return "proposer_gone";
  return "changed";
}

/** Returns the open proposal of the same act, whoever made it and why, unless nobody can approve it any more. */
function* propose(proposalId: string, act: Act, values: Values): Statements<Proposal | Objection> {
  const { actor, now } = act;
  const [organizationId, name, parameters, state] = values;
  const same = yield* find(toProposal, findSame, ...values, now);
  if (same !== undefined) return same;
  const open = yield* scalar<number>(countOpen, organizationId, now);
  if ((open ?? 0) >= openProposalsMax) return "too_many";
  const expiresAt = now + proposalDays * dayMs;
  const made = { proposalId, proposedBy: actor, proposedAt: now, expiresAt, status: "open" };
  yield* insertProposal({ ...made, organizationId, act: name, parameters, state });
  const detail = { act: name, parameters: JSON.parse(parameters) as object, expiresAt };
  yield* auditAct({ action: "proposal.create", organizationId, subject: proposalId, detail }, act);
  return (yield* findProposal(proposalId)) ?? "no_such_proposal";
}

/** Call after writing the entry of the act itself, because the lock on the trail has to be the last one. */
export function* auditApproval({ approved, bypassed }: Consent, act: Act): Statements<void> {
  if (bypassed !== undefined) {
    const { organizationId, act: name } = bypassed;
    const detail = { act: name, by: "shell" };
    const about = { organizationId, subject: organizationId, detail };
    yield* auditAct({ ...about, action: "proposal.bypass" }, act);
  }
  if (approved === undefined) return;
  const { proposalId: subject, organizationId, act: name, proposedBy } = approved;
  const detail = { act: name, proposedBy };
  yield* auditAct({ action: "proposal.approve", organizationId, subject, detail }, act);
}

const setApproved = `
  UPDATE deletion SET
    approved_by = $2, approved_at = $3, waiting_for = NULL, next_attempt_at = NULL
  WHERE deletion_request_id = $1 AND status = 'pending' AND approved_at IS NULL
    AND ${isOfOther("approval_requester", "$2")}`;

const findOwnKey = ownKeyOf("CAST($1 AS text)", "$2");

/** The name of a requester begins with the id of its key or rule. For a rule, the identified program follows. */
function ownKeyOf(requester: string, person: string): string {
  return `
    SELECT 1 FROM api_key
    WHERE created_by = ${person} AND key_id =
      --sqlite substr(${requester}, 1, instr(${requester} || ' ', ' ') - 1)
      --postgres split_part(${requester}, ' ', 1)
    `;
}

/** Whether this person is the requester, or has created the key or the rule that is. */
export function* isOwnRequest(requester: string, person: string): Statements<boolean> {
  return requester === person || (yield* get(findOwnKey, requester, person)) !== undefined;
}

/** The actor approves: one transaction checks the right and stores the approval. Of two at once, one succeeds. */
export function* approveDeletion(
  deletionRequestId: string,
  act: Act,
): Statements<Deletion | NotApproved> {
  if (!(yield* lockApprover(act.actor))) return "no_such_person";
  if ((yield* run(setApproved, deletionRequestId, act.actor, act.now)) === 0) {
    return yield* findReason(yield* findDeletion(deletionRequestId), act);
  }
  const approved = yield* readExistingDeletion(deletionRequestId);
  const detail = { requester: approved.approval?.requester ?? null };
  yield* auditDeletion(approved, { action: "approve", detail, act });
  return approved;
}

function* findReason(deletion: Deletion | undefined, { actor }: Act): Statements<NotApproved> {
  if (deletion === undefined) return "no_such_deletion";
  if (deletion.status !== "pending") return "not_pending";
  if (deletion.approval === undefined) return "not_needed";
  if (!awaitsApproval(deletion)) return "approved_before";
  if (yield* isOwnRequest(deletion.approval.requester, actor)) return "own_request";
  // Another process has changed the deletion between the two statements.
  return "not_pending";
}
