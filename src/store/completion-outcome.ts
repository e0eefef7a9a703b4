// What completing a deletion came to, as a value or as an error, whichever the caller can do with. Decides nothing.

import type { Deletion } from "../domain/deletion/deletion.ts";
import type { Completion } from "./store.ts";

/** Undefined if it has to be tried again. Throws what it failed with. */
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
