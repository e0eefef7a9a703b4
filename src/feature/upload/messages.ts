// The messages between the main thread and the thread of an upload. Types only.

import type { OperatorErrorKind } from "../../actions/operator/operator-error.ts";
import type { WriteOutcome } from "../../domain/record/record-write.ts";
import type { Layout } from "../../bulk/formats/layout.ts";
import type { FileCheck } from "../import/check-file.ts";
import type { FileReport } from "../import/import-file.ts";
import type { Mapping } from "../import/map/mapping.ts";
import type { Counts } from "../../bulk/progress.ts";
import type { ImportWrite } from "../import/store-target.ts";
import type { MappingChoice } from "./column-choice.ts";
import type { Inspection } from "./inspect.ts";

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

export interface UploadStep extends Counts {
  readonly rows: number;
  readonly share: number;
}

export interface RefusedRow {
  readonly row: number;
  readonly reason: string;
}

export type ToUpload =
  | { readonly kind: "written"; readonly id: number; readonly outcome: WriteOutcome }
  | { readonly kind: "not written"; readonly id: number }
  | { readonly kind: "stop" };

export type FromUpload =
  | { readonly kind: "write"; readonly id: number; readonly write: ImportWrite }
  | { readonly kind: "step"; readonly step: UploadStep }
  | { readonly kind: "refused"; readonly rows: readonly RefusedRow[] }
  | { readonly kind: "ended"; readonly result: UploadResults[keyof UploadResults] }
  /** `error` is undefined for an internal error. */
  | {
      readonly kind: "failed";
      readonly error: OperatorErrorKind | undefined;
      readonly message: string;
    };
