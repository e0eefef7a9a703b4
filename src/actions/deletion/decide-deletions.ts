// Cancels a pending deletion, or approves it as a second person if its organization requires this; also all that a
// filter finds, if they are still the ones that were shown: each change has its own entry in the audit trail, and one
// that fails does not stop the others. A deletion that is processing can't be stopped. Never lets the person who
// requested a deletion approve it.

import { hash } from "node:crypto";
import { awaitsApproval, type Deletion } from "../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../domain/deletion/organization-deletion.ts";
import { AppError } from "../../domain/error.ts";
import { type App, actOf } from "../app.ts";
import { type DeletionQuery, findMatching } from "./list-deletions.ts";
import { OperatorError, type OperatorErrorName } from "../operator/operator-error.ts";
import { requireRight } from "../operator/viewer.ts";
import { formatCount } from "../../basics/format-count.ts";
import { isRestrictedId } from "../../domain/deletion/restricted-set.ts";
import type { NotApproved } from "../../store/interface/deletion.ts";
import { findDeletion, noSuchDeletion } from "../record/find-named-record.ts";
import { requireNamed } from "../proposal/second-person.ts";

export type BulkAct = "cancel" | "approve";

/** How many deletions one request changes; the filter finds the others next time. */
export const bulkMax = 1_000;
const partsMax = 20;
/** How many changes share a commit. */
const atOnce = 50;

export interface Selection {
  /** Newest first. */
  readonly deletions: readonly Deletion[];
  /** Differs if the selection contains any other deletion. */
  readonly digest: string;
  /** False if the filter may find more. */
  readonly isComplete: boolean;
}

export async function selectDeletions(
  app: App,
  act: BulkAct,
  query: DeletionQuery,
): Promise<Selection> {
  requireRight(app, `deletion.${act}`);
  const isToApprove = act === "approve";
  const wanted: DeletionQuery = { ...query, status: query.status ?? "pending", isToApprove };
  const deletions: Deletion[] = [];
  let before: Deletion | undefined;
  for (let parts = 0; parts < partsMax && deletions.length < bulkMax; parts += 1) {
    const part = await findMatching(app, { ...wanted, before }, bulkMax - deletions.length);
    deletions.push(...part.deletions.filter((one) => isPossible(act, one)));
    before = part.next;
    if (before === undefined) break;
  }
  const ids = deletions.map(({ deletionRequestId }) => deletionRequestId);
  const digest = hash("sha256", ids.join("\n")).slice(0, 32);
  return { deletions, digest, isComplete: before === undefined };
}

function isPossible(act: BulkAct, deletion: Deletion): boolean {
  if (deletion.status !== "pending") return false;
  if (act === "cancel") return !isOfOrganization(deletion);
  return awaitsApproval(deletion);
}

export interface BulkOrder {
  readonly query: DeletionQuery;
  /** The digest that `selectDeletions` returned to the person who confirms. */
  readonly digest: string;
  readonly count: string;
}

export interface BulkResult {
  readonly done: readonly string[];
  readonly failed: readonly Failed[];
}

export interface Failed {
  readonly id: string;
  readonly why: string;
  /** An error that the caller did not cause. */
  readonly internal?: unknown;
}

/** Throws OperatorError not_confirmed unless the selection is the one that was shown. */
export async function changeAll(
  app: App,
  act: BulkAct,
  { query, digest, count }: BulkOrder,
): Promise<BulkResult> {
  const selection = await selectDeletions(app, act, query);
  const { deletions } = selection;
  // The number may be typed as plain digits, or as the page shows it.
  const written = [String(deletions.length), deletions.length.toLocaleString("en")];
  if (selection.digest !== digest || !written.includes(count.trim())) {
    throw new OperatorError(
      "not_confirmed",
      `You typed "${count.trim()}", but the filter finds ${formatCount(deletions.length, "deletion")} now` +
        `${selection.digest === digest ? "" : ", which are not the ones that were shown"}. Nothing was changed.`,
    );
  }
  const change = act === "cancel" ? cancelDeletion : approveDeletion;
  const done: string[] = [];
  const failed: Failed[] = [];
  for (let at = 0; at < deletions.length; at += atOnce) {
    const ids = deletions.slice(at, at + atOnce).map((one) => one.deletionRequestId);
    const outcomes = await Promise.allSettled(ids.map((id) => change(app, id)));
    for (const [index, outcome] of outcomes.entries()) {
      const id = ids[index] ?? "";
      if (outcome.status === "fulfilled") done.push(id);
      else failed.push({ id, ...explain(outcome.reason) });
    }
  }
  return { done, failed };
}

/** What is done stays done, so an internal error is reported beside it. */
function explain(reason: unknown): Omit<Failed, "id"> {
  if (reason instanceof OperatorError || reason instanceof AppError) return { why: reason.message };
  return { why: new AppError("internal").message, internal: reason };
}

/** Throws OperatorError not_permitted for the requester too, and if no person is named. */
export async function approveDeletion(app: App, deletionRequestId: string): Promise<Deletion> {
  requireRight(app, "deletion.approve");
  requireNamed(app);
  await findDeletion(app, deletionRequestId);
  const approved = await app.store.proposals.approveDeletion(deletionRequestId, actOf(app));
  if (typeof approved !== "string") return approved;
  throw explainNotApproved(approved, await findDeletion(app, deletionRequestId), app.operator);
}

function explainNotApproved(
  reason: NotApproved,
  deletion: Deletion,
  operator: string,
): OperatorError {
  const { deletionRequestId: id, status, approval } = deletion;
  const state = status === "pending" ? "no longer pending" : status;
  const errors: Readonly<Record<NotApproved, readonly [OperatorErrorName, string]>> = {
    own_request: [
      "not_permitted",
      `${operator} requested the deletion ${id}, or created the key that did, so another person has to approve it. Nothing was changed.`,
    ],
    no_such_person: [
      "not_permitted",
      `${operator} is not an active officer whom another one has confirmed, and can't approve deletions. Nothing was changed.`,
    ],
    approved_before: [
      "approved_before",
      `The deletion ${id} was approved by ${approval?.approvedBy ?? "another person"} already.`,
    ],
    not_needed: ["approval_not_needed", `The deletion ${id} needs no approval.`],
    not_pending: [
      "not_pending",
      `The deletion ${id} is ${state}; only one that is pending can be approved.`,
    ],
    no_such_deletion: ["no_such_deletion", `There is no deletion request "${id}".`],
  };
  return new OperatorError(...errors[reason]);
}

/** Throws OperatorError not_permitted, no_such_deletion, organization_closed and not_pending. */
export async function cancelDeletion(app: App, deletionRequestId: string): Promise<Deletion> {
  requireRight(app, "deletion.cancel");
  // A restricted set is named by the deletion that filled it.
  if (isRestrictedId(deletionRequestId)) throw noSuchDeletion(deletionRequestId);
  const deletion = await findDeletion(app, deletionRequestId);
  if (isOfOrganization(deletion)) {
    throw new OperatorError(
      "organization_closed",
      `The deletion request ${deletionRequestId} is for everything of a closed organization, and can't be cancelled. ` +
        "Nothing is erased while any of its records is on hold.",
    );
  }
  const { status } = deletion;
  const act = actOf(app);
  const outcome = await app.store.cancelDeletion(deletionRequestId, act);
  if (typeof outcome !== "string") return outcome;
  throw new OperatorError(
    "not_pending",
    `The deletion request ${deletionRequestId} is ${status === "pending" ? "no longer pending" : status}; ` +
      "only one that is pending can be cancelled.",
  );
}
