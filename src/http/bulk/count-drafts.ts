// Counts the outcomes of the items of a list, for the message of the reply.

import type { WriteReport } from "../../actions/intake/submission.ts";
import type { DraftOutcome } from "../../domain/record/record-write.ts";
import type { ListReport } from "./messages.ts";

type Counts = Pick<ListReport, "written" | "repeated" | "updated" | "unchanged">;

export function countDrafts({ written, repeated, drafts }: Omit<WriteReport, "results">): Counts {
  const count = (wanted: DraftOutcome) =>
    drafts.reduce((sum, outcome) => sum + (outcome === wanted ? 1 : 0), 0);
  return { written, repeated, updated: count("updated"), unchanged: count("unchanged") };
}
