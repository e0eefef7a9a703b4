// The work of the thread of an upload: inspects the file, or reads it to the end, maps and validates its rows, and
// for an import passes the drafts to the main thread. Never writes to the store.

import { dirname, join } from "node:path";
import type { MessagePort } from "node:worker_threads";
import { Calls } from "../../basics/thread.ts";
import { findType } from "../../actions/record/find-named-record.ts";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import { openRows } from "../import/rows/open-rows.ts";
import { checkFile } from "../import/check-file.ts";
import { refusedName } from "../import/file-paths.ts";
import { importFile } from "../import/import-file.ts";
import { describeReason, type Refusal } from "../import/refused-file.ts";
import { type ImportWrite, storeTarget } from "../import/store-target.ts";
import { inspectFile } from "./inspect.ts";
import {
  type RefusedRow,
  type UploadEvents,
  type UploadPlan,
  type UploadTask,
  type UploadWork,
} from "./upload.ts";

/** How many lists are in flight, and how many rows each has at most: the main thread receives a list in one tick. */
const lists = { connections: 2, listRows: 250 } as const;

const refusedRowsShown = 100;
const reasonCharactersShown = 300;
const rowsPerStep = 1_000;

export function serveUpload(port: MessagePort): void {
  const stopping = new AbortController();
  const own: UploadWork = {
    perform: async (task) => {
      const { file, fileName } = task.plan;
      try {
        return { result: await perform(task, main, stopping.signal) };
      } catch (error) {
        const known = error instanceof OperatorError ? error.kind : undefined;
        return { error: known, message: reasonOf(error).replaceAll(file, fileName) };
      }
    },
    stop: () => stopping.abort(),
  };
  const main: Main = new Calls<UploadEvents>({ start: () => port, own }).open();
}

type Main = Calls<UploadEvents>;

function perform(task: UploadTask, main: Main, stopping: AbortSignal) {
  if (task.kind === "inspect") {
    return inspectFile(task.plan.file, optionsOf(task.plan), task.choice);
  }
  return task.kind === "check" ? runCheck(task, main) : runImport(task, main, stopping);
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

function runCheck({ plan, layout, mapping }: ReadTask, main: Main) {
  const { file } = plan;
  return checkFile(
    file,
    { ...optionsOf(plan), layout, mapping },
    {
      shownMax: 0,
      onStep: (step) => {
        if (step.rows % rowsPerStep === 0) main.tell("step", step);
      },
    },
  );
}

async function runImport({ plan, layout, mapping }: ReadTask, main: Main, stopping: AbortSignal) {
  const { file, organizationId } = plan;
  const write = (order: ImportWrite) => main.call("write", [order]);
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
      stopping,
      onStep: (step) => main.tell("step", step),
      onRefused: (refusals) => {
        const rows = refusals.slice(0, refusedRowsShown - shown).map(describeRefused);
        shown += rows.length;
        if (rows.length > 0) main.tell("refused", rows);
      },
    },
  );
}

function describeRefused({ row, message, errors }: Refusal): RefusedRow {
  const reason = describeReason(message, errors).slice(0, reasonCharactersShown);
  return { row: row.number, line: row.line, reason };
}
