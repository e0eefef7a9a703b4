// The work of the thread of an upload: inspects the file, or reads it to the end, maps its rows and passes lists of records to
// the main thread. Never writes to the store.

import type { MessagePort } from "node:worker_threads";
import { findType } from "../../actions/record/find-named-record.ts";
import { OperatorError, reasonOf } from "../../actions/operator/operator-error.ts";
import { AppError } from "../../domain/error.ts";
import { restoreError } from "../../domain/error-form.ts";
import { importFile } from "../import/import-file.ts";
import { pathsOf } from "../import/file-paths.ts";
import { describeReason, type Refusal } from "../import/refused-file.ts";
import type { ItemOutcome, Target } from "../import/target.ts";
import { inspectFile } from "./inspect.ts";
import type { FromUpload, RefusedRow, ToUpload, UploadPlan, UploadTask } from "./messages.ts";

/** Lists in flight. */
const listsAtOnce = 2;

/** Refused rows that are shown; the file of refused rows has all of them. */
const refusedRowsShown = 100;
const reasonCharactersShown = 300;

type Port = Pick<MessagePort, "postMessage" | "on">;

/** Resolves when the result was sent. */
export async function serveUpload(port: Port, task: UploadTask): Promise<void> {
  const send = (message: FromUpload): void => port.postMessage(message);
  const { file, fileName } = task.plan;
  try {
    if (task.kind === "inspect") {
      const inspection = await inspectFile(file, optionsOf(task.plan), task.choice);
      send({ kind: "inspected", inspection });
    } else {
      send({ kind: "imported", report: await runImport(port, task, send) });
    }
  } catch (error) {
    const name = nameOf(error);
    send({ kind: "failed", name, message: reasonOf(error).replaceAll(file, fileName) });
  }
}

function nameOf(error: unknown) {
  if (error instanceof OperatorError) return error.errorName;
  // What the service answered to a list, such as that the organization was closed meanwhile.
  return error instanceof AppError && error.errorName !== "internal" ? "server" : undefined;
}

function optionsOf({ resourceType, organizationId, update }: UploadPlan) {
  return {
    type: findType(resourceType),
    organizationId,
    update,
    format: undefined,
    delimiter: undefined,
    connections: listsAtOnce,
  };
}

async function runImport(
  port: Port,
  { plan, mapping }: Extract<UploadTask, { readonly kind: "import" }>,
  send: (message: FromUpload) => void,
) {
  const stopping = new AbortController();
  const target = portTarget(port, stopping, send);
  const noNames = { folder: undefined, refused: undefined, format: undefined };
  const [paths] = pathsOf([plan.file], noNames);
  if (paths === undefined) throw new TypeError("an upload has no file");
  let shown = 0;
  return importFile(
    { ...optionsOf(plan), mapping, ...paths },
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

function describeRefused({ row, code, message, errors }: Refusal): RefusedRow {
  const reason = describeReason(message, errors).slice(0, reasonCharactersShown);
  return { row: row.number, code, reason };
}

/** Sends each list to the main thread and waits for the outcomes. */
function portTarget(
  port: Port,
  stopping: AbortController,
  send: (message: FromUpload) => void,
): Target {
  const waiting = new Map<number, PromiseWithResolvers<readonly ItemOutcome[]>>();
  let lastId = 0;
  port.on("message", (message: ToUpload) => {
    if (message.kind === "stop") {
      stopping.abort();
      return;
    }
    const found = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === "outcomes") found?.resolve(message.outcomes);
    else found?.reject(restoreError(message.error));
  });
  return {
    name: "the console",
    send: ({ update, texts, key }) => {
      const outcomes = Promise.withResolvers<readonly ItemOutcome[]>();
      waiting.set((lastId += 1), outcomes);
      send({ kind: "list", id: lastId, list: { update, texts, key } });
      return outcomes.promise;
    },
  };
}
