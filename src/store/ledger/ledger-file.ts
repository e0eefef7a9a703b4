// The ledger: an append-only file beside the store and outside its backups. It tells a restore what must be erased again and
// which holds there are, and a check how far the store's chains reached. Never contains content of a record.
//
// A deletion is noted before it is completed and again with its receipt, each on stable storage before the next step. So
// every completed deletion is in the ledger, even if a process ends in between. Several processes may append: each frame is
// written under a lock, after cutting off what a crash may have torn.

import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEntry } from "../../domain/deletion/ledger-entry.ts";
import { explainCreation, explainOpening, isPresent } from "../../files/present.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { makeFrame } from "./ledger-frame.ts";
import { digestOfPlain, ledgerName, readLedgerParts, readLedgerState } from "./ledger-reader.ts";
import { withPart } from "./ledger-state.ts";
import { writeEntry } from "../../domain/deletion/ledger-codec.ts";
import { StoreError } from "../store-error.ts";
import type { DeletionLedger, LedgerState, SealHeads } from "../ledger.ts";

/** Of the JSON of one append: what a crash can tear. */
export const ledgerFrameBytesMax = 48 * 1_024;
/** How long a process waits for another one that appends. */
const ledgerLockMsMax = 10_000;

interface LedgerOptions {
  readonly folder: string;
  readonly storeId: string;
  readonly now: () => number;
  /** Undefined if another process holds it. */
  readonly tryLock: (path: string) => { release(): void } | undefined;
}

const lockPollMs = 5;

/** One file for each store, so that several can share a folder. Created with the first note. */
export function openLedger(options: LedgerOptions): DeletionLedger {
  const path = ledgerPath(options.folder, options.storeId);
  const file = new LedgerFile(path);
  let last: Promise<unknown> = Promise.resolve();
  return {
    path,
    exists: () => isPresent(path, ledgerName),
    state: () => file.state(),
    readParts: () => readLedgerParts(path, "own"),
    note(entries, seal) {
      const mine = last.then(() => append(file, { ...options, entries, seal }));
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}

/** The file, and the state of its end until another process changes it. */
class LedgerFile {
  readonly path: string;
  #known: { readonly stamp: string; readonly state: LedgerState } | undefined;

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

  wrote(state: LedgerState): void {
    this.#known = { stamp: this.#stamp(), state };
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
  readonly seal: SealHeads | undefined;
}

async function append(ledger: LedgerFile, appending: Appending): Promise<void> {
  const { path } = ledger;
  const { entries, seal } = appending;
  if (entries.length === 0 && seal === undefined) return;
  makePrivateFolder(dirname(path));
  const lock = await takeLock(lockOf(path), appending.tryLock);
  try {
    const state = await ledger.state();
    const isNew = !isPresent(path, ledgerName);
    {
      await using file = await openFile(path, isNew);
      ledger.wrote(await appendTo(file, { ...appending, path, state }));
    }
    if (isNew) await syncFolder(dirname(path));
  } finally {
    lock.release();
  }
}

async function openFile(path: string, isNew: boolean): Promise<FileHandle> {
  try {
    return await open(path, isNew ? "ax" : "r+", 0o600);
  } catch (cause) {
    throw (isNew ? explainCreation : explainOpening)(cause, ledgerName, path);
  }
}

interface Place extends Appending {
  readonly path: string;
  readonly state: LedgerState;
}

/** Returns the state after it. */
async function appendTo(file: FileHandle, place: Place): Promise<LedgerState> {
  const { state, entries, seal } = place;
  if (state.tornBytes > 0) {
    await file.truncate(state.bytes);
    await file.sync();
  }
  const previous = state.lastFrame?.digest ?? (await digestOfPlain(place.path, state));
  const writer = new FrameWriter(file, { ...state, tornBytes: 0 }, previous);
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

/** As many entries together as fit in a frame. */
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
    for (let done = 0; done < all.length;) {
      const left = all.length - done;
      done += (await this.#file.write(all, done, left, from + done)).bytesWritten;
    }
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
