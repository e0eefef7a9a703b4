// The report of erasures: the completed deletions of a period, with who asked and approved, on which basis, and what
// was erased. Leaves out what a person may not know, as the list of deletions does.

import type { Deletion, ErasedCounts } from "../../domain/deletion/deletion.ts";
import { actOf, type App } from "../app.ts";
import { requireRight, viewerOf } from "../operator/viewer.ts";
import { findMatching, type Place } from "./list-deletions.ts";
import { visibleCounts } from "./read-deletion.ts";

export interface ErasureQuery {
  readonly organizationId: string | undefined;
  /** When the deletion was completed: from this time, and before this one. Unix milliseconds. */
  readonly from: number | undefined;
  readonly until: number | undefined;
}

export interface Erasure {
  readonly deletion: Deletion;
  readonly erased: ErasedCounts;
}

export interface ErasureReport {
  /** The latest requests first. */
  readonly erasures: readonly Erasure[];
  /** False if there are more requests than a page reads. */
  readonly isComplete: boolean;
}

const partRows = 1_000;
/** How many deletions that this person may know of are read at most, so that hidden ones don't change the result. */
const readMax = 5_000;
/** How many parts are read at most, even if few may be known. */
const partsMax = 50;

export async function reportErasures(app: App, query: ErasureQuery): Promise<ErasureReport> {
  const known: Deletion[] = [];
  let parts = 0;
  for await (const part of completedPages(app, query)) {
    known.push(...part);
    parts += 1;
    if (known.length > readMax || parts === partsMax) break;
  }
  const erasures = await selectErasures(app, known.slice(0, readMax), query);
  return { erasures, isComplete: known.length <= readMax && parts < partsMax };
}

/** Records the download in the audit trail first. */
export async function downloadErasures(
  app: App,
  query: ErasureQuery,
): Promise<AsyncGenerator<readonly Erasure[]>> {
  requireRight(app, "deletion.read");
  const { organizationId, from, until } = query;
  const subject = organizationId ?? "all organizations";
  const note = {
    action: "deletion.export",
    organizationId,
    subject,
    detail: { from: from ?? null, until: until ?? null },
  } as const;
  await app.store.trail.note(note, actOf(app));
  return erasurePages(app, query);
}

async function* erasurePages(app: App, query: ErasureQuery): AsyncGenerator<readonly Erasure[]> {
  for await (const part of completedPages(app, query)) yield selectErasures(app, part, query);
}

async function* completedPages(
  app: App,
  { organizationId, until }: ErasureQuery,
): AsyncGenerator<readonly Deletion[]> {
  requireRight(app, "deletion.read");
  const status = "completed";
  // What was requested later was completed later.
  let before: Place | undefined =
    until === undefined ? undefined : { requestedAt: until, deletionRequestId: "" };
  do {
    const part = await findMatching(app, { organizationId, status, before }, partRows);
    before = part.next;
    yield part.found;
  } while (before !== undefined);
}

async function selectErasures(
  app: App,
  deletions: readonly Deletion[],
  { from = 0, until = Infinity }: ErasureQuery,
): Promise<readonly Erasure[]> {
  const found = deletions.filter(
    ({ completedAt = 0 }) => completedAt >= from && completedAt < until,
  );
  const readers = await viewerOf(app).readers(found.map((one) => one.organizationId));
  return found.flatMap((deletion) => {
    const reader = readers.get(deletion.organizationId);
    return reader === undefined ? [] : [{ deletion, erased: visibleCounts(deletion, reader) }];
  });
}
