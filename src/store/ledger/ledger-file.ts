// The ledger: an append-only file beside the store and outside its backups. It tells a restore what must be erased
// again and which holds there are, and a check how far the store's chains reached. Never contains content of a record.
//
// A deletion is recorded before it is completed and again with its receipt, each on stable storage before the next
// step. So every completed deletion is in the ledger, even if a process ends in between. Several processes may append.
// Each frame is written under a lock, after removing an end that a crash has torn, and after rewriting the last frame,
// which may not have been synced.

import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SerialQueue } from "../../basics/serial-queue.ts";
import { type LedgerEntry, writeEntry } from "../../domain/deletion/ledger-entry.ts";
import { codeOf } from "../../files/file-error.ts";
import {
  explainCreation,
  explainOpening,
  explainWriting,
  isPresent,
  requireUsable,
} from "../../files/present.ts";
import { giveToFolder } from "../../files/own-file.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { makeFrame, noDigest } from "./ledger-frame.ts";
import { ledgerName, readLedgerParts, readLedgerState } from "./ledger-reader.ts";
import { withPart } from "./ledger-state.ts";
import { StoreError } from "../interface/store-error.ts";
import type { DeletionLedger, LedgerState, SealHeads } from "../interface/ledger.ts";

/** Bytes of JSON in one append, and so the most that a crash can tear. */
export const ledgerFrameBytesMax = 48 * 1_024;
/** How long a process waits while another one appends. */
const ledgerLockMsMax = 10_000;

interface LedgerOptions {
  readonly folder: string;
  readonly storeId: string;
  readonly now: () => number;
  /** Takes the lock; undefined if another process has it. */
  readonly tryLock: (path: string) => { release(): void } | undefined;
}

const lockPollMs = 5;
/** More than the longest frame. */
const rewrittenBytes = 64 * 1_024;

/**
 * Opens the ledger of a store. Each store has its own file, so several can share a folder. The first entry creates the
 * file.
 */
export function openLedger(options: LedgerOptions): DeletionLedger {
  const path = ledgerPath(options.folder, options.storeId);
  const file = new LedgerFile(path);
  const appends = new SerialQueue();
  return {
    path,
    exists: () => isPresent(path, ledgerName),
    requireUsable: () => {
      requireUsable(path, ledgerName);
      requireUsable(lockOf(path), "The lock of the ledger");
    },
    state: () => readState(file, options),
    readParts: () => readLedgerParts(path, "own"),
    note: (entries, seal) =>
      appends.run(async () => {
        if (entries.length > 0 || seal !== undefined)
          await append(file, { ...options, entries, seal });
      }),
    sync: () =>
      appends.run(async () =>
        file.isSynced() ? file.state() : append(file, { ...options, entries: [] }),
      ),
  };
}

/** The file, and the state of its end until another process changes it. */
class LedgerFile {
  readonly path: string;
  #known: { readonly stamp: string; readonly state: LedgerState } | undefined;
  #synced: string | undefined;

  constructor(path: string) {
    this.path = path;
  }

  async state(): Promise<LedgerState> {
    const stamp = this.#stamp();
    if (this.#known?.stamp === stamp) return this.#known.state;
    const state = await readLedgerState(this.path);
    this.#known = { stamp, state };
    return state;
  }

  /** Records that the whole file is on stable storage. */
  synced(state: LedgerState): void {
    this.#synced = this.#stamp();
    this.#known = { stamp: this.#synced, state };
  }

  /** Whether this process knows that the whole file is on stable storage. */
  isSynced(): boolean {
    return this.#synced === this.#stamp();
  }

  #stamp(): string {
    if (!isPresent(this.path, ledgerName)) return "";
    const { ino, size, mtimeNs } = statSync(this.path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  }
}

function ledgerPath(folder: string, storeId: string): string {
  return join(folder, `deletion-ledger-${storeId}.ndjson`);
}

interface Appending extends LedgerOptions {
  readonly entries: readonly LedgerEntry[];
  readonly seal?: SealHeads | undefined;
}

/** Reads the state. An end that looks torn may be an append in progress; that has ended when the lock is free. */
async function readState(ledger: LedgerFile, { tryLock }: LedgerOptions): Promise<LedgerState> {
  const state = await ledger.state();
  if (state.tornBytes === 0) return state;
  const lock = await takeLock(lockOf(ledger.path), tryLock);
  try {
    return await ledger.state();
  } finally {
    lock.release();
  }
}

/** Appends entries. Returns the state after that, which is then on stable storage. */
async function append(ledger: LedgerFile, appending: Appending): Promise<LedgerState> {
  const { path } = ledger;
  makePrivateFolder(dirname(path));
  const lock = await takeLock(lockOf(path), appending.tryLock);
  try {
    const before = await ledger.state();
    const isNew = !isPresent(path, ledgerName);
    const isSynced = ledger.isSynced();
    let state: LedgerState;
    {
      await using file = await openFile(path, isNew);
      if (!isSynced) await writeEndAgain(file, before);
      state = await appendTo(file, { ...appending, path, state: { ...before, tornBytes: 0 } });
    }
    if (!isSynced) await syncFolder(dirname(path));
    ledger.synced(state);
    return state;
  } catch (cause) {
    throw codeOf(cause) === undefined ? cause : explainWriting(cause, ledgerName, path);
  } finally {
    lock.release();
  }
}

/**
 * Removes an end that a crash has torn, and writes the last frame again. The process that wrote this frame may have
 * ended before the sync, or the sync may have failed. Then the system may consider the pages of the frame as written
 * although they are not; the next sync would succeed without them, and leave a hole before later frames. Earlier frames
 * are synced, because each is synced before the next is begun.
 */
async function writeEndAgain(file: FileHandle, { bytes, tornBytes }: LedgerState): Promise<void> {
  if (tornBytes > 0) await file.truncate(bytes);
  const from = Math.max(0, bytes - rewrittenBytes);
  const end = Buffer.alloc(bytes - from);
  const { bytesRead } = await file.read({ buffer: end, position: from });
  await writeAll(file, end.subarray(0, bytesRead), from);
  await file.sync();
}

async function writeAll(file: FileHandle, bytes: Buffer, from: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const left = bytes.length - done;
    done += (await file.write(bytes, done, left, from + done)).bytesWritten;
  }
}

