// Imports one file: maps its rows, sends them in lists, and records the progress, from which it can continue.

import { hash } from "node:crypto";
import { readSync } from "node:fs";
import { errorCatalogue } from "../../domain/error.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { openFile } from "../../files/own-file.ts";
import {
  type Chunk,
  cutChunks,
  keyOf,
  workInOrder,
  type ItemOutcome,
  type Target,
} from "./chunk.ts";
import type { FilePaths } from "./file-paths.ts";
import { makeRowMapper } from "./map/map-row.ts";
import type { Layout } from "../csv/layout.ts";
import type { OpenRows } from "./rows/open-rows.ts";
import type { Mapping } from "./map/mapping.ts";
import { type Refusal, RefusedFile } from "./refused-file.ts";
import { StateFile } from "./state-file.ts";
import type { ImportProgress } from "./store/import-run.ts";
import { type InputFormat, parseRow } from "../csv/row.ts";
import { openText, type TextInput } from "../csv/text-input.ts";
import { formatCount } from "../../basics/format-count.ts";
import { inputError } from "../csv/input-error.ts";

export interface ImportStep extends ImportProgress {
  /** The part of the file that was read. */
  readonly share: number;
}

export interface ImportTools {
  readonly target: Target;
  readonly stopping: AbortSignal;
  /** Called before the first rows are sent, with what an earlier run has done, and after each list. */
  readonly onStep: (step: ImportStep) => void;
  /** Called before the rows count as refused. */
  readonly onRefused?: (refusals: readonly Refusal[]) => void;
}

export type FileReport = Awaited<ReturnType<typeof importFile>>;

export interface ImportPlan {
  readonly openRows: OpenRows;
  readonly timestampMin: string;
  readonly type: RecordType;
  readonly organizationId: string;
  readonly mapping: Mapping;
  readonly update: boolean;
  readonly format: InputFormat | undefined;
  readonly layout: Layout;
  readonly connections: number;
  readonly listRows: number;
}

export interface FilePlan extends ImportPlan, Omit<FilePaths, "statePath"> {
  /** Undefined for an import that is never continued. */
  readonly statePath: string | undefined;
}

/** Throws OperatorError; the state file then contains what was acknowledged. */
export async function importFile(plan: FilePlan, tools: ImportTools) {
  const startedAt = performance.now();
  const input = openText(plan.file);
  const rows = await plan.openRows(input, plan);
  const mapper = makeRowMapper(rows, plan);
  const settings = describeSettings(plan, tools.target);
  const state = new StateFile(plan.statePath, { input: describeInput(input), settings });
  const { columns, delimiter, detected = {}, ignoredLines } = rows;
  const { refusedPath: path } = plan;
  const refused = new RefusedFile({ path, columns, delimiter, bytes: state.current.refused_bytes });
  const rowsBefore = state.rowsDone;
  let hasBegun = false;
  const step = (): void => {
    hasBegun = true;
    const { rowsDone, current } = state;
    // The rows that are read first are not done yet.
    const share = rowsDone === 0 ? 0 : input.bytesRead() / input.bytes;
    tools.onStep({ ...current.counts, rows: rowsDone, share });
  };
  const chunks = cutChunks(rows.batches(mapper.used), {
    mapper,
    target: tools.target,
    type: plan.type,
    rowsMax: plan.listRows,
    isDone: (row) => state.isDone(row),
  });
  try {
    await workInOrder(chunks, {
      atOnce: plan.connections,
      stopping: tools.stopping,
      work: async (chunk) => {
        if (!hasBegun) step();
        const sent = await sendChunk(chunk, state.current.import_id);
        refused.append(sent.refusals);
        requireFewRefused(plan, state.current.counts.refused + sent.refusals.length, refused.bytes);
        tools.onRefused?.(sent.refusals);
        await state.complete(chunk.range, sent.counts, refused.bytes);
        step();
      },
    });
  } catch (error) {
    if (!tools.stopping.aborted || error !== tools.stopping.reason) throw error;
  } finally {
    refused.close();
    if (hasBegun) await state.save();
    else state.discard();
  }
  if (tools.stopping.aborted) throw stopped(plan.file, state);
  return {
    ...state.current.counts,
    file: plan.file,
    detected,
    rows: state.rowsDone,
    rowsBefore,
    ignoredLines: ignoredLines?.() ?? 0,
    refusedFile: refused.bytes === 0 ? undefined : refused.path,
    seconds: (performance.now() - startedAt) / 1_000,
  };
}

