// What an open deletion waits for: an approval, its grace period, a hold, a floor, another attempt, or its turn. Names
// a hold or a failure only to people who may know of it.

import type { Hold } from "../../domain/access.ts";
import { confidentialTypes } from "../../domain/confidentiality.ts";
import {
  approvalWait,
  awaitsApproval,
  type Deletion,
  openStatuses,
} from "../../domain/deletion/deletion.ts";
import {
  briefRelationsMax,
  type DryRun,
  type PlannedFloor,
} from "../../domain/deletion/dry-run.ts";
import { isOfOrganization } from "../../domain/deletion/organization-deletion.ts";
import { describeFloor, describePartyFloor } from "../../domain/retention/floor.ts";
import { keyText } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { hasRight, viewerOf } from "../operator/viewer.ts";
import { readClockState } from "../upkeep/clock.ts";

/** Several may apply. `error`: a failure, or what only an operator can change. `turn`: only the worker. */
export const waitKinds = ["approval", "grace", "hold", "floor", "error", "turn"] as const;
export type WaitKind = (typeof waitKinds)[number];

/** The holds on the records of pending deletions, including holds that the worker has not met yet. */
export class Holds {
  readonly #byRecord: ReadonlyMap<string, readonly Hold[]>;

  static async read({ store }: App, deletions: readonly Deletion[]): Promise<Holds> {
    const pending = deletions.filter(({ status }) => status === "pending");
    return new Holds(pending.length === 0 ? [] : await store.holds.ofRecords(pending));
  }

  private constructor(holds: readonly Hold[]) {
    this.#byRecord = Map.groupBy(holds, keyText);
  }

