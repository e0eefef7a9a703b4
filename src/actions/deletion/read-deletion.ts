// Deletion requests, their receipts, and which recipients were informed and have acknowledged it, as organizations and
// operators see them.

import type { DeletionBasis } from "../../domain/deletion/basis.ts";
import {
  mayCount,
  mayKnowKept,
  mayReadAllConfidential,
  type Reader,
} from "../../domain/confidentiality.ts";
import {
  type Deletion,
  type DeletionStatus,
  dueTime,
  type ErasedCounts,
} from "../../domain/deletion/deletion.ts";
import type { Receipt } from "../../domain/deletion/receipt.ts";
import type { Disclosures } from "../../domain/deletion/receipt-count.ts";
import {
  type RecipientStatement,
  makeStatement,
} from "../../domain/deletion/recipient-statement.ts";
import { AppError } from "../../domain/error.ts";
import { recordTypeByName, recordTypes } from "../../domain/record-types.ts";
import type { App } from "../app.ts";
import { withCurrentFloor } from "./deletion-wait.ts";
import {
  discloseCounts,
  discloseStatements,
  type DisclosedStatements,
} from "../receipt/receipt-counts.ts";
import { hash } from "node:crypto";

/** The status object of the contract, section 7. */
export interface DeletionView extends DisclosedStatements {
  readonly deletion_request_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  /** Present only if the request stated one. */
  readonly basis?: DeletionBasis;
  readonly status: DeletionStatus;
  readonly requested_at: string;
  /** Present only while the deletion is pending, and unless it was due when it was requested. */
  readonly due_at?: string;
  readonly completed_at?: string;
  /** Contains only types that the reader may count, in the order of the types. */
  readonly erased?: ErasedCounts;
  readonly receipt?: Receipt;
  /** Contains only types that the reader may read. */
  readonly disclosures?: Disclosures;
  /** Present if there are recipients that the reader may know of. */
  readonly recipients?: readonly ToldView[];
  /** Present once all of them have acknowledged. */
  readonly statement?: RecipientStatement;
}

/** Throws AppError no_such_deletion, also for a deletion that the caller may not know of. */
export async function findDeletionFor(
  app: App,
  deletionRequestId: string,
  caller: Reader & { readonly organizationId: string },
): Promise<Deletion> {
  const deletion = await app.store.findDeletion(deletionRequestId, caller.organizationId);
  const type = deletion === undefined ? undefined : recordTypeByName(deletion.resourceType);
  if (deletion === undefined || (type !== undefined && !mayCount(caller, type))) {
    throw new AppError("no_such_deletion");
  }
  return withCurrentFloor(app, deletion);
}

export async function readDeletion(
  app: App,
  deletion: Deletion,
  reader: Reader,
): Promise<DeletionView> {
  const receipt = await findReceipt(app, deletion);
  const recipients = await readTold(app, deletion, reader);
  const statement = stateAcknowledged(app, receipt, recipients);
  const view = {
    ...viewDeletion(deletion, receipt, reader),
    ...(recipients.length === 0 ? {} : { recipients }),
    ...(statement === undefined ? {} : { statement }),
  };
  if (receipt === undefined) return view;
  const saltKey = await app.store.receiptSaltKey();
  const disclosures = discloseCounts(receipt, deletion, { saltKey, reader });
  return { ...view, disclosures, ...discloseStatements(receipt, deletion, saltKey) };
}

/** Every completed deletion has a receipt: both are written in the same transaction. */
export async function findReceipt(
  { store }: App,
  { status, deletionRequestId, organizationId }: Deletion,
): Promise<Receipt | undefined> {
  if (status !== "completed") return undefined;
  return store.findReceipt(deletionRequestId, organizationId);
}

export function viewDeletion(
  deletion: Deletion,
  receipt: Receipt | undefined,
  reader: Reader,
): DeletionView {
  const { completedAt, basis } = deletion;
  return {
    deletion_request_id: deletion.deletionRequestId,
    resource_type: deletion.resourceType,
    resource_id: deletion.resourceId,
    ...(basis === undefined ? {} : { basis }),
    status: deletion.status,
    requested_at: new Date(deletion.requestedAt).toISOString(),
    ...viewDue(deletion),
    ...(completedAt === undefined
      ? {}
      : {
          completed_at: new Date(completedAt).toISOString(),
          erased: visibleCounts(deletion, reader),
        }),
    ...(receipt === undefined ? {} : { receipt }),
  };
}

