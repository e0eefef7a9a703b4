// Reads the restricted store for officers. The audit trail has every read, with its reason, before anything is
// returned.

import type { Hold } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { nodeKeyOf } from "../../domain/deletion/erasure.ts";
import {
  deletionOfSet,
  isRestrictedId,
  type KeptReference,
  ownerOf,
  restrictedId,
  type RestrictedRecord,
} from "../../domain/deletion/restricted-set.ts";
import { limits } from "../../domain/limits.ts";
import type { Payload } from "../../domain/record-type.ts";
import type { App } from "../app.ts";
import { type AccessAction, auditAccess } from "../trail/audit-access.ts";
import { findOrganization } from "../access/find-organization.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { readPages, setPages } from "../pages.ts";
import { hasRight, requireRight } from "../operator/viewer.ts";

const pageRows = limits.ledgerEntriesAtOnce;

export interface RestrictedAccess {
  readonly organizationId: string;
  readonly reason: string | undefined;
}

export interface RestrictedSet {
  /** The deletion that erases the set. */
  readonly deletion: Deletion;
  /** The deletion that moved the records. */
  readonly movedBy: Deletion | undefined;
  readonly counts: Readonly<Record<string, number>>;
}

export interface HeldRecord extends RestrictedRecord {
  readonly holds: readonly Hold[];
}

export interface RestrictedSetDetails extends RestrictedSet {
  readonly records: readonly HeldRecord[];
  /** True if there are more records or references than these. */
  readonly more: boolean;
  readonly references: readonly KeptReference[];
}

/** Throws OperatorError not_permitted and no_such_organization. */
export async function listRestrictedSets(
  app: App,
  access: RestrictedAccess,
): Promise<readonly RestrictedSet[]> {
  requireRight(app, "restricted.list");
  const { organizationId } = access;
  await findOrganization(app, organizationId);
  await audit(app, "restricted.list", { access, subject: organizationId });
  const sets: RestrictedSet[] = [];
  for await (const page of setPages(app, organizationId)) {
    for (const deletion of page) sets.push(await describeSet(app, deletion));
  }
  return sets;
}

/** Throws OperatorError not_permitted, no_such_organization and no_such_restricted_set. */
export async function showRestrictedSet(
  app: App,
  access: RestrictedAccess,
  { deletionRequestId, limit }: { readonly deletionRequestId: string; readonly limit: number },
): Promise<RestrictedSetDetails> {
  requireRight(app, "restricted.show");
  const { organizationId } = access;
  const deletion = await findRestrictedSet(app, organizationId, deletionRequestId);
  const set = deletion.deletionRequestId;
  await audit(app, "restricted.show", { access, subject: set });
  const { restricted, holds } = app.store;
  const records = await restricted.listRecords({ set, after: undefined, limit: limit + 1 });
  const references = await restricted.listReferences({ set, after: undefined, limit: limit + 1 });
  const shown = records.slice(0, limit);
  const keys = shown.map((key) => ({ organizationId: set, ...key }));
  const placed = Map.groupBy(await nameOwners(app, await holds.ofRecords(keys)), nodeKeyOf);
  return {
    ...(await describeSet(app, deletion)),
    records: shown.map((record) => ({ ...record, holds: placed.get(nodeKeyOf(record)) ?? [] })),
    references: references.slice(0, limit),
    more: records.length > limit || references.length > limit,
  };
}

export interface RestrictedChange {
  readonly resourceType: string;
  readonly resourceId: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  readonly payload: Payload;
}

/**
 * Every change of every record, page by page. Throws OperatorError not_permitted, no_such_organization and
 * no_such_restricted_set.
 */
export async function* exportRestrictedSet(
  app: App,
  access: RestrictedAccess,
  deletionRequestId: string,
): AsyncGenerator<readonly RestrictedChange[]> {
  requireRight(app, "restricted.export");
  const { organizationId } = access;
  const { deletionRequestId: set } = await findRestrictedSet(
    app,
    organizationId,
    deletionRequestId,
  );
  await audit(app, "restricted.export", { access, subject: set });
  for (const resourceType of Object.keys(await app.store.countRecords(set)).sort()) {
    const about = { organizationId: set, resourceType, upTo: Number.MAX_SAFE_INTEGER };
    const pages = readPages<Awaited<ReturnType<typeof app.store.listChanges>>[number]>(
      pageRows,
      (after) => app.store.listChanges({ ...about, after, limit: pageRows }),
    );
    for await (const page of pages) {
      yield page.map(({ resourceId, receivedAt, payload }) => ({
        resourceType,
        resourceId,
        receivedAt,
        payload: JSON.parse(payload) as Payload,
      }));
    }
  }
}

