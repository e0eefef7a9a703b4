// An uploaded file: its fields, its states, its bounds, and the errors for impossible actions; and what the main thread
// and its thread do for each other.

import { OperatorError, type OperatorErrorKind } from "../../actions/operator/operator-error.ts";
import { compressionOf, plainName } from "../../bulk/formats/compression.ts";
import type { Layout } from "../csv/layout.ts";
import type { WriteOutcome } from "../../domain/record/record-write.ts";
import type { FileCheck } from "../import/check-file.ts";
import type { FileReport, ImportStep } from "../import/import-file.ts";
import type { Mapping } from "../import/map/mapping.ts";
import type { ImportWrite } from "../import/store-target.ts";
import type { MappingChoice } from "./column-choice.ts";
import type { Inspection } from "./inspect.ts";
import { operatorErrors } from "./rows.ts";
import { inputError } from "../csv/input-error.ts";

export interface UploadFolder {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

export interface UploadPlan {
  readonly file: string;
  /** The name that people know; messages use it instead of the path. */
  readonly fileName: string;
  readonly resourceType: string;
  readonly organizationId: string;
  readonly update: boolean;
  readonly timestampMin: string;
}

export type UploadTask =
  | {
      readonly kind: "inspect";
      readonly plan: UploadPlan;
      readonly choice: MappingChoice | undefined;
    }
  | {
      readonly kind: "check" | "import";
      readonly plan: UploadPlan;
      readonly layout: Layout;
      readonly mapping: Mapping;
    };

/** The result of each kind of task. */
export interface UploadResults {
  readonly inspect: Inspection;
  readonly check: FileCheck;
  readonly import: FileReport;
}

export interface RefusedRow {
  readonly row: number;
  /** Undefined for an item of a JSON list. */
  readonly line: number | undefined;
  readonly reason: string;
}

export interface UploadFailure {
  /** Undefined for an internal error. */
  readonly error: OperatorErrorKind | undefined;
  readonly message: string;
}

type UploadOutcome = { readonly result: UploadResults[keyof UploadResults] } | UploadFailure;

/** What the thread of an upload does for the main thread. */
export type UploadWork = {
  readonly perform: (task: UploadTask) => Promise<UploadOutcome>;
  readonly stop: () => void;
};

/** What the main thread does for it. */
export type UploadEvents = {
  readonly write: (write: ImportWrite) => Promise<WriteOutcome>;
  readonly step: (step: ImportStep) => void;
  readonly refused: (rows: readonly RefusedRow[]) => void;
};

export interface NewUpload extends Omit<UploadPlan, "file" | "timestampMin"> {
  /** The id of an upload of the same person that this replaces as a repaired file: its columns are chosen alike. */
  readonly repairs?: string | undefined;
  readonly ownerId: string;
}

export type UploadState =
  | { readonly name: "ready" }
  /** Without a step it waits for its turn. All rows are checked before the first is imported. */
  | { readonly name: "checking" | "importing"; readonly step: ImportStep | undefined }
  | {
      readonly name: "ended";
      readonly step: ImportStep;
      readonly failure: string | undefined;
      readonly report: FileReport | undefined;
    };

/** An upload in the memory of this process, from its first byte on. */
export interface UploadEntry extends NewUpload {
  readonly uploadId: string;
  readonly receivedAt: number;
  file: string;
  bytes: number;
  state: UploadState | { readonly name: "arriving" };
  inspection: Inspection | undefined;
  /** Changes with the mapping, so that nobody imports with another mapping than was shown. */
  inspectionNo: number;
  /** The last one; undefined for columns that are chosen by name. */
  choice: MappingChoice | undefined;
  /** What an import with this mapping would refuse; undefined until all rows were checked. */
  check: FileCheck | undefined;
  /** The check of the file that this one has replaced. */
  readonly faultyCheck: FileCheck | undefined;
  readonly refused: RefusedRow[];
  keptUntil: number;
  readonly stopping: AbortController;
  readonly removal: AbortController;
}

export type Upload = Readonly<UploadEntry> & { readonly state: UploadState };

export const uploadLimits = {
  /** From its arrival, and again from the end of its import. */
  keptMs: 60 * 60_000,
  ofOperatorMax: 3,
  filesMax: 20,
  importsAtOnce: 2,
  inspectionsAtOnce: 2,
} as const;

export const noStep: ImportStep = { rows: 0, share: 0, written: 0, unchanged: 0, refused: 0 };

export function isReceived(entry: UploadEntry): entry is UploadEntry & Upload {
  return entry.state.name !== "arriving";
}

export type BusyState = Extract<UploadState, { readonly name: "checking" | "importing" }>;

export function isBusy<One extends Pick<UploadEntry, "state">>(
  entry: One,
): entry is One & { readonly state: BusyState } {
  return entry.state.name === "checking" || entry.state.name === "importing";
}

/** Throws OperatorError upload while it is being checked or imported. */
export function requireIdle(entry: UploadEntry | undefined): void {
  if (entry !== undefined && isBusy(entry)) throw notReady("Its import has begun; stop it first.");
}

export function planOf(
  { file, fileName, resourceType, organizationId, update }: UploadEntry,
  timestampMin: string,
): UploadPlan {
  return { file, fileName, resourceType, organizationId, update, timestampMin };
}

/** The ending, such as `.csv.gz`, decides how the file is read. No other part of the name becomes part of a path. */
export function endingOf(fileName: string): string {
  const format = /\.[a-z]{1,8}$/i.exec(plainName(fileName))?.[0] ?? "";
  return (format + (compressionOf(fileName)?.ending ?? "")).toLowerCase();
}

export function notReady(why: string): OperatorError {
  return new OperatorError("upload", `${why} Nothing was changed.`);
}

export function stopOf({ reason }: AbortSignal): OperatorError {
  if (reason instanceof OperatorError) return reason;
  if (reason instanceof DOMException && reason.name === "TimeoutError") {
    return inputError("The first rows of this file take too long to read.");
  }
  return new OperatorError("stopped", "It was stopped.");
}

export function noSuchUpload(): OperatorError {
  return new OperatorError(
    operatorErrors.no_such_upload,
    "This process has no such uploaded file. It was removed, or this process was restarted, or another process of this " +
      "service received it: a proxy in front of several has to send a person to the same one.",
  );
}

export function tooMany(whose: string): OperatorError {
  return new OperatorError(
    "upload",
    `${whose} uploaded files already. Remove one, or wait until it is removed, and upload this file again.`,
  );
}
