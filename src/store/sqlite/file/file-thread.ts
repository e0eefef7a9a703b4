// The thread that works on the database file beside the writer: it checkpoints the WAL, scrubs free space, and reads
// what takes too long for the thread that serves (long-reads.ts). It runs one task after another, so it never
// checkpoints while it scrubs. It changes no data through SQLite.

import { fdatasyncSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { Connection } from "../connection.ts";
import { openPin } from "./checkpoint-freeze.ts";
import type { CheckpointProgress } from "./checkpointer.ts";
import { inodeOf, saveMark, type ScrubMark } from "./scrub-mark.ts";
import { readWalPages, type WalPosition } from "./wal-pages.ts";
import { findingsMax } from "../../interface/store.ts";
import { Calls } from "../../../basics/thread.ts";
import { NumberSet } from "../../../basics/number-set.ts";
import { scrubResidue } from "../erase/free-space.ts";

const { path, descriptor } = workerData as { readonly path: string; readonly descriptor: number };
let connection: Connection | undefined;
/** A read transaction that keeps the WAL from being restarted until `unpin`. */
let pin: Connection | undefined;

/** SQLite syncs only after copying the whole WAL. This leaves little to sync for the writer, which ends it. */
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
  pin = openPin(path);
  before?.close();
}

function unpin(): void {
  pin?.close();
  pin = undefined;
}

/** A mark to save. `file` is missing from the mark of an open store. */
export type NewMark = Omit<ScrubMark, "file"> & Partial<Pick<ScrubMark, "file">>;

const tasks = {
  /** Returns the pages that were written to the WAL after this position; undefined if that is no longer known. */
  readWal: (position: WalPosition) => readWalPages(path, position),
  /** Checkpoints without delaying anybody. Returns how many frames are committed. */
  passiveCheckpoint: () => {
    // An older pin would keep the newest frames from being copied.
    if (pin !== undefined) renewPin();
    return checkpoint().walFrames;
  },
  /** Checkpoints without delaying anybody, and pins the WAL until `unpin`. */
  checkpoint: checkpointAndSync,
  unpin,
  saveMark: (mark: NewMark) => saveMark(path, { file: inodeOf(path), ...mark }),
  /** Returns what SQLite's own check of the file finds. */
  checkFile: () => checkFile(opened()),
  /** Overwrites the free space of the pages of a set with these bits. Checkpoints have to be frozen. */
  scrub: (bits: Uint8Array): void => void scrubResidue(descriptor, new NumberSet(bits)),
};

export type Tasks = typeof tasks & typeof import("./long-reads.ts").longReads;

const port = parentPort;
if (port === null) throw new Error("the tasks of the file must run in a worker thread");
new Calls({
  start: () => port,
  own: tasks,
  // Most processes never need them, and to load them takes longer than all else of this thread.
  load: async () => (await import("./long-reads.ts")).longReads,
  onClose: () => {
    unpin();
    connection?.close();
    port.close();
  },
}).open();

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
