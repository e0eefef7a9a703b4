// Runs `sluice import` and reports its counts of rows per file. Is loaded with the file formats and the client only
// when something is imported.

import { beginImport, trackImport } from "./imports.ts";
import { type App, currentTimeOf } from "../../actions/app.ts";
import { writeDrafts } from "../../actions/intake/write-drafts.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { findType } from "../../actions/record/find-named-record.ts";
import { limits } from "../../domain/limits.ts";
import { type Layout, layoutNames } from "../csv/layout.ts";
import { openAnyRows } from "./rows/parquet-rows.ts";
import { checkFile, describeCheck, describeReading } from "./check-file.ts";
import { type FilePaths, pathsOf, requireReplaceable } from "./file-paths.ts";
import { httpTarget } from "./http-target.ts";
import { type FileReport, importFile, type ImportPlan, type ImportTools } from "./import-file.ts";
import { type MappingFile, type readMapItems, readMappingFile, readPreset } from "./map/mapping.ts";
import { removeState } from "./state-file.ts";
import { storeTarget } from "./store-target.ts";
import type { Target } from "./chunk.ts";
import type { BulkProgress } from "../../bulk/progress.ts";
import { readConfig } from "../../settings/config.ts";
import type { CommandResult, Context } from "../../cli/command.ts";
import { readApiKey } from "./api-key.ts";
import { formatSeconds, makeBulkProgress } from "../../cli/output/bulk-progress.ts";
import { type Column, renderTable } from "../../cli/output/table.ts";
import { runUntilStopped } from "../../cli/stop-signal.ts";
import { formatCount } from "../../basics/format-count.ts";
import { bulkHeap, limitHeap, sendingHeap } from "../../cli/v8-flags.ts";

export interface ImportOptions
  extends Pick<ImportPlan, "update" | "format" | "connections">, Required<Layout> {
  readonly files: readonly string[];
  readonly type: string;
  readonly organization: string;
  readonly url: string | undefined;
  readonly keyFile: string | undefined;
  readonly map: readonly ReturnType<typeof readMapItems>[];
  readonly mapping: string | undefined;
  readonly preset: string | undefined;
  readonly check: boolean;
  readonly rows: number;
  readonly state: string | undefined;
}

export async function runImport(context: Context, options: ImportOptions): Promise<CommandResult> {
  const plan: ImportPlan = {
    openRows: openAnyRows,
    timestampMin: readConfig(context.environment).timestampMin,
    type: findType(options.type),
    organizationId: options.organization,
    ...combine(options),
    update: options.update,
    format: options.format,
    connections: options.connections,
    // Each list has a cost of its own, so it is as long as a group of lists while other organizations write. An import
    // that continues has to make the same lists, so a version with another length would write some of them twice.
    listRows: limits.groupRowsMax / 2,
  };
  if (options.check) return check(options.files, plan, options.rows);
  limitHeap(options.url === undefined ? bulkHeap : sendingHeap);
  const paths = pathsOf(options.files, { folder: options.state, format: options.format });
  requireReplaceable(paths);
  const reports = await runUntilStopped((stopping) =>
    importAll(context, plan, { ...options, paths, stopping }),
  );
  for (const { statePath } of paths) removeState(statePath);
  return {
    json: viewReports(reports),
    text: describeReports(reports),
    hasFinding: reports.some(({ refused: rows }) => rows > 0),
  };
}

/** Options take precedence over the file, and the file over the preset. */
function combine({ preset, mapping: file, map, ...options }: ImportOptions): MappingFile {
  const base = preset === undefined ? undefined : readPreset(preset);
  const read = file === undefined ? undefined : readMappingFile(file);
  const given = layoutNames.filter((name) => options[name] !== undefined);
  const ownLayout = Object.fromEntries(given.map((name) => [name, options[name]]));
  return {
    mapping: new Map([...(base?.mapping ?? []), ...(read?.mapping ?? []), ...map.flat()]),
    layout: { ...base?.layout, ...read?.layout, ...ownLayout },
  };
}

async function check(
  files: readonly string[],
  plan: ImportPlan,
  shownMax: number,
): Promise<CommandResult> {
  const checks = [];
  for (const file of files) checks.push(await checkFile(file, plan, { shownMax }));
  return {
    json: {
      files: checks.map(({ ignoredLines, ...one }) => ({ ...one, ignored_lines: ignoredLines })),
    },
    text: checks.map(describeCheck).join("\n\n"),
    hasFinding: checks.some(({ refused }) => refused > 0),
  };
}