  of(deletion: Deletion): readonly Hold[] {
    return deletion.status === "pending" ? (this.#byRecord.get(keyText(deletion)) ?? []) : [];
  }
}

export function waitKindsOf(deletion: Deletion, now: number, holds: Holds): ReadonlySet<WaitKind> {
  const { isHeld = false, floorUntil = 0, waitingFor } = deletion;
  if (!isOpen(deletion)) return new Set();
  const kinds: readonly (readonly [WaitKind, boolean])[] = [
    ["approval", awaitsApproval(deletion)],
    ["grace", isEarly(deletion, now) && !isAhead(deletion, now)],
    ["hold", isHeld || holds.of(deletion).length > 0],
    ["floor", floorUntil > now],
  ];
  const reasons = kinds.filter(([, applies]) => applies).map(([kind]) => kind);
  if (reasons.length > 0) return new Set(reasons);
  return new Set([waitingFor === undefined ? "turn" : "error"]);
}

function isEarly({ status, dueAt }: Deletion, now: number): boolean {
  return status === "pending" && dueAt > now;
}

/** Requested at the last time that was known, before which the clock was set back by less than what is noticed. */
function isAhead({ requestedAt }: Deletion, now: number): boolean {
  return requestedAt > now;
}

function isOpen({ status }: Deletion): boolean {
  return openStatuses.some((open) => open === status);
}

/** How many transactions of a person or a company are read to find until when floors keep a deletion waiting. */
const recordsMax = 1_000;

/** Reads the records as they are now: the worker evaluates a waiting deletion only every seven days. */
export async function withCurrentFloor(app: App, deletion: Deletion): Promise<Deletion> {
  if (!waitsForFloors(deletion)) return deletion;
  const { floors, isCut, next } = await app.store.plans.dryRun({
    deletion,
    now: app.now(),
    types: undefined,
    relationsMax: briefRelationsMax,
    recordsMax,
    after: undefined,
  });
  return atCurrentFloor(deletion, { floors, isCut: isCut || next !== undefined });
}

/** The same from a plan that was made now. */
export function atCurrentFloor(
  deletion: Deletion,
  { floors, isCut }: Pick<DryRun, "floors" | "isCut">,
): Deletion {
  if (isCut || !waitsForFloors(deletion)) return deletion;
  const [floor] = floors;
  const until = Math.max(floor?.until ?? 0, deletion.nextAttemptAt ?? 0);
  return {
    ...deletion,
    floorUntil: until === 0 ? undefined : until,
    waitingFor: floor && describePlannedFloor(floor),
  };
}

/** True also for a floor that the worker has not evaluated yet. A hold or another obstacle comes first. */
function waitsForFloors(deletion: Deletion): boolean {
  const { status, isHeld = false, floorUntil, waitingFor } = deletion;
  if (status !== "pending" || isHeld || isOfOrganization(deletion)) return false;
  return floorUntil !== undefined || waitingFor === undefined;
}

function describePlannedFloor({ resourceId, ...floor }: PlannedFloor): string {
  if (resourceId === undefined) return describePartyFloor(floor);
  return describeFloor(floor, resourceId, floor.until);
}

export interface ShownDeletion {
  readonly deletion: Deletion;
  /** A sentence; undefined if it waits for nothing. */
  readonly waitsFor: string | undefined;
  /** The reason that somebody can do most about; undefined for a deletion that is not open. */
  readonly kind: WaitKind | undefined;
}

const clockWait = "a clock that is trusted: it has jumped, or nothing ran for long";

const byUrgency = ["approval", "error", "hold", "floor", "grace", "turn"] as const;

export async function withWaits(
  app: App,
  deletions: readonly Deletion[],
): Promise<readonly ShownDeletion[]> {
  const mayExplain = await readExplainable(app, deletions);
  const holds = await Holds.read(app, deletions);
  const now = app.now();
  const isPaused = deletions.some(isOpen) && !(await readClockState(app)).isTrusted;
  const otherwise = isPaused ? clockWait : undefined;
  return deletions.map((deletion) => {
    const describe = mayExplain(deletion) ? explain : describeKind;
    const kinds = waitKindsOf(deletion, now, holds);
    const kind = byUrgency.find((one) => kinds.has(one));
    const waitsFor = isOpen(deletion) ? (describe(deletion, now, holds) ?? otherwise) : undefined;
    return { deletion, waitsFor, kind };
  });
}

/** No explanation names a record that is confidential everywhere: it delays no deletion that the viewer may know of. */
async function readExplainable(
  app: App,
  deletions: readonly Deletion[],
): Promise<(deletion: Deletion) => boolean> {
  if (hasRight(app, "confidential.read")) return () => true;
  const readers = await viewerOf(app).readers(deletions.map((one) => one.organizationId));
  const always = confidentialTypes();
  return ({ organizationId: id }) => readers.get(id)?.confidential.isSubsetOf(always) === true;
}

function explain(deletion: Deletion, now: number, holds: Holds): string | undefined {
  if (awaitsApproval(deletion)) return approvalWait;
  const [hold, ...more] = holds.of(deletion);
  if (hold !== undefined) return `a hold on this record: ${hold.reason}${moreThan(more.length)}`;
  return deletion.waitingFor ?? describeTime(deletion, now);
}

function moreThan(more: number): string {
  if (more === 0) return "";
  return more === 1 ? ", and 1 more hold" : `, and ${more} more holds`;
}

function describeKind(deletion: Deletion, now: number, holds: Holds): string | undefined {
  const kinds = waitKindsOf(deletion, now, holds);
  if (kinds.has("approval")) return approvalWait;
  const time = describeTime(deletion, now);
  if (time !== undefined) return time;
  if (kinds.has("hold")) return "a legal hold";
  const until = new Date(deletion.floorUntil ?? 0).toISOString();
  if (kinds.has("floor")) return `a retention floor, until ${until}`;
  return kinds.has("error") ? "another attempt" : undefined;
}

function describeTime(deletion: Deletion, now: number): string | undefined {
  if (!isEarly(deletion, now)) return undefined;
  const what = isAhead(deletion, now) ? "the clock, which was set back" : "its grace period";
  return `${what}, until ${new Date(deletion.dueAt).toISOString()}`;
}
