// Reads everything that is stored about a person or a company, for a request for access: each record with its history,
// the deletion requests about it, and for officers its holds. Changes nothing.

import { mayStateRecords } from "../../actions/access/closed-organization.ts";
import { findOrganization } from "../../actions/access/find-organization.ts";
import type { App } from "../../actions/app.ts";
import { withCurrentFloor } from "../../actions/deletion/deletion-wait.ts";
import type { DeletionView } from "../../actions/deletion/read-deletion.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { requireRight, showing, viewerOf } from "../../actions/operator/viewer.ts";
import { readPages } from "../../actions/pages.ts";
import { findType } from "../../actions/record/find-named-record.ts";
import { nameOwners } from "../../actions/retention/restricted-sets.ts";
import { auditAccess } from "../../actions/trail/audit-access.ts";
import type { Hold } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { deletionOfSet } from "../../domain/deletion/restricted-set.ts";
import { limits } from "../../domain/limits.ts";
import type { Payload } from "../../domain/record-type.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { mergeChanges } from "../../domain/record/merge.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { formatTimestamp } from "../../domain/timestamp.ts";
import { findSubject, requireParty, requireSubject, subjectTurns } from "./find-subject.ts";
import { rights } from "./rows.ts";

export interface SubjectRequest extends RecordKey {
  /** True for officers, who also read confidential types, restricted sets, and holds. */
  readonly confidential: boolean;
  /** The largest number of transactions that are searched; undefined for all. */
  readonly searchedMax?: number | undefined;
  /** Whether records of a closed organization are shown to people who may not read confidential ones, too. */
  readonly evenClosed?: boolean;
}

/** One line of the archive. Times are RFC 3339 in UTC. */
export interface SubjectRecord {
  readonly resource_type: string;
  readonly resource_id: string;
  /** The deletion that moved the record to the restricted store. */
  readonly restricted_by?: string;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly state: Payload;
  readonly changes: readonly { readonly received_at: string; readonly payload: Payload }[];
}

/**
 * Writes to the audit trail, before anything is read, and returns what may be read. Throws what `requireParty` and
 * `requireSubject` throw, and OperatorError no_such_organization, and organization_closed where nothing may be stated.
 */
export async function auditSubject(
  app: App,
  name: "subject.show" | "subject.export",
  request: SubjectRequest,
): Promise<SubjectRequest> {
  const right = rights[name];
  requireRight(app, right);
  const { organizationId, resourceType, resourceId, confidential } = request;
  const shown = showing(app, { includeConfidential: confidential });
  requireParty(resourceType);
  if (!(await mayStateRecords(shown, await findOrganization(app, organizationId)))) {
    throw new OperatorError("organization_closed", notStated);
  }
  const stated = { ...request, evenClosed: true };
  await requireSubject(request, () => findKeys(app, stated));
  const subject = { organizationId, resourceType, resourceId };
  await auditAccess(app, right, { organizationId, subject, detail: { confidential } });
  return stated;
}

const notStated =
  "The organization is closed, so only an answer that includes what is confidential, which the command line of the " +
  "server gives, says what is stored about somebody. Do not answer that nothing is.";

/** Reads the state at the time of the call. Records that are erased meanwhile may be missing. */
export async function* readSubject(
  app: App,
  request: SubjectRequest,
): AsyncGenerator<readonly SubjectRecord[]> {
  yield* readRecords(app, findKeys(app, request));
}

/** What is stored now of these records. */
export async function* readRecords(
  app: App,
  lists: Lists,
): AsyncGenerator<readonly SubjectRecord[]> {
  const upTo = await app.store.latestArrival();
  yield* readEach(lists, (key) => readRecord(app, key, upTo));
}

type Lists = AsyncIterable<readonly RecordKey[]> | Iterable<readonly RecordKey[]>;

const readAtOnce = 16;

/** Without what is not there any more. */
export async function* readEach<Read>(
  lists: Lists,
  read: (key: RecordKey) => Promise<Read | undefined>,
): AsyncGenerator<readonly Read[]> {
  for await (const keys of lists) {
    for (let at = 0; at < keys.length; at += readAtOnce) {
      await subjectTurns.next(keys[at]?.organizationId ?? "");
      const found = await Promise.all(keys.slice(at, at + readAtOnce).map(read));
      yield found.filter((one) => one !== undefined);
    }
  }
}

export async function* findKeys(
  app: App,
  { confidential, evenClosed, ...key }: SubjectRequest,
): AsyncGenerator<readonly RecordKey[]> {
  const { organizationId } = key;
  const shown = showing(app, { includeConfidential: confidential });
  const knows = await viewerOf(shown).knowledge(organizationId, { evenClosed });
  const types = recordTypes.map(({ resourceType }) => resourceType);
  const leftOut = new Set(types.filter((resourceType) => !knows({ organizationId, resourceType })));
  yield* findSubject(app, { ...key, leftOut, restricted: confidential });
}

