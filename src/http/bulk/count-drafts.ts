// Counts the outcomes of the items of a list, for the message of the reply.

import type { WriteReport } from "../../actions/intake/submission.ts";
import type { ListReport } from "./messages.ts";

type Counts = Pick<ListReport, "written" | "repeated" | "updated" | "unchanged">;

export function countDrafts({ written, repeated, drafts }: Omit<WriteReport, "results">): Counts {
  let updated = 0;
  let unchanged = 0;
  for (const outcome of drafts) {
    if (outcome === "updated") updated += 1;
    else if (outcome === "unchanged") unchanged += 1;
  }
  return { written, repeated, updated, unchanged };
}
