// Writes an export to a sink, and measures it for its manifest.

import { OperatorError } from "../../actions/operator/operator-error.ts";
import { Measure } from "../../actions/receipt/manifest.ts";
import type { ExportedEvent } from "../../actions/record/export-records.ts";
import type { ManifestFile } from "../../domain/export-manifest.ts";
import { bulkKeys } from "../formats/bulk-keys.ts";
import type { BulkProgress } from "../progress.ts";
import type { Sink } from "./sink.ts";

/** Writes items to a sink in some format: a header, all items in order, and a footer. */
export interface Form<Item> {
  begin?(): Promise<void>;
  write(items: readonly Item[]): Promise<void>;
  end?(): Promise<void>;
}

export interface ExportTools {
  readonly sink: Sink;
  /** Called when all rows are written, before the file gets its name; returns text to append to the file. */
  readonly seal?: (file: ManifestFile) => Promise<string>;
  readonly progress: BulkProgress;
  readonly stopping: AbortSignal;
}

/** Leaves nothing of an export that fails. Throws OperatorError stopped and output. */
export async function writeExport<Item>(
  lists: AsyncIterable<readonly Item[]>,
  makeForm: (sink: Sink) => Form<Item>,
  { sink, seal, progress, stopping }: ExportTools,
): Promise<ManifestFile> {
  const measure = new Measure();
  const write: Sink["write"] = (part) => {
    measure.add(part);
    return sink.write(part);
  };
  try {
    const form = makeForm({ ...sink, write });
    await form.begin?.();
    for await (const items of lists) {
      if (stopping.aborted)
        throw new OperatorError("stopped", "The export was stopped before its end.");
      await form.write(items);
      measure.rows += items.length;
      progress.show({ rows: measure.rows, share: undefined, note: "" });
    }
    await form.end?.();
    const file = measure.end();
    if (seal !== undefined) await sink.write(await seal(file));
    await sink.finish();
    return file;
  } catch (error) {
    await sink.abandon();
    throw error;
  } finally {
    progress.close();
  }
}

export function textForm<Item>(line: (item: Item) => string, sink: Sink, head = ""): Form<Item> {
  return {
    begin: () => sink.write(head),
    write: (items) => sink.write(items.map(line).join("")),
  };
}

/** NDJSON. */
export function lineOfEvent({ number, receivedAt, payload }: ExportedEvent): string {
  const at = new Date(receivedAt).toISOString();
  return `${JSON.stringify({ [bulkKeys.change]: number, [bulkKeys.receivedAt]: at, ...payload })}\n`;
}