interface Work extends Pick<ImportOptions, "url" | "keyFile"> {
  readonly paths: readonly FilePaths[];
  readonly stopping: AbortSignal;
}

type RunFile = (onStep: ImportTools["onStep"]) => Promise<FileReport>;

interface Sending extends Pick<Work, "paths" | "stopping"> {
  readonly target: Target;
  /** Reports the steps. Those of an import over HTTP are not reported: the server sees only its requests. */
  readonly track?: (run: RunFile) => Promise<FileReport>;
}

async function importAll(
  context: Context,
  plan: ImportPlan,
  { url, keyFile, ...work }: Work,
): Promise<readonly FileReport[]> {
  const { organizationId, type, update } = plan;
  if (url !== undefined) {
    const apiKey = readApiKey(context, keyFile);
    const { stopping } = work;
    const target = httpTarget({ url, apiKey, organizationId, type, stopping });
    return importEach(context, plan, { ...work, target });
  }
  if (keyFile !== undefined)
    throw new UsageError("--key-file is for an import over HTTP; add --url.");
  const writeAll = async (app: App) => {
    await beginImport(app, { organizationId, resourceType: type.resourceType, update });
    const about = { organizationId, resourceType: type.resourceType, source: "command" } as const;
    const target = storeTarget({
      name: "the local store",
      organizationId,
      type,
      now: () => currentTimeOf(app),
      timestampMin: app.timestampMin,
      write: ({ write, key }) => writeDrafts(app, write, { keySpace: organizationId, key }),
    });
    const track = (run: RunFile) => trackImport(app, about, run);
    return importEach(context, plan, { ...work, target, track });
  };
  return context.withApp(writeAll, { writesBeside: true });
}

async function importEach(
  { err, json }: Context,
  plan: ImportPlan,
  { paths, stopping, target, track = (run) => run(() => undefined) }: Sending,
): Promise<readonly FileReport[]> {
  const reports: FileReport[] = [];
  for (const path of paths) {
    let progress: BulkProgress | undefined;
    const show: ImportTools["onStep"] = ({ rows, share, refused }) => {
      const note = refused === 0 ? "" : `${count(refused)} refused`;
      progress ??= makeBulkProgress(err, { json, name: path.file, before: { rows, share } });
      progress.show({ rows, share, note });
    };
    const run: RunFile = (onStep) => {
      const both: ImportTools["onStep"] = (step) => {
        show(step);
        onStep(step);
      };
      return importFile({ ...plan, ...path }, { target, stopping, onStep: both });
    };
    reports.push(await track(run).finally(() => progress?.close()));
  }
  return reports;
}

const columns: readonly Column<FileReport>[] = [
  ["file", ({ file }) => file],
  ["rows", ({ rows }) => count(rows), { right: true }],
  ["written", ({ written }) => count(written), { right: true }],
  ["unchanged", ({ unchanged }) => count(unchanged), { right: true }],
  ["refused", ({ refused }) => count(refused), { right: true }],
  ["rows/s", (report) => count(rate(report)), { right: true }],
];

export function describeReports(reports: readonly FileReport[]): string {
  const seconds = reports.reduce((sum, report) => sum + report.seconds, 0);
  const lines = [renderTable(columns, reports), "", `Took ${formatSeconds(seconds)}.`];
  for (const report of reports) {
    const { file, rowsBefore } = report;
    lines.push(...describeReading(report));
    if (rowsBefore > 0) {
      lines.push(
        `${file} was continued after ${formatCount(rowsBefore, "row")} of an earlier run.`,
      );
    }
  }
  for (const { refused, refusedFile } of reports) {
    if (refusedFile === undefined) continue;
    const rows = refused === 1 ? "1 refused row is" : `${count(refused)} refused rows are`;
    lines.push(
      `${rows} in ${refusedFile}, with the reason. Correct them there and import that file.`,
    );
  }
  return lines.join("\n");
}

export function viewReports(reports: readonly FileReport[]) {
  return {
    files: reports.map((report) => ({
      file: report.file,
      rows: report.rows,
      written: report.written,
      unchanged: report.unchanged,
      refused: report.refused,
      refused_file: report.refusedFile ?? null,
      rows_before: report.rowsBefore,
      ignored_lines: report.ignoredLines,
      detected: report.detected,
      seconds: Number(report.seconds.toFixed(3)),
      rows_per_second: rate(report),
    })),
  };
}

function rate({ rows, rowsBefore, seconds }: FileReport): number {
  return seconds > 0 ? Math.round((rows - rowsBefore) / seconds) : 0;
}

function count(value: number): string {
  return value.toLocaleString("en");
}
