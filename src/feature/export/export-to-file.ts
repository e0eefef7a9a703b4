// Runs `sluice export`. Is loaded with the file formats only when something is exported.

import { resolve } from "node:path";
import { findOrganization } from "../../actions/access/find-organization.ts";
import type { App } from "../../actions/app.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { sealManifest } from "../../actions/receipt/manifest.ts";
import { type ExportedType, exportHistory } from "../../actions/record/export-records.ts";
import { findType } from "../../actions/record/find-named-record.ts";
import { auditAccess } from "../../actions/trail/audit-access.ts";
import { formatCount } from "../../basics/format-count.ts";
import { fileSink, standardOutput } from "../../bulk/export/sink.ts";
import { type ExportTools, writeExport } from "../../bulk/export/write-export.ts";
import { compressionOf, formatByEnding, plainName } from "../../bulk/formats/compression.ts";
import type { CommandResult, Context } from "../../cli/command.ts";
import { manifestPath, writeManifest } from "../../cli/input/manifest-file.ts";
import { requireOutputFile } from "../../cli/input/output-file.ts";
import { formatSeconds, makeBulkProgress } from "../../cli/output/bulk-progress.ts";
import { runUntilStopped } from "../../cli/stop-signal.ts";
import { bulkHeap, limitHeap } from "../../cli/v8-flags.ts";
import { noteUnfinished } from "../../data-folder/unfinished-files.ts";
import { lineOfManifest, type Manifest, type ManifestFile } from "../../domain/export-manifest.ts";
import { canonicalJson } from "../../domain/json/canonical-json.ts";
import { readConfig } from "../../settings/config.ts";
import type { ExportFormat } from "./export-format.ts";
import { exportStates } from "./export-states.ts";
import { historyForm, stateForm } from "./formats.ts";

interface ExportOptions extends Omit<ExportPlan, "organizationId" | "type" | "format"> {
  readonly organization: string;
  readonly type: string;
  readonly format: ExportFormat | undefined;
  readonly output: string | undefined;
  readonly force: boolean;
}

interface ExportPlan extends ExportedType {
  readonly history: boolean;
  readonly format: ExportFormat;
  readonly spreadsheet: boolean;
}

export async function exportToFile(
  context: Context,
  {
    type: name,
    organization: organizationId,
    output,
    format: wanted,
    force,
    ...given
  }: ExportOptions,
): Promise<CommandResult | undefined> {
  const type = findType(name);
  const format = wanted ?? formatOf(output);
  if (given.spreadsheet && format !== "csv") {
    throw new UsageError("--spreadsheet is for CSV; add --format csv, or leave it out.");
  }
  if (format === "parquet") requireBinaryOutput(context, output);
  if (output !== undefined) {
    const advice = "Name another file, or add --force to replace it.";
    for (const path of format === "ndjson" ? [output] : [output, manifestPath(output)]) {
      requireOutputFile(path, { replace: force, advice });
    }
  }
  limitHeap(bulkHeap);
  const plan: ExportPlan = { organizationId, type, format, ...given };
  const done = await runUntilStopped((stopping) =>
    context.withApp((app) => perform(app, plan, { context, output, stopping })),
  );
  return report(context, plan, { output, ...done });
}

interface Performing {
  readonly context: Context;
  readonly stopping: AbortSignal;
}

interface Exported {
  readonly rows: number;
  /** States that are written with their list of changes. */
  readonly withChanges: number;
  readonly seconds: number;
  readonly manifest: Manifest | undefined;
}

