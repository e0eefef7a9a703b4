// Deletions for people who read them in the console: a part of the list, and everything about one. Leaves out what a
// person may not know: deletions of records of confidential types, and what would disclose that there are such records.

import { awaitsApproval } from "../../domain/deletion/approval.ts";
import type { Deletion, ErasedCounts } from "../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../domain/deletion/organization-deletion.ts";
import type { Receipt } from "../../domain/deletion/receipt.ts";
import type { App } from "../app.ts";
import {
  type DeletionQuery,
  findMatching,
  type ShownDeletion,
  withWaits,
} from "./deletion-filter.ts";
import { findDeletion } from "../record/find-named-record.ts";
import { type DeletionPreview, previewDeletion } from "./preview-deletion.ts";
import { findReceipt, visibleCounts } from "./read-deletion.ts";
import { publishReceiptKeys } from "../receipt/receipt-keys.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";
import { verifyReceipts } from "../receipt/verify-receipt.ts";

export interface DeletionPart {
  readonly shown: readonly ShownDeletion[];
  /** For the next part; undefined at the end. */
  readonly next: string | undefined;
}

const shownMax = 50;

/** Newest first, after `before`. Throws OperatorError not_permitted and no_such_deletion. */
export async function browseDeletions(
  app: App,
  { before, ...query }: DeletionQuery & { readonly before: string | undefined },
): Promise<DeletionPart> {
  requireRight(app, "deletion.read");
  const last = before === undefined ? undefined : await findDeletion(app, before);
  const { found, next } = await findMatching(app, { ...query, before: last }, shownMax);
  return { shown: await withWaits(app, found), next: next?.deletionRequestId };
}

export interface DeletionDetails extends ShownDeletion {
  /** Contains only types that this person may count. */
  readonly erased: ErasedCounts;
  /** Undefined where there is none yet. */
  readonly receiptFaults: readonly string[] | undefined;
  /** Present only for the pending deletion of a record. */
  readonly preview: DeletionPreview | undefined;
  readonly mayCancel: boolean;
  /**
   * `own`: this person requested it, so somebody else has to. False if it needs none, or the role does not allow it.
   */
  readonly mayApprove: boolean | "own";
}

/** Throws OperatorError not_permitted and no_such_deletion. */
export async function readDeletionDetails(app: App, id: string): Promise<DeletionDetails> {
  requireRight(app, "deletion.read");
  const deletion = await findDeletion(app, id);
  const [shown = { deletion, waitsFor: undefined }] = await withWaits(app, [deletion]);
  const receipt = await findReceipt(app, deletion);
  const { organizationId } = deletion;
  return {
    ...shown,
    erased: visibleCounts(deletion, await viewerOf(app).reader(organizationId)),
    receiptFaults: receipt === undefined ? undefined : await verify(app, receipt),
    preview: hasPreview(deletion) ? await previewDeletion(app, deletion) : undefined,
    mayCancel:
      deletion.status === "pending" &&
      !isOfOrganization(deletion) &&
      hasRight(app, "deletion.cancel"),
    mayApprove: mayApprove(app, deletion),
  };
}

function mayApprove(app: App, deletion: Deletion): boolean | "own" {
  if (!awaitsApproval(deletion) || !hasRight(app, "deletion.approve")) return false;
  return deletion.approval?.requester === app.operator ? "own" : true;
}

/**
 * Only pending deletions of records have a preview: later ones have a plan already, and an organization has no cascade.
 */
export function hasPreview(deletion: Deletion): boolean {
  return deletion.status === "pending" && !isOfOrganization(deletion);
}

/** Throws OperatorError not_permitted and no_such_deletion. */
export async function readReceipt(app: App, id: string): Promise<Receipt | undefined> {
  requireRight(app, "deletion.read");
  return await findReceipt(app, await findDeletion(app, id));
}

async function verify(app: App, receipt: Receipt): Promise<readonly string[]> {
  const [verdict] = verifyReceipts([receipt], await publishReceiptKeys(app));
  return verdict?.faults ?? [];
}