async function sendChunk(chunk: Chunk, importId: string) {
  const refused = new Map<number, ItemOutcome>();
  const written = new Set<number>();
  for (const { update, list, rows } of chunk.lists) {
    const { range } = chunk;
    const outcomes = await list.send((text) => keyOf(importId, { range, update }, text));
    for (const [index, outcome] of outcomes.entries()) {
      const row = rows[index] ?? 0;
      if (isUnchanged(outcome)) continue;
      if (outcome.status !== "refused") written.add(row);
      else if (!refused.has(row)) refused.set(row, outcome);
    }
  }
  const refusals = refusalsOf(chunk, refused);
  const count = written.difference(refused).size;
  return {
    counts: {
      written: count,
      unchanged: chunk.rows.length - refused.size - count,
      refused: refusals.length,
    },
    refusals,
  };
}

function refusalsOf(
  { rows, unmapped }: Chunk,
  refused: ReadonlyMap<number, ItemOutcome>,
): readonly Refusal[] {
  const all: Refusal[] = unmapped.map(({ row, errors }) => ({
    row: parseRow(row),
    code: undefined,
    message: undefined,
    errors,
  }));
  for (const [index, { code, message, errors = [] }] of refused) {
    const row = rows[index];
    if (row !== undefined) all.push({ row: parseRow(row), code, message, errors });
  }
  return all.sort((one, other) => one.row.number - other.row.number);
}

function isUnchanged({ status, code }: ItemOutcome): boolean {
  return status === "unchanged" || code === errorCatalogue.identical_record_exists.code;
}

/** A digest of everything that determines which records the rows become, and where they are sent. */
function describeSettings(plan: FilePlan, target: Target): string {
  const { type, organizationId, mapping, update, format, layout } = plan;
  const what = [target.name, organizationId, type.resourceType, [...mapping], update];
  return hash("sha256", JSON.stringify([...what, format, layout]));
}

/** A file with more refused rows than this, or its mapping, is wrong; nobody can correct so many by hand. */
export const refusedLimits = {
  rowsMax: 100_000,
  bytesMax: 256 * 1_024 * 1_024,
};

function requireFewRefused({ file, statePath }: FilePlan, rows: number, bytes: number): void {
  if (rows <= refusedLimits.rowsMax && bytes <= refusedLimits.bytesMax) return;
  throw inputError(
    `More than ${refusedLimits.rowsMax.toLocaleString("en")} rows of ${file} were refused, or ${refusedLimits.bytesMax.toLocaleString("en")} ` +
      "bytes of them, so the rest was not read. Correct the file or the mapping by what is wrong with the first of them" +
      `${statePath === undefined ? "" : `, remove ${statePath}`}, and import it again.`,
  );
}

const sampleBytes = 64 * 1_024;

/** Size, beginning and end: cheap to read, and different for practically every other file. */
function describeInput({ path, bytes }: TextInput): string {
  using file = openFile(path, "r");
  const { descriptor } = file;
  const sample = Buffer.alloc(2 * sampleBytes);
  const first = readSync(descriptor, sample, 0, sampleBytes, 0);
  const last = readSync(descriptor, sample, first, sampleBytes, Math.max(0, bytes - sampleBytes));
  return `${bytes} ${hash("sha256", sample.subarray(0, first + last))}`;
}

function stopped(file: string, { rowsDone }: StateFile): OperatorError {
  return new OperatorError(
    "stopped",
    `The import of ${file} was stopped after ${formatCount(rowsDone, "row")}. Run the same command to continue.`,
  );
}
