// Which deletions a filter of the console finds, and what an open deletion waits for. Reads a bounded number of rows,
// however few of them match.

import { approvalWait, awaitsApproval } from "../../domain/deletion/approval.ts";
import { confidentialTypes } from "../../domain/confidentiality.ts";
import {
  type Deletion,
  type DeletionStatus,
  openStatuses,
} from "../../domain/deletion/deletion.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { explainWaits } from "./explain-wait.ts";
import { hasRight, viewerOf } from "../operator/viewer.ts";

/**
 * What an open deletion waits for, which may be several of these. `error`: another attempt after a failure, or
 * something that only an operator can change, such as a cascade that is too large. `turn`: nothing but the worker.
 */
export const waitKinds = ["approval", "grace", "hold", "floor", "error", "turn"] as const;
export type WaitKind = (typeof waitKinds)[number];

export interface DeletionQuery {
  readonly organizationId: string | undefined;
  readonly status: DeletionStatus | undefined;
  readonly wait: WaitKind | undefined;
}

/** Rows that are read for a part, however few of them match. */
export const examinedMax = 1_000;

export interface MatchingPart {
  readonly found: readonly Deletion[];
  /** The last that was read, after which the next part begins; undefined at the end. */
  readonly next: Deletion | undefined;
}

/** Returns deletions that this person may know of, newest first. */
export async function findMatching(
  app: App,
  query: DeletionQuery & { readonly before?: Deletion | undefined },
  foundMax: number,
): Promise<MatchingPart> {
  const { wait, before } = query;
  const isPlain = wait === undefined && hasRight(app, "confidential.read");
  const limit = isPlain ? Math.min(foundMax + 1, examinedMax) : examinedMax;
  const examined = await examine(app, query, { before, limit });
  const knows = await viewerOf(app).knowledge(query.organizationId);
  const known = examined.filter(knows);
  const held = wait === undefined ? new Set<string>() : await findHeld(app, known);
  const found: Deletion[] = [];
  let last: Deletion | undefined;
  for (const deletion of known) {
    if (found.length === foundMax) return { found, next: last };
    last = deletion;
    const kinds = wait === undefined ? undefined : waitKindsOf(deletion, app.now(), held);
    if (wait === undefined || kinds?.has(wait) === true) found.push(deletion);
  }
  return { found, next: examined.length < limit ? undefined : last };
}

/** A deletion that waits is pending or, after a failure, processing. */
async function examine(
  { store }: App,
  { organizationId, status, wait }: DeletionQuery,
  { before, limit }: { readonly before: Deletion | undefined; readonly limit: number },
): Promise<readonly Deletion[]> {
  if (wait === undefined) return store.listDeletions({ organizationId, status, before, limit });
  if (wait === "approval") {
    if (status !== undefined && status !== "pending") return [];
    return store.listDeletions({ organizationId, awaitsApproval: true, before, limit });
  }
  const statuses = openStatuses.filter((one) => status === undefined || one === status);
  const lists = await Promise.all(
    statuses.map((one) => store.listDeletions({ organizationId, status: one, before, limit })),
  );
  return lists.flat().sort(byTime).slice(0, limit);
}

/** Newest first, as the store lists them. */
function byTime(one: Deletion, other: Deletion): number {
  if (one.requestedAt !== other.requestedAt) return other.requestedAt - one.requestedAt;
  return one.deletionRequestId < other.deletionRequestId ? 1 : -1;
}

/** Includes deletions whose hold the worker has not met yet, because they are not due. */
async function findHeld(app: App, deletions: readonly Deletion[]): Promise<ReadonlySet<string>> {
  const open = deletions.filter(({ status }) => status === "pending");
  const holds = open.length === 0 ? [] : await app.store.holds.ofRecords(open);
  return new Set(holds.map(nameOf));
}

function nameOf({ organizationId, resourceType, resourceId }: RecordKey): string {
  return JSON.stringify([organizationId, resourceType, resourceId]);
}

/** `held`: records with holds. Empty for a deletion that is not open. */
function waitKindsOf(
  deletion: Deletion,
  now: number,
  held: ReadonlySet<string>,
): ReadonlySet<WaitKind> {
  const { status, dueAt, isHeld = false, floorUntil = 0, waitingFor } = deletion;
  if (!openStatuses.some((open) => open === status)) return new Set();
  const kinds: readonly (readonly [WaitKind, boolean])[] = [
    ["approval", awaitsApproval(deletion)],
    ["grace", status === "pending" && dueAt > now],
    ["hold", isHeld || held.has(nameOf(deletion))],
    ["floor", floorUntil > now],
  ];
  const found = kinds.filter(([, applies]) => applies).map(([kind]) => kind);
  if (found.length > 0) return new Set(found);
  return new Set([waitingFor === undefined ? "turn" : "error"]);
}

export interface ShownDeletion {
  readonly deletion: Deletion;
  /** A sentence; undefined if it waits for nothing. */
  readonly waitsFor: string | undefined;
}

/** Adds to each deletion what it waits for, as far as this person may know. */
export async function withWaits(
  app: App,
  deletions: readonly Deletion[],
): Promise<readonly ShownDeletion[]> {
  const explained = await listExplainable(app, deletions);
  const waits = await explainWaits(app, [...explained]);
  const others = deletions.filter((deletion) => !explained.has(deletion));
  const held = await findHeld(app, others);
  return deletions.map((deletion) => ({
    deletion,
    waitsFor: explained.has(deletion)
      ? waits.get(deletion.deletionRequestId)
      : describeWait(deletion, waitKindsOf(deletion, app.now(), held)),
  }));
}

/**
 * Those whose wait may be explained to this person: the explanation never names a record of a type that always is
 * confidential, because such a record delays no deletion that this person may know of.
 */
async function listExplainable(
  app: App,
  deletions: readonly Deletion[],
): Promise<ReadonlySet<Deletion>> {
  if (hasRight(app, "confidential.read")) return new Set(deletions);
  const readers = await viewerOf(app).readers(deletions.map((one) => one.organizationId));
  const always = confidentialTypes();
  return new Set(
    deletions.filter(({ organizationId }) => {
      return readers.get(organizationId)?.confidential.isSubsetOf(always);
    }),
  );
}

function describeWait(deletion: Deletion, kinds: ReadonlySet<WaitKind>): string | undefined {
  const { dueAt, floorUntil = 0 } = deletion;
  if (kinds.has("approval")) return approvalWait;
  if (kinds.has("grace")) return `its grace period, until ${new Date(dueAt).toISOString()}`;
  if (kinds.has("hold")) return "a legal hold";
  if (kinds.has("floor")) return `a retention floor, until ${new Date(floorUntil).toISOString()}`;
  return kinds.has("error") ? "another attempt" : undefined;
}
