// The main thread's side of the thread of an upload: starts it, writes the drafts that it sends, and returns its
// result. A thread that ends without a result, for lack of memory or because of a defect, makes only this upload fail.

import type { Worker } from "node:worker_threads";
import { Calls } from "../../basics/thread.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { AppError } from "../../domain/error.ts";
import type { WriteOutcome } from "../../domain/record/record-write.ts";
import type { ImportStep } from "../import/import-file.ts";
import type { ImportWrite } from "../import/store-target.ts";
import {
  type RefusedRow,
  type UploadFailure,
  type UploadResults,
  type UploadTask,
  type UploadWork,
  stopOf,
} from "./upload.ts";
import { sluice } from "../../basics/program-name.ts";
import { inputError } from "../csv/input-error.ts";

export type UploadThread = Pick<Worker, "postMessage" | "on" | "terminate">;

export type StartUploadThread = () => UploadThread;

export type WriteImport = (write: ImportWrite, stopping: AbortSignal) => Promise<WriteOutcome>;

export interface ThreadEvents {
  readonly stopping: AbortSignal;
  readonly onStep?: (step: ImportStep) => void;
  readonly onRefused?: (rows: readonly RefusedRow[]) => void;
  /** For an import. */
  readonly write?: WriteImport;
}

const ignore = (): void => undefined;

/** How long an import may take to stop, while the lists in flight are written. */
const stopMsMax = 3_000;

/** Resolves to the result of the task. Throws OperatorError; records that were written before stay. */
export async function runInThread<Kind extends keyof UploadResults>(
  start: StartUploadThread,
  task: UploadTask & { readonly kind: Kind },
  { stopping, onStep = ignore, onRefused = ignore, write }: ThreadEvents,
): Promise<UploadResults[Kind]> {
  const thread = start();
  let failure: unknown;
  const perform = (order: ImportWrite): Promise<WriteOutcome> | undefined =>
    write?.(order, stopping).catch((error: unknown) => {
      // Only this thread needs the reason.
      failure ??= asOperatorError(error);
      throw new Error("drafts of an import could not be written");
    });
  const calls = new Calls<UploadWork>({
    start: () => thread,
    own: { write: perform, step: onStep, refused: onRefused },
    ended: (cause) =>
      isOutOfMemory(cause)
        ? tooMuchMemory(cause)
        : (cause ?? new Error("the thread of an upload has ended without a result")),
  }).open();
  let killer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (write === undefined) return void thread.terminate();
    calls.tell("stop");
    // Parsing a long row takes a while, in which the thread reads no message.
    killer = setTimeout(() => void thread.terminate(), stopMsMax);
  };
  stopping.addEventListener("abort", stop);
  // It may have been stopped while its start was being recorded.
  if (stopping.aborted) stop();
  try {
    const outcome = await calls.call("perform", [task]);
    if ("message" in outcome) throw errorOf(outcome);
    return outcome.result as UploadResults[Kind];
  } catch (error) {
    throw stopping.aborted ? stopOf(stopping) : (failure ?? error);
  } finally {
    clearTimeout(killer);
    stopping.removeEventListener("abort", stop);
    await thread.terminate();
  }
}

/** Errors of the service for a write, such as an overload, are not internal errors. */
function asOperatorError(error: unknown): unknown {
  const isAnswer = error instanceof AppError && error.errorName !== "internal";
  return isAnswer ? new OperatorError("server", error.message, { cause: error }) : error;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

/** The file determines how much memory its thread takes, so this is not an internal error. */
function tooMuchMemory(cause: unknown): OperatorError {
  return inputError(
    `The rows of this file take more memory than an upload may use. Upload it with smaller rows, or use ${sluice} import on the ` +
      "server.",
    { cause },
  );
}

function errorOf({ error, message }: UploadFailure): Error {
  return error === undefined ? new Error(message) : new OperatorError(error, message);
}