/** In the same order for every deletion. Kept records count as erased for a reader who may not know of them. */
export function visibleCounts(
  { erased, kept }: Pick<Deletion, "erased" | "kept">,
  reader: Reader,
): ErasedCounts {
  const visible = recordTypes.flatMap((type): [string, number][] => {
    const { resourceType } = type;
    const hiddenCount = mayKnowKept(reader, type) ? 0 : (kept[resourceType] ?? 0);
    const count = (erased[resourceType] ?? 0) + hiddenCount;
    return count === 0 || !mayCount(reader, type) ? [] : [[type.resourceType, count]];
  });
  return Object.fromEntries(visible);
}

/** Records that were moved to the restricted store; only for readers who may know of all reports. */
export function visibleKept({ kept }: Deletion, reader: Reader): Deletion["kept"] {
  return mayReadAllConfidential(reader) ? kept : {};
}

function viewDue(deletion: Deletion): Pick<DeletionView, "due_at"> {
  const due = dueTime(deletion);
  if (deletion.status !== "pending" || due === deletion.requestedAt) return {};
  return { due_at: new Date(due).toISOString() };
}

export interface ToldView {
  readonly name: string;
  readonly told_at: string;
  /** Present once the recipient has acknowledged everything. */
  readonly acknowledged_at?: string;
  /** Present if the recipient was removed before that. */
  readonly removed_at?: string;
  /** Present if a notice to the recipient was erased because of its age before it was acknowledged. */
  readonly expired_at?: string;
}

/** Empty unless the deletion is completed. */
export async function readTold(
  { store }: App,
  { deletionRequestId, organizationId, status }: Deletion,
  reader: Reader,
): Promise<readonly ToldView[]> {
  if (status !== "completed") return [];
  const rows = await store.listInformed(deletionRequestId, organizationId);
  const visible = rows.filter(({ resourceType }) => {
    const type = recordTypeByName(resourceType);
    return type !== undefined && mayCount(reader, type);
  });
  return [...Map.groupBy(visible, ({ name }) => name)].map(([name, of]) => {
    const acknowledged = latest(of.map(({ acknowledgedAt }) => acknowledgedAt));
    const removed = of.flatMap(({ removedAt }) => removedAt ?? []);
    const expired = of.flatMap(({ expiredAt }) => expiredAt ?? []);
    return {
      name,
      told_at: formatTime(Math.max(...of.map(({ toldAt }) => toldAt))),
      ...(acknowledged === undefined ? {} : { acknowledged_at: formatTime(acknowledged) }),
      ...(removed.length === 0 ? {} : { removed_at: formatTime(Math.max(...removed)) }),
      ...(expired.length === 0 ? {} : { expired_at: formatTime(Math.min(...expired)) }),
    };
  });
}

/** Undefined before all have acknowledged, except recipients that were removed, and without a key to sign. */
export function stateAcknowledged(
  app: App,
  receipt: Receipt | undefined,
  recipients: readonly ToldView[],
): RecipientStatement | undefined {
  const left = recipients.filter(({ removed_at }) => removed_at === undefined);
  const acknowledged = left.flatMap(({ name, told_at, acknowledged_at }) =>
    acknowledged_at === undefined ? [] : [{ name, told_at, acknowledged_at }],
  );
  if (receipt === undefined || acknowledged.length === 0) return undefined;
  const signer = acknowledged.length === left.length ? app.signer() : undefined;
  if (signer === undefined) return undefined;
  return makeStatement(receipt, { recipients: acknowledged, hash: sha256, signer });
}

function sha256(text: string): string {
  return hash("sha256", text);
}

/** Undefined if any of them is. */
function latest(times: readonly (number | undefined)[]): number | undefined {
  return times.includes(undefined) ? undefined : Math.max(...times.map(Number));
}

function formatTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
