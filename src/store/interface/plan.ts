// What a dry run of a deletion is asked, and a part of its result.

import type { PlanSubject } from "../../domain/deletion/deletion.ts";
import type { DryRun } from "../../domain/deletion/dry-run.ts";
import type { ResourceType } from "../../domain/record-type.ts";

export interface DryRunQuery {
  /** A deletion that is pending, or one that would be requested now. */
  readonly deletion: PlanSubject;
  /** The time of the plan; a later one for a preview of that time. */
  readonly now: number;
  /** Others affect neither the plan nor its time. Undefined: what all may know who may know of this deletion. */
  readonly types: readonly ResourceType[] | undefined;
  /** How many relations are read. */
  readonly relationsMax: number;
  /** About how many records that name the person or the company one part reads. */
  readonly recordsMax: number;
  /** The number of the change where the previous part has ended; undefined for the first one. */
  readonly after: number | undefined;
}

export interface DryRunPart extends DryRun {
  /** Where the next part begins; undefined if this was the last one. */
  readonly next: number | undefined;
}