async function perform(
  app: App,
  plan: ExportPlan,
  { context, output, stopping }: Pick<ExportOptions, "output"> & Performing,
): Promise<Exported> {
  const { organizationId, type, history, format, spreadsheet } = plan;
  const { resourceType } = type;
  await findOrganization(app, organizationId);
  const detail = { resourceType, history, format };
  await auditAccess(app, "records.export", { organizationId, subject: organizationId, detail });
  await using file = output === undefined ? undefined : await noteFile(context, output);
  const name = `export ${resourceType}`;
  const progress = makeBulkProgress(context.err, { json: context.json, name });
  const query = { export: "records", resource_type: resourceType, history, format, spreadsheet };
  let manifest: Manifest | undefined;
  const seal = async (written: ManifestFile): Promise<string> => {
    manifest = await sealManifest(app, { organizationId, query, files: [written] });
    if (format === "ndjson") return lineOfManifest(manifest);
    if (output !== undefined) writeManifest(manifestPath(output), manifest);
    return "";
  };
  const startedAt = performance.now();
  const sink =
    file === undefined ? standardOutput(context.out) : fileSink(file.path, file.unfinished);
  const tools = { sink, seal, progress, stopping };
  const done = await runExport(app, plan, tools);
  return { ...done, seconds: (performance.now() - startedAt) / 1_000, manifest };
}

export async function runExport(
  app: App,
  plan: ExportPlan,
  tools: ExportTools,
): Promise<Pick<Exported, "rows" | "withChanges">> {
  if (plan.history) {
    const history = exportHistory(app, plan);
    const { rows } = await writeExport(history, (sink) => historyForm(plan, sink), tools);
    return { rows, withChanges: 0 };
  }
  let withChanges = 0;
  const states = exportStates(app, plan, () => (withChanges += 1));
  const { rows } = await writeExport(states, (sink) => stateForm(plan, sink), tools);
  return { rows, withChanges };
}

/** Records the unfinished file, so that the next command removes it if this one is killed. */
async function noteFile({ environment }: Context, path: string) {
  const noted = await noteUnfinished(readConfig(environment).dataDir, resolve(path));
  return { ...noted, path, unfinished: noted.path };
}

const byEnding: Readonly<Record<string, ExportFormat>> = {
  ndjson: "ndjson",
  jsonl: "ndjson",
  csv: "csv",
  parquet: "parquet",
};

function formatOf(output: string | undefined): ExportFormat {
  const format = output === undefined ? "ndjson" : formatByEnding(output, byEnding);
  if (format !== undefined) return format;
  throw new UsageError(
    `The name ${output} does not say which format to write. End it in .ndjson, .csv or .parquet, or give --format.`,
  );
}

function requireBinaryOutput({ out }: Context, output: string | undefined): void {
  if (output === undefined && out.isTTY === true) {
    throw new UsageError("Parquet can't be written to a terminal; name a file with --output.");
  }
  if (output === undefined || compressionOf(output) === undefined) return;
  throw new UsageError(
    `Parquet is compressed internally; name the file ${plainName(output)}, without the ending.`,
  );
}

function report(
  context: Context,
  { type: { resourceType }, organizationId, format, history }: ExportPlan,
  { output, rows, withChanges, seconds, manifest }: Exported & Pick<ExportOptions, "output">,
): CommandResult | undefined {
  const json = {
    resource_type: resourceType,
    organization_id: organizationId,
    output: output ?? null,
    format,
    history,
    rows,
    with_changes: withChanges,
    seconds: Number(seconds.toFixed(3)),
    manifest: manifest ?? null,
  };
  const note =
    withChanges === 0
      ? ""
      : ` ${withChanges} of them include their list of changes, because no single POST would give the same state.`;
  const summary =
    `Wrote ${formatCount(rows, history ? "change" : "record")} of type ${resourceType}` +
    `${output === undefined ? "" : ` to ${output}`} in ${formatSeconds(seconds)}.${note}`;
  if (output !== undefined) return { json, text: summary };
  // NDJSON has its manifest in its last line.
  const lines = format === "ndjson" ? [summary] : [summary, canonicalJson(manifest)];
  context.err.write(`${context.json ? JSON.stringify(json) : lines.join("\n")}\n`);
  return undefined;
}
