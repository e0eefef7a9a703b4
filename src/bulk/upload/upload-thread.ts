// The main thread's side of the thread of an upload: starts it, writes the drafts that it sends, and returns its
// result. A thread that ends without a result, for lack of memory or because of a defect, makes only this upload fail.

import type { Worker } from "node:worker_threads";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { AppError } from "../../domain/error.ts";
import type { WriteOutcome } from "../../domain/record/record-write.ts";
import type { FileCheck } from "../import/check-file.ts";
import type { FileReport } from "../import/import-file.ts";
import type { ImportWrite } from "../import/store-target.ts";
import type { Inspection } from "./inspect.ts";
import type { FromUpload, RefusedRow, ToUpload, UploadStep, UploadTask } from "./messages.ts";
import { stopOf } from "./upload.ts";

type ReadTask = Extract<UploadTask, { readonly mapping: unknown }>;

export type UploadThread = Pick<Worker, "postMessage" | "on" | "terminate">;

export type StartUploadThread = (task: UploadTask) => UploadThread;

export type WriteImport = (write: ImportWrite, stopping: AbortSignal) => Promise<WriteOutcome>;

export interface ImportEvents {
  readonly write: WriteImport;
  readonly onStep: (step: UploadStep) => void;
  readonly onRefused: (rows: readonly RefusedRow[]) => void;
  readonly stopping: AbortSignal;
}

/** The longest time for reading the first rows of a file; then the inspection fails. */
const inspectionMsMax = 15_000;

/** Throws OperatorError. */
export async function inspectInThread(
  start: StartUploadThread,
  task: Extract<UploadTask, { readonly kind: "inspect" }>,
): Promise<Inspection> {
  const thread = start(task);
  const late = AbortSignal.timeout(inspectionMsMax);
  const seconds = inspectionMsMax / 1_000;
  const reason = `The first rows of ${task.plan.fileName} could not be read within ${seconds} seconds.`;
  const ended = resultOf(thread, () => undefined);
  const tooLate = new Promise<never>((_resolve, reject) => {
    late.addEventListener("abort", () => reject(new OperatorError("input", reason)));
  });
  try {
    const result = await Promise.race([ended, tooLate]);
    if (result.kind === "inspected") return result.inspection;
    throw new TypeError(`an inspection ended with ${result.kind}`);
  } finally {
    await thread.terminate();
  }
}

/** Throws OperatorError. */
export async function checkInThread(
  start: StartUploadThread,
  task: ReadTask,
  { onStep, stopping }: Pick<ImportEvents, "onStep" | "stopping">,
): Promise<FileCheck> {
  const thread = start(task);
  const stopped = new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(stopOf(stopping));
    stopping.addEventListener("abort", stop);
    if (stopping.aborted) stop();
  });
  try {
    const ended = resultOf(thread, (message) => {
      if (message.kind === "step") onStep(message.step);
    });
    const result = await Promise.race([ended, stopped]);
    if (result.kind === "checked") return result.check;
    throw new TypeError(`a check ended with ${result.kind}`);
  } finally {
    await thread.terminate();
  }
}

/** How long a thread may take to stop. */
const stopMsMax = 3_000;

/** Throws OperatorError; records that were written before stay. */
export async function importInThread(
  start: StartUploadThread,
  task: ReadTask,
  { write, onStep, onRefused, stopping }: ImportEvents,
): Promise<FileReport> {
  const thread = start(task);
  const send = (message: ToUpload): void => thread.postMessage(message);
  let failure: unknown;
  const perform = async (id: number, order: ImportWrite): Promise<void> => {
    try {
      send({ kind: "written", id, outcome: await write(order, stopping) });
    } catch (error) {
      failure ??= asOperatorError(error);
      send({ kind: "not written", id });
    }
  };
  let killer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    send({ kind: "stop" });
    // Parsing a long row takes a while, in which the thread reads no message.
    killer = setTimeout(() => void thread.terminate(), stopMsMax);
  };
  stopping.addEventListener("abort", stop);
  // It may have been stopped while its start was being recorded.
  if (stopping.aborted) stop();
  try {
    const result = await resultOf(thread, (message) => {
      if (message.kind === "write") void perform(message.id, message.write);
      if (message.kind === "step") onStep(message.step);
      if (message.kind === "refused") onRefused(message.rows);
    });
    if (result.kind === "imported") return result.report;
    throw new TypeError(`an import ended with ${result.kind}`);
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

type Result = Extract<FromUpload, { readonly kind: "inspected" | "checked" | "imported" }>;

function resultOf(thread: UploadThread, onOther: (message: FromUpload) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    thread.on("message", (message: FromUpload) => {
      if (message.kind === "failed") reject(errorOf(message));
      else if (message.kind === "write" || message.kind === "step" || message.kind === "refused")
        onOther(message);
      else resolve(message);
    });
    thread.on("error", (error) => reject(isOutOfMemory(error) ? tooMuchMemory(error) : error));
    thread.on("exit", () =>
      reject(new Error("the thread of an upload has ended without a result")),
    );
  });
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

/** The file determines how much memory its thread takes, so this is not an internal error. */
function tooMuchMemory(cause: unknown): OperatorError {
  return new OperatorError(
    "input",
    "The rows of this file take more memory than an upload may use. Upload it with smaller rows, or use sluice import on the " +
      "server.",
    { cause },
  );
}

function errorOf({ error, message }: Extract<FromUpload, { readonly kind: "failed" }>): Error {
  return error === undefined ? new Error(message) : new OperatorError(error, message);
}
