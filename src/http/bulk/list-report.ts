// What the main thread needs to know of a list that was written.

import type { WriteReport } from "../../actions/intake/submission.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { countRefusals } from "../reply/refusals.ts";
import type { ListReport } from "./messages.ts";

/** `text`: the results as JSON, for a lenient list. */
export function reportOf(
  { written, repeated, drafts, results = [] }: WriteReport,
  type: RecordType,
  text: string | undefined,
): ListReport {
  const refused = results.filter(({ status }) => status === "refused");
  return {
    written,
    repeated,
    updated: drafts.filter((outcome) => outcome === "updated").length,
    unchanged: drafts.filter((outcome) => outcome === "unchanged").length,
    refused: refused.length,
    results: text,
    refusals: countRefusals(refused, type),
  };
}
