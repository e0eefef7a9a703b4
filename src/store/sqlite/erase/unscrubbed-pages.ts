// Knows which pages of the database file may have residue in their free space: those that were written since the file
// was last scrubbed. A page changes only through the WAL, so these are the pages that were noted when an earlier WAL
// ended, and those of the WAL since then. A store that is served keeps the knowledge in the scrub mark (scrub-mark.ts).

import type { FileTasks } from "../file/file-tasks.ts";
import type { WalPosition } from "../file/wal-pages.ts";
import type { PerformOperation } from "../commit/operation.ts";

/** Scrubbing more pages than this one by one would take longer than reading the whole file. */
const listedPagesMax = 1_000_000;

export interface UnscrubbedParts {
  readonly perform: PerformOperation;
  readonly files: Pick<FileTasks, "ask" | "unpin">;
  /** Whether the mark is kept for later processes. */
  readonly kept: boolean;
}

/** What is known when a scrub begins. */
export interface UnscrubbedPart {
  readonly position: WalPosition;
  readonly pages: readonly number[];
}

export class UnscrubbedPages {
  readonly #parts: UnscrubbedParts;
  /** Up to where the WAL was read; undefined if pages may have been missed. */
  #position: WalPosition | undefined;
  /** The pages that were written before. */
  #pages = new PageSet();

  constructor(parts: UnscrubbedParts) {
    this.#parts = parts;
  }

  /** Continues what an earlier process knew. Call before this process writes. */
  async resume(): Promise<void> {
    const known = await this.#parts.perform("resumeMark").catch(() => undefined);
    if (known === undefined) return;
    this.#position = known.position;
    this.#pages = new PageSet(known.pages);
    // Saving starts a thread, and a start after a kill need not wait for that.
    if (!known.isSaved) await this.#save();
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

  /** Undefined for the whole file. After this nothing is known, until `scrubbed` is called. */
  take(): UnscrubbedPart | undefined {
    const position = this.#position;
    this.#position = undefined;
    if (position === undefined || this.#pages.size > listedPagesMax) return undefined;
    return { position, pages: this.#pages.list() };
  }

  /** Notes that only pages written after this position are unscrubbed; if it is undefined, nothing is known. */
  async scrubbed(position: WalPosition | undefined): Promise<void> {
    this.#position = position;
    this.#pages = new PageSet();
    await this.#save();
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

const smallestBytes = 4_096;

/** One bit for each page, because nearly all pages of a large file may be in it. */
export class PageSet {
  #bits: Buffer;
  #size = 0;

  /** Makes a set from the bits of another one. */
  constructor(bits: Uint8Array = Buffer.alloc(smallestBytes)) {
    this.#bits = Buffer.from(bits);
    for (const byte of this.#bits) this.#size += countOf(byte);
  }

  get size(): number {
    return this.#size;
  }

  get bits(): Uint8Array {
    return this.#bits;
  }

  add(pages: readonly number[]): void {
    for (const page of pages) {
      const at = page >>> 3;
      if (at >= this.#bits.length) this.#grow(at + 1);
      const before = this.#bits[at] ?? 0;
      const after = before | (1 << (page & 7));
      if (after === before) continue;
      this.#bits[at] = after;
      this.#size += 1;
    }
  }

  list(): readonly number[] {
    const pages: number[] = [];
    for (const [at, byte] of this.#bits.entries()) {
      if (byte === 0) continue;
      for (let bit = 0; bit < 8; bit += 1) if ((byte & (1 << bit)) !== 0) pages.push(at * 8 + bit);
    }
    return pages;
  }

  #grow(bytes: number): void {
    this.#bits = Buffer.concat([this.#bits], Math.max(bytes, this.#bits.length * 2));
  }
}

function countOf(byte: number): number {
  let count = 0;
  for (let rest = byte; rest > 0; rest &= rest - 1) count += 1;
  return count;
}