/**
 * `deletionId`: the id of the deletion of the set, or of the deletion that moved the records. Throws OperatorError
 * no_such_organization and no_such_restricted_set.
 */
export async function findRestrictedSet(
  app: App,
  organizationId: string,
  deletionId: string,
): Promise<Deletion> {
  await findOrganization(app, organizationId);
  const id = isRestrictedId(deletionId) ? deletionId : restrictedId(deletionId);
  const set = await app.store.findDeletion(id, undefined);
  if (set?.restrictedOf === organizationId && set.status !== "completed") return set;
  throw new OperatorError(
    "no_such_restricted_set",
    `The organization "${organizationId}" has no restricted set of the deletion "${deletionId}"` +
      `${set?.restrictedOf === organizationId ? " any more; it was erased" : ""}.`,
    { context: { organizationId } },
  );
}

/** Whether anything that was of the organization is kept, open or closed; false for those who may not know. */
export async function hasRestrictedSets(app: App, organizationId: string): Promise<boolean> {
  if (!hasRight(app, "confidential.read")) return false;
  const sets = await app.store.restricted.listSets({ organizationId, after: "", limit: 1 });
  return sets.length > 0;
}

/**
 * Adds to the rows of restricted sets the organization of which their records were, also while they are being moved. If
 * an organization is given, the rows of others are left out.
 */
export async function nameOwners<Row extends { readonly organizationId: string }>(
  { store }: Pick<App, "store">,
  rows: readonly Row[],
  only?: string,
): Promise<readonly (Row & { readonly restrictedOf?: string })[]> {
  const movedBy = rows.map(({ organizationId }) => deletionOfSet(organizationId) ?? []);
  const ids = [...new Set(movedBy.flat())];
  const deletions = ids.length === 0 ? [] : await store.trail.findDeletions(ids);
  const owners = new Map(
    deletions.map((one) => [restrictedId(one.deletionRequestId), one.organizationId]),
  );
  const owned = rows.map((row) => {
    const restrictedOf = owners.get(row.organizationId);
    return restrictedOf === undefined ? row : { ...row, restrictedOf };
  });
  return only === undefined ? owned : owned.filter((row) => ownerOf(row) === only);
}

/** Why a completed deletion has kept records, and until when; undefined for those who may not know. */
export async function readRestriction(
  app: App,
  { deletionRequestId }: Deletion,
): Promise<Pick<Deletion, "status" | "waitingFor" | "floorUntil"> | undefined> {
  if (!hasRight(app, "restricted.list") || isRestrictedId(deletionRequestId)) return undefined;
  const set = await app.store.findDeletion(restrictedId(deletionRequestId), undefined);
  return set && withObstacleNow(app, set);
}

async function describeSet(app: App, deletion: Deletion): Promise<RestrictedSet> {
  const { deletionRequestId: set } = deletion;
  const movedBy = await app.store.findDeletion(deletionOfSet(set) ?? "", undefined);
  const counts = await app.store.countRecords(set);
  return { deletion: await withObstacleNow(app, deletion), movedBy, counts };
}

async function withObstacleNow(app: App, deletion: Deletion): Promise<Deletion> {
  if (deletion.status !== "pending") return deletion;
  const obstacle = await app.store.plans.findObstacleOfAll(deletion, app.now());
  if (obstacle === "unknown") return deletion;
  return { ...deletion, floorUntil: obstacle?.floorUntil, waitingFor: obstacle?.waitingFor };
}

async function audit(
  app: App,
  action: AccessAction,
  { access, subject }: { readonly access: RestrictedAccess; readonly subject: string },
): Promise<void> {
  const { organizationId, reason } = access;
  const detail = reason === undefined ? {} : { reason };
  await auditAccess(app, action, { organizationId, subject, detail });
}
