// The work of the thread of an upload: inspects the file, or reads it to the end, maps and validates its rows, and
// for an import passes the drafts to the main thread. Never writes to the store.

import { dirname, join } from "node:path";
import type { MessagePort } from "node:worker_threads";
import { findType } from "../../actions/record/find-named-record.ts";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import type { WriteOutcome } from "../../domain/record/record-write.ts";
import { openRows } from "../import/rows/open-rows.ts";
import { checkFile } from "../import/check-file.ts";
import { refusedName } from "../import/file-paths.ts";
import { importFile } from "../import/import-file.ts";
import { describeReason, type Refusal } from "../import/refused-file.ts";
import { type ImportWrite, storeTarget } from "../import/store-target.ts";
import { inspectFile } from "./inspect.ts";
import {
  noStep,
  type FromUpload,
  type RefusedRow,
  type ToUpload,
  type UploadPlan,
  type UploadTask,
} from "./upload.ts";

/** How many lists are in flight, and how many rows each has at most: the main thread receives a list in one tick. */
const lists = { connections: 2, listRows: 250 } as const;

const refusedRowsShown = 100;
const reasonCharactersShown = 300;
const rowsPerStep = 1_000;

type Port = Pick<MessagePort, "postMessage" | "on">;

export async function serveUpload(port: Port, task: UploadTask): Promise<void> {
  const send = (message: FromUpload): void => port.postMessage(message);
  const { file, fileName } = task.plan;
  try {
    send({ kind: "ended", result: await perform(port, task, send) });
  } catch (error) {
    const known = error instanceof OperatorError ? error.kind : undefined;
    send({ kind: "failed", error: known, message: reasonOf(error).replaceAll(file, fileName) });
  }
}

function perform(port: Port, task: UploadTask, send: (message: FromUpload) => void) {
  if (task.kind === "inspect") {
    return inspectFile(task.plan.file, optionsOf(task.plan), task.choice);
  }
  return task.kind === "check" ? runCheck(task, send) : runImport(port, task, send);
}

function optionsOf({ resourceType, organizationId, update, timestampMin }: UploadPlan) {
  return {
    openRows,
    timestampMin,
    type: findType(resourceType),
    organizationId,
    update,
    format: undefined,
    ...lists,
  };
}

type ReadTask = Extract<UploadTask, { readonly mapping: unknown }>;

function runCheck({ plan, layout, mapping }: ReadTask, send: (message: FromUpload) => void) {
  const { file } = plan;
  return checkFile(
    file,
    { ...optionsOf(plan), layout, mapping },
    {
      shownMax: 0,
      onRow: (step) => {
        if (step.rows % rowsPerStep === 0) send({ kind: "step", step: { ...noStep, ...step } });
      },
    },
  );
}

async function runImport(
  port: Port,
  { plan, layout, mapping }: ReadTask,
  send: (message: FromUpload) => void,
) {
  const stopping = new AbortController();
  const { file, organizationId } = plan;
  const write = writeOverPort(port, stopping, send);
  const type = findType(plan.resourceType);
  const about = { name: "the console", organizationId, type, timestampMin: plan.timestampMin };
  const target = storeTarget({ ...about, now: Date.now, write });
  const refusedPath = join(dirname(file), refusedName(file));
  let shown = 0;
  return importFile(
    // Nobody continues this import: it ends with the process, which removes its file.
    { ...optionsOf(plan), layout, mapping, file, refusedPath, statePath: undefined },
    {
      target,
      stopping: stopping.signal,
      makeProgress: () => ({
        show: ({ rows, share = 0, counts }) => {
          if (counts !== undefined) send({ kind: "step", step: { rows, share, ...counts } });
        },
        close: () => undefined,
      }),
      onRefused: (refusals) => {
        const rows = refusals.slice(0, refusedRowsShown - shown).map(describeRefused);
        shown += rows.length;
        if (rows.length > 0) send({ kind: "refused", rows });
      },
    },
  );
}

function describeRefused({ row, message, errors }: Refusal): RefusedRow {
  const reason = describeReason(message, errors).slice(0, reasonCharactersShown);
  return { row: row.number, reason };
}

function writeOverPort(
  port: Port,
  stopping: AbortController,
  send: (message: FromUpload) => void,
): (write: ImportWrite) => Promise<WriteOutcome> {
  const waiting = new Map<number, PromiseWithResolvers<WriteOutcome>>();
  let lastId = 0;
  port.on("message", (message: ToUpload) => {
    if (message.kind === "stop") {
      stopping.abort();
      return;
    }
    const found = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === "written") found?.resolve(message.outcome);
    // The main thread knows the reason.
    else found?.reject(new Error("drafts of an import could not be written"));
  });
  return (write) => {
    const outcome = Promise.withResolvers<WriteOutcome>();
    waiting.set((lastId += 1), outcome);
    send({ kind: "write", id: lastId, write });
    return outcome.promise;
  };
}
