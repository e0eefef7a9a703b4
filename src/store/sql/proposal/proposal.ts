// Proposals: read, declined and expired. Approving one is part of the transaction of its act (agree.ts).

import type { Proposal } from "../../../domain/proposal.ts";
import type { Act } from "../../interface/act.ts";
import type { Objection, ProposalQuery, Waiting, WaitingQuery } from "../../interface/proposal.ts";
import { awaitingApproval } from "../deletion/deletion.ts";
import { reader } from "../../row/reader.ts";
import { auditAct, auditActs } from "../trail/audit.ts";
import { find, get, list, run, type Statements } from "../statement/statements.ts";
import { matching } from "../statement/named.ts";

export const toProposal = reader<Proposal>({ parameters: "json", state: "json" });

const listNewest = (filter: string) => `
  SELECT * FROM proposal
  WHERE (proposed_at < $1 OR proposed_at = $1 AND proposal_id < $2) ${filter}
  ORDER BY proposed_at DESC, proposal_id DESC LIMIT $3`;

const isOpen = "AND status = 'open' AND expires_at > $4";

const countedMax = 1_000;

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
      WHERE ${awaitingApproval} AND restricted_of IS NULL ${filter}
      ORDER BY requested_at DESC, deletion_request_id DESC LIMIT ${countedMax}
    ) AS newest WHERE approval_requester <> $1
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
}: WaitingQuery): Statements<Waiting> {
  const { sql, values } = matching({ organization_id: organizationId }, 3);
  const counted = yield* get<Waiting>(countWaitingOf(sql), approver, openAt, ...values);
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
