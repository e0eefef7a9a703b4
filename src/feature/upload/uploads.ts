// The uploaded files of this process: received into a private folder, shown before anything is written, imported, and
// removed an hour after they arrived or their import ended, when they are discarded, and when the process stops.
// Another process knows nothing of them.
//
// An upload is ready (its mapping may change) → checking, first in a queue → importing, or ready again if rows would be
// refused → ended (refused rows can be downloaded) → removed. It can be discarded when it is ready or has ended;
// stopping a check or an import ends it.

import { randomBytes } from "node:crypto";
import { createReadStream, type ReadStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { formatOfName, parquetRefused } from "../import/rows/input-format.ts";
import { refusedName } from "../import/file-paths.ts";
import type { FileReport, ImportStep } from "../import/import-file.ts";
import type { MappingChoice } from "./column-choice.ts";
import type { Inspection } from "./inspect.ts";
import {
  type UploadResults,
  type UploadTask,
  endingOf,
  isBusy,
  type UploadEntry,
  isReceived,
  type NewUpload,
  noStep,
  noSuchUpload,
  notReady,
  planOf,
  requireIdle,
  tooMany,
  type Upload,
  type UploadFolder,
  uploadLimits,
} from "./upload.ts";
import { receiveFile } from "./receive-file.ts";
import {
  runInThread,
  type StartUploadThread,
  type ThreadEvents,
  type WriteImport,
} from "./run-in-thread.ts";
import { UploadTurns } from "./upload-turns.ts";

export interface UploadsOptions {
  readonly makeFolder: () => Promise<UploadFolder>;
  readonly startThread: StartUploadThread;
  readonly bytesMax: number;
  readonly timestampMin: string;
  readonly now: () => number;
  /** How long a file is kept must not depend on a clock that somebody can set. */
  readonly monotonic: () => number;
  readonly onFailure: (error: unknown) => void;
}

export type RunImport = (onStep: (step: ImportStep) => void) => Promise<FileReport>;

interface StartOptions {
  readonly inspectionNo: number;
  readonly write: WriteImport;
  /** Throws OperatorError once the person may no longer import; called repeatedly. */
  readonly requireAllowed: () => Promise<void>;
  readonly record: (run: RunImport) => Promise<FileReport>;
}

const sweepMs = 60_000;
/** The longest time for reading the first rows of a file. */
const inspectionMsMax = 15_000;
/** How often an import checks that the person who started it may still import. */
const allowedMs = 2_000;

export class Uploads {
  readonly #options: UploadsOptions;
  readonly #entries = new Map<string, UploadEntry>();
  readonly #timer: NodeJS.Timeout;
  #folder: Promise<UploadFolder> | undefined;
  readonly #running = new Set<Promise<void>>();
  readonly #inspections = new UploadTurns(uploadLimits.inspectionsAtOnce);
  readonly #imports = new UploadTurns(uploadLimits.importsAtOnce);
  #closing = false;

  constructor(options: UploadsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#sweep(), sweepMs).unref();
  }

  get bytesMax(): number {
    return this.#options.bytesMax;
  }

  listOf(ownerId: string): readonly Upload[] {
    this.#sweep();
    const own = [...this.#entries.values()].filter((one) => one.ownerId === ownerId);
    return own.flatMap((one) => (isReceived(one) ? [one] : [])).toReversed();
  }

  /** Throws OperatorError no_such_upload, also for an upload of somebody else. */
  find(uploadId: string, ownerId: string): Upload {
    return this.#find(uploadId, ownerId);
  }

  /** Throws OperatorError upload if there are too many already, or if the name does not tell the format. */
  #requireRoom({ ownerId, fileName, repairs }: NewUpload): void {
    this.#sweep();
    const { ofOperatorMax, filesMax } = uploadLimits;
    if (this.#closing || this.bytesMax === 0) {
      throw new OperatorError("upload", "Uploads are off: the setting UPLOAD_BYTES_MAX is 0.");
    }
    const format = formatOfName(fileName, "end it in .csv, .ndjson or .json");
    if (format === "parquet") throw parquetRefused(fileName);
    const others = [...this.#entries.values()].filter(({ uploadId }) => uploadId !== repairs);
    const own = others.filter((one) => one.ownerId === ownerId);
    if (own.length >= ofOperatorMax) throw tooMany(`You have ${ofOperatorMax}`);
    if (others.length >= filesMax) throw tooMany(`There are ${filesMax}`);
  }

  /**
   * A repaired file takes the place of the faulty one, unless that is being imported. Throws OperatorError if there are
   * too many files, or for one that is too large, and what the source throws; then nothing is left of the file.
   */
  async receive(about: NewUpload, source: Readable): Promise<Upload> {
    const { repairs, ownerId } = about;
    const faulty = repairs === undefined ? undefined : this.#find(repairs, ownerId);
    requireIdle(faulty);
    this.#requireRoom(about);
    const uploadId = `upl_${randomBytes(16).toString("base64url")}`;
    const entry: UploadEntry = {
      ...about,
      uploadId,
      file: "",
      bytes: 0,
      receivedAt: this.#options.now(),
      keptUntil: Infinity,
      state: { name: "arriving" },
      inspection: undefined,
      inspectionNo: 0,
      choice: faulty?.choice,
      check: undefined,
      faultyCheck: faulty?.check,
      refused: [],
      stopping: new AbortController(),
      removal: new AbortController(),
    };
    this.#entries.set(uploadId, entry);
    try {
      entry.file = await this.#makePlace(uploadId, about.fileName);
      entry.bytes = await receiveFile(entry.file, source, this.bytesMax);
      entry.keptUntil = this.#options.monotonic() + uploadLimits.keptMs;
      requireIdle(faulty);
      if (faulty !== undefined) await this.#remove(faulty);
      return Object.assign(entry, { state: { name: "ready" } as const });
    } catch (error) {
      this.#entries.delete(uploadId);
      if (entry.file !== "") await this.#remove(entry);
      throw error;
    }
  }

  async #makePlace(uploadId: string, fileName: string): Promise<string> {
    this.#folder ??= this.#options.makeFolder().catch((error: unknown) => {
      this.#folder = undefined;
      throw error;
    });
    const folder = join((await this.#folder).path, uploadId);
    await mkdir(folder, { mode: 0o700 });
    return join(folder, `upload${endingOf(fileName)}`);
  }

  /** Uses the given choice of columns, otherwise the last one. Throws OperatorError. */
  async inspect(uploadId: string, ownerId: string, choice?: MappingChoice): Promise<Inspection> {
    const asked = this.#findReady(uploadId, ownerId);
    try {
      return await this.#inspections.run(asked, asked.removal.signal, async () => {
        // It may have been inspected again or removed meanwhile.
        const entry = this.#findReady(uploadId, ownerId);
        if (choice === undefined && entry.inspection !== undefined) return entry.inspection;
        const plan = planOf(entry, this.#options.timestampMin);
        const task = { kind: "inspect", plan, choice: choice ?? entry.choice } as const;
        const stopping = AbortSignal.timeout(inspectionMsMax);
        const inspection = await runInThread(this.#options.startThread, task, { stopping });
        entry.inspectionNo += 1;
        Object.assign(entry, { inspection, choice: task.choice, check: undefined });
        return inspection;
      });
    } catch (error) {
      throw asked.removal.signal.aborted ? noSuchUpload() : this.#explain(error);
    }
  }

  /**
   * Checks all rows with the mapping that was inspected, and imports them if none would be refused; calling it again
   * imports the others. Throws OperatorError upload, also if another mapping was inspected since.
   */
  start(
    uploadId: string,
    ownerId: string,
    { inspectionNo, write, requireAllowed, record }: StartOptions,
  ): void {
    const entry = this.#findReady(uploadId, ownerId);
    const { mapping, layout = {} } = entry.inspection ?? {};
    if (mapping === undefined) throw notReady("Its mapping does not work yet.");
    if (inspectionNo !== entry.inspectionNo) {
      throw notReady(
        "Its mapping was changed since this page was shown; see how the rows are now.",
      );
    }
    const { stopping } = entry;
    const task = { plan: planOf(entry, this.#options.timestampMin), layout, mapping } as const;
    const run: RunImport = (onStep) =>
      this.#inThread(
        entry,
        { ...task, kind: "import" },
        { write, onStep, onRefused: (rows) => void entry.refused.push(...rows) },
      );
    const checking = setInterval(() => {
      requireAllowed().catch((error: unknown) => {
        if (error instanceof OperatorError) stopping.abort(error);
      });
    }, allowedMs).unref();
    const isSeen = entry.check !== undefined;
    entry.state = { name: isSeen ? "importing" : "checking", step: undefined };
    const work = isSeen
      ? record(run)
      : this.#inThread(entry, { ...task, kind: "check" }).then((check) => {
          entry.check = check;
          return check.refused === 0 ? record(run) : undefined;
        });
    const running = this.#end(entry, work).finally(() => {
      clearInterval(checking);
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  #inThread<Kind extends "check" | "import">(
    entry: UploadEntry,
    task: UploadTask & { readonly kind: Kind },
    events: Omit<ThreadEvents, "stopping"> = {},
  ): Promise<UploadResults[Kind]> {
    const { signal: stopping } = entry.stopping;
    const name = task.kind === "check" ? "checking" : "importing";
    const onStep = (step: ImportStep): void => {
      entry.state = { name, step };
      events.onStep?.(step);
    };
    return this.#imports.run(entry, stopping, () => {
      entry.state = { name, step: noStep };
      return runInThread(this.#options.startThread, task, { ...events, stopping, onStep });
    });
  }

  /** Lists in flight are still written. Throws OperatorError. */
  stop(uploadId: string, ownerId: string): void {
    const entry = this.#find(uploadId, ownerId);
    if (!isBusy(entry)) throw notReady("It is not being imported.");
    entry.stopping.abort();
  }

  async discard(uploadId: string, ownerId: string): Promise<void> {
    const entry = this.#find(uploadId, ownerId);
    requireIdle(entry);
    await this.#remove(entry);
  }

  /** The rows that were refused. Reading ends when the file is removed: an open file would stay on the disk. */
  readRefused(
    uploadId: string,
    ownerId: string,
  ): { name: string; open: () => ReadStream } | undefined {
    const { state, fileName, removal } = this.#find(uploadId, ownerId);
    const path = state.name === "ended" ? state.report?.refusedFile : undefined;
    if (path === undefined) return undefined;
    const open = (): ReadStream => createReadStream(path, { signal: removal.signal });
    return { name: refusedName(fileName), open };
  }

  async stopAll(): Promise<void> {
    this.#closing = true;
    for (const { stopping } of this.#entries.values()) stopping.abort();
    await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.stopAll();
    this.#entries.clear();
    await (await this.#folder?.catch(() => undefined))?.remove();
  }

  /** Without a report, some rows would be refused, and the person decides. */
  async #end(entry: UploadEntry, work: Promise<FileReport | undefined>): Promise<void> {
    const stepNow = (): ImportStep =>
      (entry.state.name === "importing" ? entry.state.step : undefined) ?? noStep;
    const { monotonic } = this.#options;
    const keep = (): void => void (entry.keptUntil = monotonic() + uploadLimits.keptMs);
    try {
      const report = await work.finally(keep);
      if (report === undefined) {
        entry.state = { name: "ready" };
        return;
      }
      entry.state = { name: "ended", step: { ...report, share: 1 }, failure: undefined, report };
    } catch (error) {
      const { message: failure } = this.#explain(error);
      entry.state = { name: "ended", step: stepNow(), failure, report: undefined };
    }
    entry.inspection = undefined;
    // Only the refused rows of the file are still needed.
    await rm(entry.file, { force: true }).catch(this.#options.onFailure);
  }

  #explain(error: unknown): OperatorError {
    if (error instanceof OperatorError) return error;
    this.#options.onFailure(error);
    return new OperatorError("upload", "An internal error occurred; the log has the reason.");
  }

  #find(uploadId: string, ownerId: string): UploadEntry & Upload {
    this.#sweep();
    const entry = this.#entries.get(uploadId);
    if (entry !== undefined && entry.ownerId === ownerId && isReceived(entry)) return entry;
    throw noSuchUpload();
  }

  #findReady(uploadId: string, ownerId: string): UploadEntry & Upload {
    const entry = this.#find(uploadId, ownerId);
    if (entry.state.name === "ready") return entry;
    throw notReady("Its import has begun already.");
  }

  #sweep(): void {
    const now = this.#options.monotonic();
    for (const entry of this.#entries.values()) {
      const isIdle = entry.state.name === "ready" || entry.state.name === "ended";
      if (isIdle && entry.keptUntil < now) void this.#remove(entry);
    }
  }

  async #remove(entry: UploadEntry): Promise<void> {
    this.#entries.delete(entry.uploadId);
    entry.removal.abort();
    await rm(dirname(entry.file), { recursive: true, force: true }).catch(this.#options.onFailure);
  }
}
