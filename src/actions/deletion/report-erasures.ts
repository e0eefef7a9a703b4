// The report of erasures by the days on which they were completed: numbers over all of them, the first ones, and a file
// of all, with who asked and approved, and what was erased. Leaves out what a person may not know.

import { setImmediate } from "node:timers/promises";
import { dayMs } from "../../basics/duration.ts";
import type { Deletion, ErasedCounts } from "../../domain/deletion/deletion.ts";
import type { CompletedRow } from "../../store/interface/deletion.ts";
import { requireOrganization } from "../access/find-organization.ts";
import { type App, actOf } from "../app.ts";
import { requireRight, viewerOf } from "../operator/viewer.ts";
import { findMatching, type ListPosition } from "./list-deletions.ts";
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

interface Week {
  readonly at: number;
  readonly deletions: number;
  /** How long the quicker half of them took at most. */
  readonly half: number | undefined;
}

export interface ErasureReport {
  readonly deletions: number;
  readonly erased: ErasedCounts;
  readonly organizations: readonly string[];
  /** The last ones of the period, of whole days in UTC. */
  readonly weeks: readonly Week[];
  /** The latest requests first. */
  readonly shown: readonly Erasure[];
  /** Counted are the deletions requested since then; undefined: all. */
  readonly countedFrom: number | undefined;
}

const partRows = 1_000;
/** How many deletions that this person may know of are counted, so that hidden ones don't change the result. */
const countedMax = 250_000;
/** How many parts are read at most, even if few may be known. */
const partsMax = (2 * countedMax) / partRows;
const shownMax = 100;
const weekMs = 7 * dayMs;
const weeksShown = 24;

/** Throws OperatorError no_such_organization. */
export async function reportErasures(app: App, query: ErasureQuery): Promise<ErasureReport> {
  requireRight(app, "deletion.read");
  const { organizationId, from = 0, until = Infinity } = query;
  await requireOrganization(app, organizationId);
  const knows = await viewerOf(app).knowledge(organizationId);
  const tally = new Tally(app.now(), until);
  let before = startOf(query);
  let rows: readonly CompletedRow[] = [];
  let known = 0;
  for (let parts = 0; parts < partsMax && known < countedMax; parts += 1) {
    rows = await app.store.listCompleted({ organizationId, before, limit: partRows });
    for (const row of rows) {
      before = row;
      if (!knows(row)) continue;
      known += 1;
      if (row.completedAt >= from && row.completedAt < until) tally.add(row);
    }
    if (rows.length < partRows) break;
    await setImmediate();
  }
  const countedFrom = rows.length < partRows ? undefined : before?.requestedAt;
  return { ...(await tally.read(app)), countedFrom };
}

/** What was requested later was completed later. */
function startOf({ until }: ErasureQuery): ListPosition | undefined {
  return until === undefined ? undefined : { requestedAt: until, deletionRequestId: "" };
}

type Sums = Record<"erased" | "kept", Record<string, number>>;

class Tally {
  #deletions = 0;
  readonly #sums = new Map<string, Sums>();
  readonly #weeks: readonly { readonly at: number; readonly took: number[] }[];
  readonly #end: number;
  readonly #firstIds: string[] = [];

  constructor(now: number, until: number) {
    this.#end = Math.min(Math.floor(now / dayMs) * dayMs + dayMs, until);
    this.#weeks = Array.from({ length: weeksShown }, (_, index) => ({
      at: this.#end - (weeksShown - index) * weekMs,
      took: [],
    }));
  }

  add({ deletionRequestId, organizationId, requestedAt, completedAt, ...counts }: CompletedRow) {
    this.#deletions += 1;
    if (this.#firstIds.length < shownMax) this.#firstIds.push(deletionRequestId);
    let sums = this.#sums.get(organizationId);
    if (sums === undefined) this.#sums.set(organizationId, (sums = { erased: {}, kept: {} }));
    addCounts(sums.erased, counts.erased);
    addCounts(sums.kept, counts.kept);
    const week = weeksShown - Math.ceil((this.#end - completedAt) / weekMs);
    this.#weeks[week]?.took.push(completedAt - requestedAt);
  }

  async read(app: App): Promise<Omit<ErasureReport, "countedFrom">> {
    const readers = await viewerOf(app).readers(this.#sums.keys());
    const erased: Record<string, number> = {};
    for (const [organizationId, sums] of this.#sums) {
      const reader = readers.get(organizationId);
      if (reader !== undefined) addCounts(erased, visibleCounts(sums, reader));
    }
    const found = await app.store.trail.findDeletions(this.#firstIds);
    const byId = new Map(found.map((one) => [one.deletionRequestId, one]));
    return {
      deletions: this.#deletions,
      erased,
      organizations: [...this.#sums.keys()],
      weeks: this.#weeks.map(({ at, took }) => ({
        at,
        deletions: took.length,
        half: took.sort((one, other) => one - other)[Math.floor((took.length - 1) / 2)],
      })),
      shown: await withCounts(
        app,
        this.#firstIds.flatMap((id) => byId.get(id) ?? []),
      ),
    };
  }
}

function addCounts(sums: Record<string, number>, counts: ErasedCounts): void {
  for (const [type, count = 0] of Object.entries(counts)) sums[type] = (sums[type] ?? 0) + count;
}

/** Records the download in the audit trail first. Throws OperatorError no_such_organization. */
export async function downloadErasures(
  app: App,
  query: ErasureQuery,
): Promise<AsyncGenerator<readonly Erasure[]>> {
  requireRight(app, "deletion.read");
  const { organizationId, from, until } = query;
  await requireOrganization(app, organizationId);
  const subject = organizationId ?? "all organizations";
  const note = {
    action: "erasures.export",
    organizationId,
    subject,
    detail: { from: from ?? null, until: until ?? null },
  } as const;
  await app.store.trail.note(note, actOf(app));
  return erasurePages(app, query);
}

async function* erasurePages(app: App, query: ErasureQuery): AsyncGenerator<readonly Erasure[]> {
  const { organizationId, from = 0, until = Infinity } = query;
  const status = "completed";
  let before = startOf(query);
  do {
    const found = { organizationId, status, before, rowsMax: partRows } as const;
    const part = await findMatching(app, found, partRows);
    before = part.next;
    yield withCounts(
      app,
      part.deletions.filter(({ completedAt = 0 }) => completedAt >= from && completedAt < until),
    );
  } while (before !== undefined);
}

async function withCounts(app: App, deletions: readonly Deletion[]): Promise<readonly Erasure[]> {
  const readers = await viewerOf(app).readers(deletions.map((one) => one.organizationId));
  return deletions.flatMap((deletion) => {
    const reader = readers.get(deletion.organizationId);
    return reader === undefined ? [] : [{ deletion, erased: visibleCounts(deletion, reader) }];
  });
}
