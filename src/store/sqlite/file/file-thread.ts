// The thread that works on the database file beside the writer: it checkpoints the WAL, scrubs free space, collects the
// plans of large cascades, and reads what takes too long for the thread that serves. It runs one task after another, so
// it never checkpoints while it scrubs. It changes no data through SQLite, and ends when it receives null.

import { fdatasyncSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { NodeKey } from "../../../domain/deletion/erasure.ts";
import { deletionFigures } from "../../sql/deletion/deletion.ts";
import { planLargeCascade } from "../../sql/plan/record-plans.ts";
import { listFloors } from "../../sql/retention/floor.ts";
import type { LongHistories } from "../../sql/retention/floor-origin.ts";
import type { DeletionFigures } from "../../interface/deletion.ts";
import type { ErasedQuery, ExpiryQuery } from "../../interface/retention.ts";
import type { DryRunPart, DryRunQuery } from "../../interface/plan.ts";
import { dryRun } from "../../sql/plan/dry-run.ts";
import { previewErased } from "../../sql/plan/expired-preview.ts";
import { findExpired } from "../../sql/plan/expired.ts";
import { findPartyObstacle } from "../../sql/plan/party-obstacle.ts";
import { findLatestArrival } from "../../sql/record/record.ts";
import { isObstacle, type Obstacle, targetsOf } from "../../sql/plan/plan.ts";
import { Connection, openReader } from "../connection.ts";
import type { CheckpointProgress } from "./checkpointer.ts";
import { inodeOf, saveMark, type ScrubMark } from "./scrub-mark.ts";
import { readWalPages, type WalPosition } from "./wal-pages.ts";
import { scrubResidue, scrubWholeFile } from "../erase/free-space.ts";
import type { PlanPart } from "../erase/large-plan.ts";
import { findingsMax } from "../../sql/trail/integrity.ts";

const { path, descriptor } = workerData as { readonly path: string; readonly descriptor: number };
let connection: Connection | undefined;
/** A read transaction that keeps the WAL from being restarted until `unpin`. */
let pin: Connection | undefined;

/** The remaining targets of the last collected plan, or the obstacle that was found instead. */
let plan: PlanPart | Obstacle = { floors: [], histories: new Map(), upTo: 0, targets: [] };

/** Collects a plan in one read transaction, so that it sees one snapshot. */
function collectPlan(root: NodeKey, deletion: Deletion, now: number): void {
  using reader = openReader(path);
  reader.run("BEGIN");
  const histories: LongHistories = new Map();
  const planned = reader.perform(planLargeCascade, deletion, root, { now, histories });
  const floors = reader.perform(listFloors, deletion.organizationId);
  const upTo = reader.perform(findLatestArrival);
  const ofParty =
    deletion.status === "pending"
      ? reader.perform(findPartyObstacle, deletion, { now })
      : undefined;
  if (isObstacle(planned)) plan = planned;
  else if (typeof ofParty === "object") plan = ofParty;
  else plan = { floors, histories, upTo, targets: targetsOf(planned) };
}

/** Counts in one read transaction: its counts are subtracted from each other. */
function countDeletions(now: number): DeletionFigures {
  using reader = openReader(path);
  reader.run("BEGIN");
  return reader.perform(deletionFigures, now);
}

function planDry(query: DryRunQuery): DryRunPart {
  using reader = openReader(path);
  reader.run("BEGIN");
  return reader.perform(dryRun, query);
}

/** Returns the next part; at the end, it has no targets. */
function nextPlanPart(targetsMax: number): PlanPart | Obstacle {
  if (isObstacle(plan)) return plan;
  const { targets } = plan;
  const part = { ...plan, targets: targets.slice(0, targetsMax) };
  plan = { ...plan, targets: targets.slice(targetsMax) };
  return part;
}

/**
 * SQLite itself syncs the file only after it has copied the whole WAL. Syncing here leaves little to sync for the
 * writer, which finishes the checkpoint.
 */
function checkpointAndSync(): CheckpointProgress {
  renewPin();
  const progress = checkpoint();
  fdatasyncSync(descriptor);
  return progress;
}

function opened(): Connection {
  return (connection ??= new Connection(path, { readOnly: false }));
}

/** Copies the frames that no reader blocks. Waits for nobody, and nobody waits for it. */
function checkpoint(): CheckpointProgress {
  const row = opened().get<{ log: number; checkpointed: number }>("PRAGMA wal_checkpoint(PASSIVE)");
  return {
    walFrames: Math.max(0, row?.log ?? 0),
    copiedFrames: Math.max(0, row?.checkpointed ?? 0),
  };
}

/** The new pin begins before the old one ends, so that the WAL can't be restarted in between. */
function renewPin(): void {
  const before = pin;
  pin = openReader(path);
  pin.run("BEGIN");
  pin.get("SELECT value FROM meta WHERE name = 'schema_version'");
  before?.close();
}

function unpin(): void {
  pin?.close();
  pin = undefined;
}

/** A mark to save. `file` is missing from the mark of an open store. */
export type NewMark = Omit<ScrubMark, "file"> & Partial<Pick<ScrubMark, "file">>;

const tasks = {
  readWal: (position: WalPosition) => readWalPages(path, position),
  passiveCheckpoint: () => {
    // An older pin would keep the newest frames from being copied.
    if (pin !== undefined) renewPin();
    return checkpoint().walFrames;
  },
  checkpoint: checkpointAndSync,
  unpin,
  saveMark: (mark: NewMark) => saveMark(path, { file: inodeOf(path), ...mark }),
  collectPlan,
  nextPlanPart,
  deletionFigures: countDeletions,
  // Reads that cover very many records; outside a transaction, so that each statement sees everything that is
  // committed.
  findExpired: (query: ExpiryQuery) => opened().perform(findExpired, query),
  dryRun: planDry,
  previewErased: (query: ErasedQuery) => opened().perform(previewErased, query),
  checkFile: () => checkFile(opened()),
  /** Scrubs the whole file if no pages are given. */
  scrub: (pages: readonly number[] | undefined): void => {
    if (pages === undefined) scrubWholeFile(descriptor);
    else scrubResidue(descriptor, pages);
  },
};

export type Tasks = typeof tasks;

/** The client passes each task its arguments. */
export interface TaskMessage {
  readonly name: keyof Tasks;
  readonly args: readonly unknown[];
}

export type TaskAnswer = { readonly value: unknown } | { readonly error: unknown };

function perform({ name, args }: TaskMessage): TaskAnswer {
  try {
    return { value: (tasks[name] as (...all: readonly unknown[]) => unknown)(...args) };
  } catch (error) {
    return { error };
  }
}

parentPort?.on("message", (message: TaskMessage | null) => {
  if (message !== null) return parentPort?.postMessage(perform(message));
  unpin();
  connection?.close();
  return parentPort?.close();
});

/** A file that is damaged at its beginning can't even be checked. */
function checkFile(file: Connection): readonly string[] {
  try {
    return file
      .all<{ integrity_check: string }>(`PRAGMA integrity_check(${findingsMax})`)
      .map((row) => row.integrity_check)
      .filter((line) => line !== "ok")
      .map((line) => `The file is damaged; SQLite reports: ${line}.`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return [`The file is damaged, or can't be read: ${why}.`];
  }
}