async function openFile(path: string, isNew: boolean): Promise<FileHandle> {
  try {
    const file = await open(path, isNew ? "ax" : "r+", 0o600);
    if (isNew) giveToFolder(file.fd, path);
    return file;
  } catch (cause) {
    throw (isNew ? explainCreation : explainOpening)(cause, ledgerName, path);
  }
}

/** Returns the state after the append. */
async function appendTo(
  file: FileHandle,
  place: Appending & { readonly path: string; readonly state: LedgerState },
): Promise<LedgerState> {
  const { state, entries, seal } = place;
  if (entries.length === 0 && seal === undefined) return state;
  const previous = state.lastFrame?.digest ?? noDigest;
  const writer = new FrameWriter(file, state, previous);
  const ledgerId = state.ledgerId ?? makeLedgerId();
  const begin: readonly LedgerEntry[] =
    state.ledgerId === undefined
      ? [{ kind: "begin", ledgerId, storeId: place.storeId, at: place.now() }]
      : [];
  const parts = [...partsOf([...begin, ...entries])];
  const last = parts.pop() ?? [];
  for (const part of parts) await writer.write(part);
  const heads = seal?.({ ledgerId, digest: writer.digest });
  await writer.write(heads === undefined ? last : [...last, heads]);
  return writer.state;
}

/** Divides the entries so that each part fits in a frame. */
function* partsOf(entries: readonly LedgerEntry[]): Generator<readonly LedgerEntry[]> {
  let part: LedgerEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const length = Buffer.byteLength(textOf(entry)) + 1;
    if (bytes + length > ledgerFrameBytesMax && part.length > 0) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(entry);
    bytes += length;
  }
  if (part.length > 0) yield part;
}

function textOf(entry: LedgerEntry): string {
  return JSON.stringify(writeEntry(entry));
}

/** Each frame is on stable storage before the next is begun, so that a crash can tear only the last one. */
class FrameWriter {
  state: LedgerState;
  digest: string;
  readonly #file: FileHandle;

  constructor(file: FileHandle, state: LedgerState, digest: string) {
    this.#file = file;
    this.state = state;
    this.digest = digest;
  }

  async write(entries: readonly LedgerEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const { bytes: from, terminated } = this.state;
    const { bytes, digest } = makeFrame(`[${entries.map(textOf).join(",")}]`, this.digest);
    const all = terminated ? bytes : Buffer.concat([Buffer.from("\n"), bytes]);
    await writeAll(this.#file, all, from);
    await this.#file.sync();
    const end = from + all.length;
    const after = withPart(this.state, { entries, end: end - 1, digest });
    this.state = { ...after, bytes: end, terminated: true };
    this.digest = digest;
  }
}

async function takeLock(
  path: string,
  tryLock: LedgerOptions["tryLock"],
): Promise<{ release(): void }> {
  const until = performance.now() + ledgerLockMsMax;
  for (;;) {
    const lock = tryLock(path);
    if (lock !== undefined) return lock;
    if (performance.now() > until) {
      throw new StoreError(
        `Another process has held the ledger of deletions for ${ledgerLockMsMax / 1_000} seconds (the lock is ` +
          `${path}). Check for a process that hangs.`,
      );
    }
    await sleep(lockPollMs);
  }
}

function lockOf(path: string): string {
  return path.replace(/\.ndjson$/, ".lock");
}

function makeLedgerId(): string {
  return `ledger_${randomBytes(12).toString("hex")}`;
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}
