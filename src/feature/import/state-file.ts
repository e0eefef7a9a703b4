// The state of an import, beside its input, so that an interrupted import sends nothing twice. It stays until its
// command has ended: repeating a command that was killed later would import everything again.

import { linkSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { SerialQueue } from "../../basics/serial-queue.ts";
import { isJsonObject } from "../../domain/schema/schema-shape.ts";
import { codeOf } from "../../files/file-error.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import {
  openOwnFile,
  replaceOwnFile,
  syncFolder,
  temporaryName,
  writeOwnFile,
} from "../../files/own-file.ts";
import type { RowCounts } from "./store/import-run.ts";
import { operatorErrors } from "./rows.ts";

/** First and last row, counted from 1 in the order of the file. */
export type Range = readonly [from: number, to: number];

/**
 * The process that runs an import, so that a second import of the same file can find out whether the first is still
 * running. A process id alone is not enough, because ids are reused.
 */
interface Owner {
  readonly host: string;
  readonly pid: number;
  /** When the process began, in clock ticks of its system; null if unknown. */
  readonly began: string | null;
}

export interface State {
  readonly version: 1;
  /** Part of every Idempotency-Key, so that a list that is sent again is recognized. */
  readonly import_id: string;
  readonly owner?: Owner;
  /** What is imported, and how: an import continues only if neither has changed. */
  readonly input: string;
  readonly settings: string;
  /** The rows that were acknowledged, in order and not adjacent. */
  readonly done: readonly Range[];
  readonly counts: RowCounts;
  readonly refused_bytes: number;
}

type Identity = Pick<State, "input" | "settings">;

/** A list that is not recorded is recognized by its Idempotency-Key when it is sent again. */
const unsavedListsMax = 5;

export class StateFile {
  readonly #path: string | undefined;
  readonly #isNew: boolean;
  current: State;
  #unsavedLists = 0;
  readonly #saves = new SerialQueue();

  /** Throws OperatorError if an import of this input is running, or a different one was interrupted. */
  constructor(path: string | undefined, identity: Identity) {
    this.#path = path;
    const found = path === undefined ? undefined : continuedState(path, identity);
    this.#isNew = found === undefined;
    this.current = { ...(found ?? newState(identity)), owner: thisProcess() };
    if (path !== undefined) this.#begin(path, found === undefined ? createFile : renameSync);
  }

  get rowsDone(): number {
    return this.current.done.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  }

  isDone(row: number): boolean {
    return this.current.done.some(([from, to]) => from <= row && row <= to);
  }

  /** Call `save` at the end: only some of the calls save the state. Rejects with OperatorError. */
  complete(range: Range, counts: RowCounts, refusedBytes: number): Promise<void> {
    const { done, counts: before, ...rest } = this.current;
    this.current = {
      ...rest,
      done: merge([...done, range]),
      counts: {
        written: before.written + counts.written,
        unchanged: before.unchanged + counts.unchanged,
        refused: before.refused + counts.refused,
      },
      refused_bytes: refusedBytes,
    };
    this.#unsavedLists += 1;
    return this.#unsavedLists >= unsavedListsMax ? this.save() : Promise.resolve();
  }

  /** For an import that has sent nothing: unless an earlier one may have, it can be repeated in another way. */
  discard(): void {
    if (this.#path !== undefined && this.#isNew) removeState(this.#path);
  }

  /** Resolves when all that was completed before the call is saved. Rejects with OperatorError. */
  save(): Promise<void> {
    return this.#saves.run(async () => {
      const lists = this.#unsavedLists;
      if (this.#path !== undefined && lists > 0) {
        await replaceOwnFile(this.#path, this.#text()).catch(throwUnwritable(this.#path));
      }
      this.#unsavedLists -= lists;
    });
  }

  #begin(path: string, publish: (from: string, to: string) => void): void {
    const next = temporaryName(path, "next");
    try {
      makePrivateFolder(dirname(path));
      writeOwnFile(next, this.#text());
      publish(next, path);
      syncFolder(dirname(path));
    } catch (cause) {
      throwUnwritable(path)(cause);
    } finally {
      rmSync(next, { force: true });
    }
  }

  #text(): string {
    return `${JSON.stringify(this.current)}\n`;
  }
}

function throwUnwritable(path: string): (cause: unknown) => never {
  return (cause) => {
    if (cause instanceof OperatorError) throw cause;
    const reason = reasonOf(cause).replace(/\.$/, "");
    throw stateError(
      `The state of the import can't be written to ${path}: ${reason}. Name another folder with --state.`,
      { cause },
    );
  };
}

function stateError(message: string, options?: ErrorOptions): OperatorError {
  return new OperatorError(operatorErrors.state, message, options);
}

/** Call this when the result was reported. Also removes what a killed process has left beside it. */
export function removeState(path: string): void {
  const folder = dirname(path);
  const names = readdirSync(folder).filter(
    (name) => name.startsWith(`${basename(path)}.`) && name.endsWith(".next"),
  );
  for (const name of names) rmSync(join(folder, name), { force: true });
  rmSync(path, { force: true });
}

/** If two imports start at the same time, one of them fails. */
function createFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") throw running(to, readState(to)?.owner?.pid);
    // Some file systems do not support links.
    renameSync(from, to);
  }
}

function continuedState(path: string, identity: Identity): State | undefined {
  const found = readState(path);
  if (found?.owner !== undefined && isRunning(found.owner)) throw running(path, found.owner.pid);
  if (found !== undefined) requireSame(path, found, identity);
  return found;
}

function running(path: string, pid: number | undefined): OperatorError {
  const who = pid === undefined ? "" : ` (process ${pid})`;
  return stateError(
    `Another import of this file is running${who}, according to ${path}. Wait until it ends, or stop it, and try again.`,
  );
}

function newState(identity: Identity): State {
  const counts = { written: 0, unchanged: 0, refused: 0 };
  return { version: 1, import_id: randomUUID(), ...identity, done: [], counts, refused_bytes: 0 };
}

function readState(path: string): State | undefined {
  try {
    const value: unknown = JSON.parse(readOwnFile(path));
    if (isJsonObject(value) && value["version"] === 1) return value as unknown as State;
    throw new Error("it has another version");
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(cause) ?? "")) return undefined;
    throw stateError(
      `The state file ${path} of an earlier import can't be read: ${reasonOf(cause)}. Remove it to start from the beginning.`,
      { cause },
    );
  }
}

/** A file that another user has put there could make an import skip rows. */
function readOwnFile(path: string): string {
  using file = openOwnFile(path, "read");
  return readFileSync(file.descriptor, "utf8");
}

function requireSame(path: string, found: State, { input, settings }: Identity): void {
  if (found.input === input && found.settings === settings) return;
  const changed =
    found.input === input
      ? "it had another target, mapping, type or format"
      : "the file has changed since";
  throw stateError(
    `An earlier import of this file was interrupted and can't be continued: ${changed}. ` +
      `Repeat the same command, or remove ${path} to start from the beginning.`,
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

function thisProcess(): Owner {
  return { host: hostname(), pid: process.pid, began: readBegan(process.pid) };
}

/** True if this is another process, and it is running. False for other machines and containers, where it is unknown. */
function isRunning({ host, pid, began }: Owner): boolean {
  if (host !== hostname() || pid === process.pid) return false;
  return exists(pid) && began === readBegan(pid);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Fields 3 and 22 of /proc/PID/stat (proc_pid_stat(5)). A process that has ended may still be listed for a while. */
function readBegan(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
