// The result of completing a deletion as a value or as an error, whichever the caller needs. Decides nothing.

import type { Deletion } from "../domain/deletion/deletion.ts";
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
