// Previews a deletion: the plan that the worker would make now, or at a later time, without confidential records for
// people who may not know of them.

import type { Hold } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { unavailable } from "../../domain/error.ts";
import { addPart, type DryRun } from "../../domain/deletion/dry-run.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { DryRunPart, DryRunQuery } from "../../store/interface/deletion.ts";
import { SerialQueue } from "../../basics/serial-queue.ts";
import type { App } from "../app.ts";
import { viewerOf } from "../operator/viewer.ts";

export interface DeletionPreview extends Omit<DryRun, "holds" | "named"> {
  /** How many transactions stay with a pseudonym for the person or the company; at least so many if it was cut. */
  readonly pseudonyms: number;
  /** How many records are under a hold that prevents it. */
  readonly heldRecords: number;
  readonly holds: readonly Hold[];
  /** Nothing is erased before this time: now, or the end of the grace period or of the last floor. */
  readonly earliest: number;
}

/** How many relations a preview reads. */
export const previewRelationsMax = 20_000;

export interface PreviewBounds {
  readonly relationsMax: number;
  /** How many transactions of a person or a company one part reads, and from how many on no part is added. */
  readonly recordsMax: number;
  readonly namedMax: number;
  /** Whether its parts wait for those of others. */
  readonly inTurn?: boolean;
  /** Aborted when nobody waits for it any more. */
  readonly gone?: AbortSignal;
}

/** For commands, documents and who asks for all: in short parts, because a thread that serves others may read them. */
export const longPreview: PreviewBounds = {
  relationsMax: previewRelationsMax,
  recordsMax: 500,
  namedMax: 100_000,
  inTurn: true,
};

/** For a page, which somebody waits for and which shows a hundred records of a list. */
export const briefPreview: PreviewBounds = {
  relationsMax: 250,
  recordsMax: 100,
  namedMax: 100,
};

/** Where the index of parties does not reach yet, parts may have few records or none. */
const sparePartsMax = 10;
const holdsShownMax = 100;

/** A record, and what is known of its deletion; without a time it counts as requested at the time of the preview. */
type Previewed = RecordKey & Partial<Deletion>;

/** `at`: the time of the plan. The caller has checked that this person may know of the record. */
export async function previewDeletion(
  app: App,
  record: Previewed,
  {
    at = app.now(),
    bounds = longPreview,
  }: { at?: number; bounds?: PreviewBounds | undefined } = {},
): Promise<DeletionPreview> {
  const { organizationId, resourceType, resourceId, dueAt = at } = record;
  const { deletionRequestId = "", requestedAt = at, processedBefore } = record;
  const key = { organizationId, resourceType, resourceId, deletionRequestId, requestedAt };
  const { relationsMax, recordsMax } = bounds;
  const asked = {
    deletion: {
      ...key,
      restrictedOf: undefined,
      status: "pending",
      ...(processedBefore && { processedBefore }),
    },
    now: at,
    types: await viewerOf(app).knownTypes(organizationId),
    relationsMax,
    recordsMax,
    after: undefined,
  } as const;
  const { next, holds, named, ...plan } = await planInParts(app, asked, bounds);
  const held = holds.map((place) => ({ ...place, organizationId }));
  return {
    ...plan,
    isCut: plan.isCut || next !== undefined,
    pseudonyms: named.length,
    heldRecords: held.length,
    holds: await app.store.holds.ofRecords(held.slice(0, holdsShownMax)),
    earliest: Math.max(at, dueAt, ...plan.floors.map(({ until }) => until)),
  };
}

async function planInParts(
  { store, operator }: App,
  query: DryRunQuery,
  { recordsMax, namedMax, inTurn = false, gone }: PreviewBounds,
): Promise<DryRunPart> {
  const read = (after?: number) => {
    const readPart = async () => {
      if (gone?.aborted === true) throw unavailable("gone");
      return store.plans.dryRun({ ...query, after });
    };
    return inTurn ? runInTurn(operator, readPart) : readPart();
  };
  const partsMax = sparePartsMax + namedMax / recordsMax;
  let plan = await read();
  for (let part = 1; plan.next !== undefined && part < partsMax; part += 1) {
    if (plan.named.length >= namedMax) break;
    const next = await read(plan.next);
    plan = { ...addPart(plan, next), next: next.next };
  }
  return plan;
}

const everybody = new SerialQueue();
const ofOperators = new Map<string, SerialQueue>();

/** One at a time, and of each operator only one waits for those of others, so that nobody waits for many of another. */
function runInTurn<Result>(operator: string, work: () => Promise<Result>): Promise<Result> {
  const own = ofOperators.get(operator) ?? new SerialQueue();
  ofOperators.set(operator, own);
  return own.run(() => everybody.run(work));
}
