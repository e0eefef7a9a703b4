// What is to be imported, and how, once the command line has been read. Data only.

import type { RecordType } from "../../domain/record-type.ts";
import type { Mapping } from "./mapping.ts";
import type { InputFormat } from "../formats/row.ts";

export interface ImportPlan {
  readonly type: RecordType;
  readonly organizationId: string;
  readonly mapping: Mapping;
  /** By PUT instead of POST. */
  readonly update: boolean;
  /** By the name of the file if undefined. */
  readonly format: InputFormat | undefined;
  /** Of CSV; by the name of the file if undefined. */
  readonly delimiter: string | undefined;
  /** Lists that may be under way at once. */
  readonly connections: number;
}
