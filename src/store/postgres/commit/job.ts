// The jobs of the group queue: writes, and requests for deletions, so that both take effect in the order of their
// arrival.

import type { RecordWrite } from "../../../domain/record/record-write.ts";
import type { RequestAct } from "../../group/evaluate-requests.ts";
import type { PackedOutcome } from "../../group/packed-outcome.ts";
import type { Result } from "../../group/result.ts";

export interface WriteJob {
  readonly kind: "write";
  readonly write: RecordWrite;
}

export interface RequestJob extends RequestAct {
  readonly kind: "request";
}

export type Job = WriteJob | RequestJob;

export type JobResult = Result<PackedOutcome | string | undefined>;
