// Knows which pages of the database file may have residue in their free space: those that were written since the file
// was last scrubbed. A page changes only through the WAL, so these are the pages that were noted when an earlier WAL
// ended, and those of the WAL since then. A store that is served keeps the knowledge in the scrub mark (scrub-mark.ts).

import { statSync } from "node:fs";
import { NumberSet } from "../../../basics/number-set.ts";
import type { FileTasks } from "../file/file-tasks.ts";
import { emptyWalPosition, type WalPosition } from "../file/wal-pages.ts";
import type { PerformOperation } from "../commit/operation.ts";

export interface UnscrubbedParts {
  readonly path: string;
  readonly perform: PerformOperation;
  readonly files: Pick<FileTasks, "ask" | "unpin">;
  /** Whether the mark is kept for later processes. */
  readonly kept: boolean;
  /** Upkeep scrubs so many at once, and leaves fewer to the next deletion. */
  readonly pagesAtOnce?: number | undefined;
}

const pageBytes = 4_096;
/** 32 MiB. */
const pagesAtOnceDefault = 8_192;

export class UnscrubbedPages {
  readonly #parts: UnscrubbedParts;
  /**
   * Up to where the WAL was read; undefined if pages may have been missed. A position of a WAL that was restarted since
   * is recognised. The empty one, which fits any WAL, counts only while checkpoints are frozen.
   */
  #position: WalPosition | undefined;
  /** The pages that were written before. */
  #pages = new NumberSet();

  constructor(parts: UnscrubbedParts) {
    this.#parts = parts;
  }

  /** Continues what an earlier process knew. Call before this process writes. */
  async resume(): Promise<void> {
    const mark = await this.#parts.perform("resumeMark").catch(() => undefined);
    if (mark === undefined) return;
    this.#position = mark.position;
    this.#pages = new NumberSet(mark.pages);
    // Saving starts a thread, and a start after a kill need not wait for that.
    if (!mark.isSaved) await this.#save();
  }

  /** Keeps the WAL from being restarted unnoticed when others release their pins. */
  async pin(): Promise<void> {
    if (this.#position !== undefined) await this.#parts.perform("pinWal");
  }

  /** Restarts the WAL and notes its pages. `committed`: how many of its frames are. */
  async restartWal(committed: number): Promise<void> {
    const { perform, files } = this.#parts;
    await this.pin();
    await files.unpin();
    const part = this.#position && (await files.ask("readWal", this.#position));
    const position = part && upTo(part.position, committed);
    this.#position = undefined;
    const rest = await perform("restartWal", { position });
    if (part === undefined || rest === undefined) return;
    this.#pages.add(part.pages);
    this.#pages.add(rest.pages);
    this.#position = rest.position;
    await this.#save();
  }

  get #pagesAtOnce(): number {
    return this.#parts.pagesAtOnce ?? pagesAtOnceDefault;
  }

  /** Whether so many pages were written before the current WAL that upkeep has to scrub some. */
  get areMany(): boolean {
    const { path } = this.#parts;
    const pages = this.#position === undefined ? pagesOf(path) : this.#pages.size;
    return pages >= this.#pagesAtOnce;
  }

  /** Checkpoints the WAL and freezes checkpoints, so that the pages of `take` can be scrubbed until `release`. */
  async freeze(): Promise<void> {
    const { path, perform, files } = this.#parts;
    if (this.#position !== undefined) await perform("pinWal");
    const committed = await files.ask("passiveCheckpoint");
    const part = this.#position && (await files.ask("readWal", this.#position));
    const position = part && upTo(part.position, committed);
    const rest = await perform("freezeCheckpoints", { position });
    this.#position = emptyWalPosition;
    if (part === undefined || rest === undefined) this.#pages = NumberSet.upTo(pagesOf(path));
    else for (const { pages } of [part, rest]) this.#pages.add(pages);
  }

  /** The bits of the unscrubbed pages, which count as scrubbed from now on. */
  take(): Uint8Array {
    return this.#pages.take(Infinity).bits;
  }

  /** The same of the next ones that upkeep scrubs. */
  takeSome(): Uint8Array {
    return this.#pages.take(this.#pagesAtOnce).bits;
  }

  /** Notes that what was not taken, and what was written after this position, is unscrubbed; undefined: anything is. */
  async scrubbed(position: WalPosition | undefined): Promise<void> {
    this.#position = position;
    await this.#save();
  }

  /** Ends the freeze. If `scrubbed` was not called, pages may have been taken without being scrubbed. */
  async release(): Promise<void> {
    if (this.#position === emptyWalPosition) this.#position = undefined;
    await this.#parts.perform("releaseCheckpoints");
  }

  /** Call after the last write, and before the writer is closed. `perform` still has to work then. */
  async close(perform: PerformOperation): Promise<void> {
    const { files, kept } = this.#parts;
    const position = this.#position;
    if (!kept || position === undefined) return;
    this.#position = undefined;
    await perform("pinWal");
    await files.unpin();
    const settled = await perform("settleWal", { position });
    if (settled === undefined) return;
    this.#pages.add(settled.pages);
    await files.ask("saveMark", { ...settled, generation: undefined, pages: this.#pages.bits });
  }

  /** If the mark is not saved, only the next process is affected: it scrubs the whole file. */
  async #save(): Promise<void> {
    const generation = this.#position?.generation;
    if (!this.#parts.kept || generation === undefined) return;
    const mark = { generation, pages: this.#pages.bits };
    await this.#parts.files.ask("saveMark", mark).catch(() => undefined);
  }
}

/** The frames after the last committed one may be overwritten. */
export function upTo({ generation, frames }: WalPosition, committed: number): WalPosition {
  return { generation, frames: Math.min(frames, committed) };
}

function pagesOf(path: string): number {
  return Math.ceil(statSync(path).size / pageBytes);
}
