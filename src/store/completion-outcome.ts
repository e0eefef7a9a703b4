// The result of completing a deletion as a value or as an error, whichever the caller needs. Decides nothing.

import type { Deletion } from "../domain/deletion/deletion.ts";
import type { ScanResult, ScanResults } from "./party-scan.ts";
import { StoreError } from "./store-error.ts";
import type { Completion } from "./store.ts";

/** The reason to fail where a related record that arrived meanwhile must not be erased. */
export function heldMeanwhile(waitingFor: string): StoreError {
  return new StoreError(`A related record that arrived meanwhile waits for ${waitingFor}.`);
}

/** Undefined if it must be tried again. Throws the cause of a failure. */
export function deletionOf(outcome: Completion | undefined): Deletion | undefined {
  if (outcome?.result === "failed") throw outcome.cause;
  return outcome?.result === "completed" ? outcome.deletion : undefined;
}

export async function toCompletion(completing: Promise<Deletion | undefined>): Promise<Completion> {
  try {
    const deletion = await completing;
    return deletion === undefined ? { result: "again" } : { result: "completed", deletion };
  } catch (cause) {
    return { result: "failed", cause };
  }
}

/** Completes the deletions that have no scan, or whose scan found nothing more; the others are not ready. */
export async function withScans(
  ids: readonly string[],
  scans: ScanResults,
  complete: (ready: readonly string[]) => Promise<readonly Completion[]>,
): Promise<readonly Completion[]> {
  const ready = ids.filter((id) => (scans.get(id) ?? "verified") === "verified");
  const completed = ready.length === 0 ? [] : await complete(ready);
  const outcomes = new Map(ready.map((id, index) => [id, completed[index]]));
  return ids.map((id) => outcomes.get(id) ?? completionOf(scans.get(id)));
}

function completionOf(scan: ScanResult | undefined): Completion {
  if (typeof scan === "object") return { result: "failed", cause: scan.cause };
  if (scan === "scanning") return { result: "scanning" };
  if (scan !== "held") return { result: "again" };
  return { result: "failed", cause: heldMeanwhile("a hold") };
}