async function readRecord(
  { store }: App,
  key: RecordKey,
  upTo: number,
): Promise<SubjectRecord | undefined> {
  const history = await store.readHistory(key);
  const changes = history?.changes.filter(({ changeNo }) => changeNo <= upTo) ?? [];
  if (history === undefined || changes.length === 0) return undefined;
  const movedBy = deletionOfSet(key.organizationId);
  return {
    resource_type: key.resourceType,
    resource_id: key.resourceId,
    ...(movedBy === undefined ? {} : { restricted_by: movedBy }),
    first_seen: formatTimestamp(history.firstSeen),
    last_seen: formatTimestamp(history.lastSeen),
    state: mergeChanges(findType(key.resourceType), changes),
    changes: changes.map(({ receivedAt, payload }) => ({
      received_at: new Date(receivedAt).toISOString(),
      payload: JSON.parse(payload) as Payload,
    })),
  };
}

/** A deletion request for the subject, without numbers, which might disclose confidential records. */
export interface SubjectDeletion extends Pick<
  DeletionView,
  "deletion_request_id" | "status" | "requested_at" | "completed_at" | "due_at"
> {
  readonly reason: string;
  /** What a pending deletion waits for, and until when, unless it waits for a hold. */
  readonly waits_for?: string;
}

/** Newest first. A completed request was for an earlier record with the same id. */
export async function* readDeletionsOf(
  app: App,
  request: SubjectRequest,
): AsyncGenerator<readonly SubjectDeletion[]> {
  const { organizationId, resourceType, resourceId, confidential } = request;
  const record = { resourceType, resourceId };
  const shown = showing(app, { includeConfidential: confidential });
  const knows = await viewerOf(shown).knowledge(organizationId, request);
  if (!knows({ organizationId, resourceType })) return;
  const limit = limits.ledgerEntriesAtOnce;
  const pages = readPages<Deletion>(limit, (before) =>
    app.store.listDeletions({ organizationId, record, before, limit }),
  );
  for await (const page of pages) {
    // At most one of them is open.
    const current = await Promise.all(page.map((deletion) => withCurrentFloor(app, deletion)));
    yield current.map((deletion) => describeDeletion(deletion, app.now()));
  }
}

function describeDeletion(deletion: Deletion, now: number): SubjectDeletion {
  const { completedAt, floorUntil = 0 } = deletion;
  const dueAt = new Date(floorUntil).toISOString();
  const wait = floorUntil > now ? { waits_for: "a retention floor", due_at: dueAt } : {};
  return {
    deletion_request_id: deletion.deletionRequestId,
    status: deletion.status,
    reason: deletion.reason,
    requested_at: new Date(deletion.requestedAt).toISOString(),
    ...wait,
    ...(completedAt === undefined ? {} : { completed_at: new Date(completedAt).toISOString() }),
  };
}

/** "a retention floor, until 2031-03-01T00:00:00.000Z"; empty if nothing is said of a wait. */
export function describeWait({ waits_for, due_at }: SubjectDeletion): string {
  return waits_for === undefined ? "" : `${waits_for}, until ${due_at}`;
}

/** The columns of lists that are text. */
export const deletionColumns = [
  ["id", (one: SubjectDeletion) => one.deletion_request_id],
  ["status", ({ status }: SubjectDeletion) => status],
  ["requested", ({ requested_at }: SubjectDeletion) => requested_at],
  ["completed", ({ completed_at = "-" }: SubjectDeletion) => completed_at],
  ["waits for", (one: SubjectDeletion) => describeWait(one) || "-"],
  ["reason", ({ reason }: SubjectDeletion) => reason],
] as const;

/** How many records, or lines of a file, there are of a type. */
export type Count = readonly [name: string, count: number];

export interface SubjectCount {
  readonly counts: readonly Count[];
  /** The first ones, for officers who read confidential types. */
  readonly holds: readonly Hold[];
  readonly deletions: readonly SubjectDeletion[];
}

const listedMax = 1_000;

/** Throws OperatorError too_much_to_search. */
export async function countSubject(app: App, request: SubjectRequest): Promise<SubjectCount> {
  const counts = new Map<string, number>();
  const holds: Hold[] = [];
  for await (const keys of findKeys(app, request)) {
    const name = keys[0]?.resourceType ?? "";
    counts.set(name, (counts.get(name) ?? 0) + keys.length);
    if (!request.confidential || holds.length >= listedMax) continue;
    const found = await nameOwners(app, await app.store.holds.ofRecords(keys));
    holds.push(...found.slice(0, listedMax - holds.length));
  }
  const deletions: SubjectDeletion[] = [];
  for await (const page of readDeletionsOf(app, request)) {
    deletions.push(...page.slice(0, listedMax - deletions.length));
  }
  return { counts: inOrder(counts), holds, deletions };
}

export function inOrder(counts: Iterable<Count>): readonly Count[] {
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
}
