// The messages between the main thread and the thread of an upload: one thread for each inspection and each import.
// Types only.

import type { OperatorErrorName } from "../../actions/operator/operator-error.ts";
import type { ErrorForm } from "../../domain/error-form.ts";
import type { FileReport } from "../import/import-file.ts";
import type { Mapping } from "../import/mapping.ts";
import type { Counts } from "../progress.ts";
import type { ItemOutcome } from "../import/target.ts";
import type { MappingChoice } from "./column-choice.ts";
import type { Inspection } from "./inspect.ts";

/** The file and how to import it. */
export interface UploadPlan {
  /** The path of the uploaded file, whose ending is that of the name. */
  readonly file: string;
  /** The name that people know, which takes the place of the path in messages. */
  readonly fileName: string;
  readonly resourceType: string;
  readonly organizationId: string;
  readonly update: boolean;
}

export type UploadTask =
  | {
      readonly kind: "inspect";
      readonly plan: UploadPlan;
      readonly choice: MappingChoice | undefined;
    }
  | { readonly kind: "import"; readonly plan: UploadPlan; readonly mapping: Mapping };

/** A list of records to write, with the Idempotency-Key by which a repetition is recognised. */
export interface UploadList {
  readonly update: boolean;
  /** JSON texts of records. */
  readonly texts: readonly string[];
  readonly key: string;
}

export interface UploadStep extends Counts {
  readonly rows: number;
  /** The part of the file that is done, from 0 to 1. */
  readonly share: number;
}

/** A row that was refused, for people. */
export interface RefusedRow {
  readonly row: number;
  /** The error code; undefined for a row that can't be read. */
  readonly code: number | undefined;
  readonly reason: string;
}

export type ToUpload =
  | { readonly kind: "outcomes"; readonly id: number; readonly outcomes: readonly ItemOutcome[] }
  | { readonly kind: "not written"; readonly id: number; readonly error: ErrorForm }
  | { readonly kind: "stop" };

export type FromUpload =
  | { readonly kind: "list"; readonly id: number; readonly list: UploadList }
  | { readonly kind: "step"; readonly step: UploadStep }
  | { readonly kind: "refused"; readonly rows: readonly RefusedRow[] }
  | { readonly kind: "inspected"; readonly inspection: Inspection }
  | { readonly kind: "imported"; readonly report: FileReport }
  /** `name` is undefined for an error of our own. */
  | {
      readonly kind: "failed";
      readonly name: OperatorErrorName | undefined;
      readonly message: string;
    };
