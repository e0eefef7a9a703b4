// How far an import has come, in a small file beside its input, so that one that was interrupted goes on where it was and
// sends nothing twice. Written whole, under another name first, after each list that was acknowledged; gone at the end.

import { closeSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { isJsonObject } from "../../domain/schema/schema-shape.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import { newFile, openOwnFile, temporaryName } from "../../files/own-file.ts";
import { isRunning, type Owner, thisProcess } from "./owner.ts";

export interface Counts {
  readonly written: number;
  readonly unchanged: number;
  readonly refused: number;
}

/** Rows from and to, both included, counted from 1 as they stand in the file. */
export type Range = readonly [from: number, to: number];

interface State {
  readonly version: 1;
  /** Part of every Idempotency-Key, so that a list which is sent again is known. */
  readonly import_id: string;
  /** Whose import it is, or was. */
  readonly owner?: Owner;
  /** What is imported, and how: an import goes on only if neither has changed. */
  readonly input: string;
  readonly settings: string;
  /** Acknowledged, in order, none touching another. */
  readonly done: readonly Range[];
  readonly counts: Counts;
  /** Of the file of refused rows. */
  readonly refused_bytes: number;
}

export interface Identity {
  readonly input: string;
  readonly settings: string;
}

export class StateFile {
  readonly path: string;
  /** Where it is written before it gets its name. */
  readonly #next: string;
  readonly #wasThere: boolean;
  #state: State;

  /**
   * Throws OperatorError if an import of the input is under way, if another one was interrupted, or if the state can't be
   * read or written.
   */
  constructor(path: string, identity: Identity) {
    this.path = path;
    this.#next = temporaryName(path, "next");
    const found = readState(path);
    this.#wasThere = found !== undefined;
    if (found?.owner !== undefined && isRunning(found.owner)) throw underWay(path, found.owner.pid);
    if (found !== undefined) requireSame(path, found, identity);
    this.#state = { ...(found ?? newState(identity)), owner: thisProcess() };
    if (found === undefined) this.#create();
    else this.#save();
  }

  get importId(): string {
    return this.#state.import_id;
  }

  get counts(): Counts {
    return this.#state.counts;
  }

  get refusedBytes(): number {
    return this.#state.refused_bytes;
  }

  get rowsDone(): number {
    return this.#state.done.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  }

  /** True if an interrupted import goes on. */
  get goesOn(): boolean {
    return this.#wasThere;
  }

  isDone(row: number): boolean {
    return this.#state.done.some(([from, to]) => from <= row && row <= to);
  }

  complete(range: Range, counts: Counts, refusedBytes: number): void {
    const { done, counts: before, ...rest } = this.#state;
    this.#state = {
      ...rest,
      done: merge([...done, range]),
      counts: {
        written: before.written + counts.written,
        unchanged: before.unchanged + counts.unchanged,
        refused: before.refused + counts.refused,
      },
      refused_bytes: refusedBytes,
    };
    this.#save();
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }

  /** Of two that begin at once, one does. */
  #create(): void {
    const next = this.#next;
    this.#write(() => {
      makePrivateFolder(dirname(this.path));
      writeFileSync(next, this.#text(), newFile);
      try {
        linkSync(next, this.path);
      } catch (cause) {
        // Some file systems have no links.
        if (!hasCode(cause, "EEXIST")) renameSync(next, this.path);
        else throw underWay(this.path, readState(this.path)?.owner?.pid);
      } finally {
        rmSync(next, { force: true });
      }
    });
  }

  #save(): void {
    this.#write(() => {
      try {
        writeFileSync(this.#next, this.#text(), newFile);
        renameSync(this.#next, this.path);
      } catch (error) {
        rmSync(this.#next, { force: true });
        throw error;
      }
    });
  }

  #text(): string {
    return `${JSON.stringify(this.#state)}\n`;
  }

  #write(write: () => void): void {
    try {
      write();
    } catch (cause) {
      if (cause instanceof OperatorError) throw cause;
      const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, "");
      throw new OperatorError(
        "state",
        `The state of the import can't be written to ${this.path}: ${reason}. Name another folder with --state.`,
        { cause },
      );
    }
  }
}

function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}

function underWay(path: string, pid: number | undefined): OperatorError {
  const who = pid === undefined ? "" : ` (process ${pid})`;
  return new OperatorError(
    "state",
    `Another import of this file is running${who}, says ${path}. Wait for it to end, or stop it, and try again.`,
  );
}

function newState(identity: Identity): State {
  const counts = { written: 0, unchanged: 0, refused: 0 };
  return { version: 1, import_id: randomUUID(), ...identity, done: [], counts, refused_bytes: 0 };
}

function readState(path: string): State | undefined {
  let text: string;
  try {
    text = readOwnFile(path);
  } catch (cause) {
    if (hasCode(cause, "ENOENT") || hasCode(cause, "ENOTDIR")) return undefined;
    throw unreadable(path, cause);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) && value["version"] === 1) return value as unknown as State;
  } catch (cause) {
    throw unreadable(path, cause);
  }
  throw unreadable(path, undefined);
}

/** Whoever else could put it there could make an import skip rows. */
function readOwnFile(path: string): string {
  const file = openOwnFile(path, "read");
  try {
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function unreadable(path: string, cause: unknown): OperatorError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new OperatorError(
    "state",
    `The state file ${path} of an earlier import can't be read${why}. Remove it to start from the beginning.`,
    { cause },
  );
}

function requireSame(path: string, found: State, { input, settings }: Identity): void {
  const changed =
    found.input !== input
      ? "the file has changed since"
      : found.settings !== settings
        ? "it had another target, mapping, type or format"
        : undefined;
  if (changed === undefined) return;
  throw new OperatorError(
    "state",
    `An earlier import of this file was interrupted and can't be continued: ${changed}. ` +
      `Repeat it as it was, or remove ${path} to start from the beginning.`,
  );
}

function merge(ranges: readonly Range[]): readonly Range[] {
  const merged: Range[] = [];
  for (const range of ranges.toSorted(([one], [other]) => one - other)) {
    const last = merged.at(-1);
    if (last !== undefined && range[0] <= last[1] + 1) {
      merged.splice(-1, 1, [last[0], Math.max(last[1], range[1])]);
    } else {
      merged.push(range);
    }
  }
  return merged;
}
