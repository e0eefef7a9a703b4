// Runs an export: writes the records that the action reads to the sink, in the requested format.

import {
  type ExportRequest,
  exportHistory,
  exportStates,
} from "../../actions/record/export-records.ts";
import { Measure } from "../../actions/proof/manifest.ts";
import type { ManifestFile } from "../../domain/export-manifest.ts";
import type { App } from "../../actions/app.ts";
import type { BulkProgress } from "../progress.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { historyForm, stateForm } from "../../feature/export/forms.ts";
import type { ExportFormat } from "../../feature/export/export-format.ts";
import type { Form, Sink } from "./sink.ts";

export interface ExportPlan extends ExportRequest {
  readonly history: boolean;
  readonly format: ExportFormat;
  readonly spreadsheet?: boolean;
}

export interface ExportTools {
  readonly sink: Sink;
  /** Called when all rows are written, before the file gets its name; returns text to append to the file. */
  readonly seal?: (file: ManifestFile) => Promise<string>;
  readonly progress: BulkProgress;
  readonly stopping: AbortSignal;
}

export interface ExportReport {
  readonly rows: number;
  readonly file: ManifestFile;
  /** States that are written with their list of changes. */
  readonly withChanges: number;
  readonly seconds: number;
}

export async function runExport(
  app: App,
  plan: ExportPlan,
  tools: ExportTools,
): Promise<ExportReport> {
  const startedAt = performance.now();
  let withChanges = 0;
  const measure = new Measure();
  const sink = measured(tools.sink, measure);
  try {
    measure.rows = plan.history
      ? await writeAll(historyForm(plan, sink), exportHistory(app, plan), tools)
      : await writeAll(stateForm(plan, sink), exportStates(app, plan), {
          ...tools,
          onItem: ({ changes }) => (withChanges += changes === undefined ? 0 : 1),
        });
    const file = measure.end();
    if (tools.seal !== undefined) await tools.sink.write(await tools.seal(file));
    await tools.sink.finish();
    return { rows: file.rows, file, withChanges, seconds: (performance.now() - startedAt) / 1_000 };
  } catch (error) {
    await tools.sink.abandon();
    throw error;
  } finally {
    tools.progress.close();
  }
}

function measured(sink: Sink, measure: Measure): Sink {
  return {
    ...sink,
    write: (part) => {
      measure.add(part);
      return sink.write(part);
    },
  };
}

async function writeAll<Item>(
  form: Form<Item>,
  lists: AsyncIterable<readonly Item[]>,
  { progress, stopping, onItem }: ExportTools & { readonly onItem?: (item: Item) => void },
): Promise<number> {
  let rows = 0;
  await form.begin();
  for await (const items of lists) {
    if (stopping.aborted)
      throw new OperatorError("stopped", "The export was stopped before its end.");
    await form.write(items);
    if (onItem !== undefined) items.forEach(onItem);
    rows += items.length;
    progress.show({ rows, share: undefined, note: "" });
  }
  await form.end();
  return rows;
}
