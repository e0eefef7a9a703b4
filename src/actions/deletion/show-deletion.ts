// Everything about one deletion, for people. Leaves out what a person may not know: deletions of records of
// confidential types, and anything that would disclose that there are such records.

import { mayCount, type Reader } from "../../domain/confidentiality.ts";
import {
  awaitsApproval,
  type Deletion,
  type ErasedCounts,
} from "../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../domain/deletion/organization-deletion.ts";
import { isPartyType, namingTypes } from "../../domain/deletion/party.ts";
import type { Receipt } from "../../domain/deletion/receipt.ts";
import type { RecipientStatement } from "../../domain/deletion/recipient-statement.ts";
import type { App } from "../app.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";
import { publishReceiptKeys } from "../receipt/receipt-keys.ts";
import { verifyReceipts } from "../receipt/verify-receipt.ts";
import { readRestriction } from "../retention/restricted-sets.ts";
import { findDeletion, noSuchDeletion } from "../record/find-named-record.ts";
import { ownRequests } from "./own-request.ts";
import { atCurrentFloor, type ShownDeletion, withWaits } from "./deletion-wait.ts";
import {
  briefPreview,
  type DeletionPreview,
  type PreviewBounds,
  previewDeletion,
} from "./preview-deletion.ts";
import {
  findReceipt,
  visibleCounts,
  visibleKept,
  readTold,
  stateAcknowledged,
  type ToldView,
} from "./read-deletion.ts";

export interface ReadDeletion extends ShownDeletion {
  /** What it would erase now; undefined if it is not pending, or of an organization. */
  readonly preview: DeletionPreview | undefined;
  readonly receipt: Receipt | undefined;
  readonly reader: Reader;
  readonly recipients: readonly ToldView[];
  readonly statement: RecipientStatement | undefined;
}

/** Throws OperatorError not_permitted and no_such_deletion. */
export async function showDeletion(
  app: App,
  id: string,
  bounds?: PreviewBounds,
): Promise<ReadDeletion> {
  requireRight(app, "deletion.read");
  const stored = await findDeletion(app, id);
  const preview = hasPreview(stored) ? await previewDeletion(app, stored, { bounds }) : undefined;
  const deletion = preview === undefined ? stored : atCurrentFloor(stored, preview);
  const [shown = { deletion, waitsFor: undefined, kind: undefined }] = await withWaits(app, [
    deletion,
  ]);
  const reader = await viewerOf(app).reader(deletion.organizationId);
  const recipients = await readTold(app, deletion, reader);
  const receipt = await findReceipt(app, deletion);
  const statement = stateAcknowledged(app, receipt, recipients);
  return { ...shown, preview, reader, recipients, statement, receipt };
}

/** What a page compares to learn of a change. Throws OperatorError not_permitted and no_such_deletion. */
export async function readState(app: App, id: string): Promise<string> {
  requireRight(app, "deletion.read");
  const deletion = await app.store.findDeletion(id, undefined);
  if (deletion !== undefined && (await viewerOf(app).knows(deletion))) return stateOf(deletion);
  throw noSuchDeletion(id);
}

/** The status; or that a pending deletion is not approved yet. */
export function stateOf(deletion: Deletion): string {
  return awaitsApproval(deletion) ? "unapproved" : deletion.status;
}

export interface DeletionDetails extends ShownDeletion {
  readonly erased: ErasedCounts;
  /** What was moved to the restricted store; empty for people who may not know of reports. */
  readonly kept: ErasedCounts;
  /** Why that is kept, and until when; undefined where nothing was, or for people who may not know. */
  readonly restriction: Awaited<ReturnType<typeof readRestriction>>;
  /** The transactions that stay with a pseudonym, by type; undefined unless a person or a company was erased. */
  readonly pseudonyms: ErasedCounts | undefined;
  readonly receiptFaults: readonly string[] | undefined;
  readonly preview: ReadDeletion["preview"];
  readonly mayCancel: boolean;
  readonly recipients: readonly ToldView[];
  /** `own`: this person requested it, so somebody else has to. False also if it needs no approval. */
  readonly mayApprove: boolean | "own";
}

/** Throws OperatorError not_permitted and no_such_deletion. */
export async function readDeletionDetails(
  app: App,
  id: string,
  bounds = briefPreview,
): Promise<DeletionDetails> {
  const { receipt, reader, ...shown } = await showDeletion(app, id, bounds);
  const { deletion } = shown;
  const kept = visibleKept(deletion, reader);
  return {
    ...shown,
    erased: visibleCounts(deletion, reader),
    kept,
    restriction: await readRestriction(app, deletion),
    pseudonyms: visiblePseudonyms(deletion, reader),
    receiptFaults: receipt === undefined ? undefined : await verify(app, receipt),
    mayCancel: hasPreview(deletion) && hasRight(app, "deletion.cancel"),
    mayApprove: await mayApprove(app, deletion),
  };
}

function visiblePseudonyms(
  { resourceType, completedAt, redactedByType }: Deletion,
  reader: Reader,
): ErasedCounts | undefined {
  if (completedAt === undefined || !isPartyType(resourceType)) return undefined;
  const counts = namingTypes
    .filter((type) => mayCount(reader, type))
    .map((type) => [type.resourceType, redactedByType[type.resourceType] ?? 0]);
  return Object.fromEntries(counts) as ErasedCounts;
}

async function mayApprove(app: App, deletion: Deletion): Promise<boolean | "own"> {
  if (!awaitsApproval(deletion) || !hasRight(app, "deletion.approve")) return false;
  return (await ownRequests(app)(deletion)) ? "own" : true;
}

/** A deletion in progress already has a plan, and the deletion of an organization has no cascade. */
export function hasPreview(deletion: Deletion): boolean {
  return deletion.status === "pending" && !isOfOrganization(deletion);
}

/** Throws OperatorError not_permitted and no_such_deletion. */
export async function readReceipt(app: App, id: string): Promise<Receipt> {
  const { receipt } = await showDeletion(app, id);
  if (receipt !== undefined) return receipt;
  throw new OperatorError("no_such_deletion", "There is no receipt: it is not completed yet.");
}

async function verify(app: App, receipt: Receipt): Promise<readonly string[]> {
  const [verdict] = verifyReceipts([receipt], await publishReceiptKeys(app));
  return verdict?.faults ?? [];
}
