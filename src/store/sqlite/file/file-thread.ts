// The thread that works on the database file beside the writer: it checkpoints the WAL, it finds and overwrites what erasing
// left in unused places, and it collects the plans of large cascades. As it does one task after another, it never checkpoints while it overwrites. Never
// writes through SQLite, and ends when it is sent null.

import { fdatasyncSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import {
  isObstacle,
  type Obstacle,
  planFrom,
  type PlanTarget,
  targetsOf,
  tooLarge,
} from "../erase/cascade.ts";
import type { PlanCounts } from "../erase/claim.ts";
import { Connection, openReader } from "../connection.ts";
import type { CheckpointProgress, FileAnswer, FileTask } from "./file-tasks.ts";
import { readWalPages } from "./wal-pages.ts";
import { scrubResidue, scrubWholeFile } from "../erase/free-space.ts";

const { path, descriptor } = workerData as { readonly path: string; readonly descriptor: number };
let connection: Connection | undefined;
/** A read transaction that keeps the WAL from beginning anew before all of it may be given up. */
let pin: Connection | undefined;

/** The plan that was collected last, and how much of it was handed over. */
let plan: readonly PlanTarget[] = [];
let handedOver = 0;

function perform(task: FileTask): FileAnswer {
  switch (task.task) {
    case "read WAL":
      return { part: readWalPages(path, task.position) };
    case "passive checkpoint":
      return { committed: checkpoint().walFrames };
    case "checkpoint":
      return { progress: checkpointAndSync() };
    case "unpin":
      unpin();
      return {};
    case "collect plan":
      return { plan: collectPlan(task.root) };
    case "plan part":
      return { targets: nextPlanPart(task.targetsMax) };
    case "scrub":
    default:
      if (task.pages === undefined) scrubWholeFile(descriptor);
      else scrubResidue(descriptor, task.pages);
      return {};
  }
}

/** From one read transaction, so that the plan is of one moment. */
function collectPlan(root: RecordKey): PlanCounts | Obstacle {
  plan = [];
  handedOver = 0;
  const reader = openReader(path);
  try {
    reader.run("BEGIN");
    const planned = planFrom(reader, root, limits.cascadeRecordsMax);
    if (planned === undefined) return tooLarge;
    if (isObstacle(planned)) return planned;
    plan = targetsOf(planned);
    return { toErase: planned.erase.length, toRedact: planned.redact.length };
  } finally {
    reader.close();
  }
}

function nextPlanPart(targetsMax: number): readonly PlanTarget[] {
  const part = plan.slice(handedOver, handedOver + targetsMax);
  handedOver += part.length;
  if (part.length === 0) plan = [];
  return part;
}

/**
 * SQLite itself syncs the file only once the whole WAL is copied. Doing it here leaves little to sync for the writer,
 * which ends the checkpoint.
 */
function checkpointAndSync(): CheckpointProgress {
  renewPin();
  const progress = checkpoint();
  fdatasyncSync(descriptor);
  return progress;
}

/** Copies what no reader stands in the way of. Waits for nobody, and nobody waits for it. */
function checkpoint(): CheckpointProgress {
  connection ??= new Connection(path, { readOnly: false });
  const row = connection.get<{ log: number; checkpointed: number }>(
    "PRAGMA wal_checkpoint(PASSIVE)",
  );
  return {
    walFrames: Math.max(0, row?.log ?? 0),
    copiedFrames: Math.max(0, row?.checkpointed ?? 0),
  };
}

/** The next one begins before this one ends, so that there is never a gap in which the WAL could begin anew. */
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

parentPort?.on("message", (task: FileTask | null) => {
  if (task === null) {
    unpin();
    connection?.close();
    parentPort?.close();
    return;
  }
  let answer: FileAnswer;
  try {
    answer = perform(task);
  } catch (error) {
    answer = { error };
  }
  parentPort?.postMessage(answer);
});
