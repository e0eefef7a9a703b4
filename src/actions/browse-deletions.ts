// Deletions for people who read them in the console: a part of the list, and everything about one. Leaves out what a person
// may not know: deletions of records of confidential types, and what would disclose that there are such records.

import {
  type Deletion,
  type DeletionStatus,
  type ErasedCounts,
  openStatuses,
} from "../domain/deletion/deletion.ts";
import { isOfOrganization } from "../domain/deletion/organization-deletion.ts";
import type { Receipt } from "../domain/deletion/receipt.ts";
import type { App } from "./app.ts";
import { explainWaits } from "./explain-wait.ts";
import { findDeletion } from "./find-target.ts";
import { type DeletionPreview, previewDeletion } from "./preview-deletion.ts";
import { findReceipt } from "./read-deletion.ts";
import { publishReceiptKeys } from "./receipt-keys.ts";
import { hasRight, readKnowledge, requireRight } from "./require-right.ts";
import { verifyReceipts } from "./verify-receipt.ts";

/** What an open deletion waits for. `other`: a hold, a failure, or its turn. */
export const waitKinds = ["grace", "floor", "other"] as const;
export type WaitKind = (typeof waitKinds)[number];

export interface DeletionQuery {
  readonly organizationId: string | undefined;
  readonly status: DeletionStatus | undefined;
  readonly wait: WaitKind | undefined;
  /** The last deletion of the part before; undefined for the first part. */
  readonly before: string | undefined;
}

export interface ShownDeletion {
  readonly deletion: Deletion;
  /** A sentence; undefined if it waits for nothing. */
  readonly waitsFor: string | undefined;
}

export interface DeletionPart {
  readonly shown: readonly ShownDeletion[];
  /** For the next part; undefined at the end. */
  readonly next: string | undefined;
}

const shownMax = 50;
/** Rows that are read for a part, however few of them match. */
const examinedMax = 1_000;

/** Newest first. Throws OperatorError not_permitted and no_such_deletion. */
export async function browseDeletions(app: App, query: DeletionQuery): Promise<DeletionPart> {
  requireRight(app, "deletion.read");
  const { organizationId, status, wait } = query;
  const before = query.before === undefined ? undefined : await findDeletion(app, query.before);
  const isPlain = wait === undefined && hasRight(app, "confidential.read");
  const limit = isPlain ? shownMax + 1 : examinedMax;
  const examined = await app.store.listDeletions({ organizationId, status, before, limit });
  const knows = await readKnowledge(app);
  const found: Deletion[] = [];
  let last: Deletion | undefined;
  let hasMore = examined.length === limit;
  for (const deletion of examined) {
    if (found.length === shownMax) {
      hasMore = true;
      break;
    }
    if (!knows(deletion)) continue;
    last = deletion;
    if (matches(deletion, wait, app.now())) found.push(deletion);
  }
  return {
    shown: await withWaits(app, found),
    next: hasMore ? last?.deletionRequestId : undefined,
  };
}

function matches(deletion: Deletion, wait: WaitKind | undefined, now: number): boolean {
  return wait === undefined || waitKindOf(deletion, now) === wait;
}

function waitKindOf(deletion: Deletion, now: number): WaitKind | undefined {
  if (!openStatuses.some((status) => status === deletion.status)) return undefined;
  if ((deletion.floorUntil ?? 0) > now) return "floor";
  return deletion.dueAt > now ? "grace" : "other";
}

/** Each with what it waits for, as far as this person may know. */
export async function withWaits(
  app: App,
  deletions: readonly Deletion[],
): Promise<readonly ShownDeletion[]> {
  // A hold may be on a confidential record, and its reason may say so.
  const waits = hasRight(app, "confidential.read") ? await explainWaits(app, deletions) : undefined;
  return deletions.map((deletion) => ({
    deletion,
    waitsFor:
      waits === undefined
        ? describeWait(deletion, app.now())
        : waits.get(deletion.deletionRequestId),
  }));
}

function describeWait(deletion: Deletion, now: number): string | undefined {
  const kind = waitKindOf(deletion, now);
  if (kind === "grace") {
    return `its grace period, until ${new Date(deletion.dueAt).toISOString()}`;
  }
  if (kind === "floor") {
    return `a retention floor, until ${new Date(deletion.floorUntil ?? 0).toISOString()}`;
  }
  const isDelayed = kind === "other" && deletion.waitingFor !== undefined;
  return isDelayed ? "a legal hold or another attempt" : undefined;
}

export interface DeletionDetails extends ShownDeletion {
  /** Of types that this person may know of. */
  readonly erased: ErasedCounts;
  /** Undefined where there is none yet. */
  readonly receiptFaults: readonly string[] | undefined;
  /** Only while it is pending, and of a record. */
  readonly preview: DeletionPreview | undefined;
  readonly mayCancel: boolean;
  /** A receipt of version 1 contains numbers of all types. */
  readonly mayReadReceipt: boolean;
}

/** Throws OperatorError not_permitted and no_such_deletion. */
export async function readDeletionDetails(app: App, id: string): Promise<DeletionDetails> {
  requireRight(app, "deletion.read");
  const deletion = await findDeletion(app, id);
  const [shown = { deletion, waitsFor: undefined }] = await withWaits(app, [deletion]);
  const receipt = await findReceipt(app, deletion);
  const { organizationId } = deletion;
  const knows = await readKnowledge(app);
  const erased = Object.entries(deletion.erased).filter(([resourceType]) =>
    knows({ organizationId, resourceType }),
  );
  return {
    ...shown,
    erased: Object.fromEntries(erased),
    receiptFaults: receipt === undefined ? undefined : await verify(app, receipt),
    preview: hasPreview(deletion) ? await previewDeletion(app, deletion) : undefined,
    mayCancel: deletion.status === "pending" && hasRight(app, "deletion.cancel"),
    mayReadReceipt: receipt !== undefined && mayRead(app, receipt),
  };
}

/** What is processed has a plan already, and everything of an organization is no cascade. */
function hasPreview(deletion: Deletion): boolean {
  return deletion.status === "pending" && !isOfOrganization(deletion);
}

/** Throws OperatorError not_permitted and no_such_deletion. */
export async function readReceipt(app: App, id: string): Promise<Receipt | undefined> {
  requireRight(app, "deletion.read");
  const receipt = await findReceipt(app, await findDeletion(app, id));
  if (receipt !== undefined && !mayRead(app, receipt)) requireRight(app, "confidential.read");
  return receipt;
}

function mayRead(app: App, { version }: Receipt): boolean {
  return version !== 1 || hasRight(app, "confidential.read");
}

async function verify(app: App, receipt: Receipt): Promise<readonly string[]> {
  const [verdict] = verifyReceipts([receipt], await publishReceiptKeys(app));
  return verdict?.faults ?? [];
}
