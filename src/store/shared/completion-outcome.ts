// Converts the result of completing a deletion between a value and an error, whichever the caller needs. Decides
// nothing.

import { AppError } from "../../domain/error.ts";
import { StoreError } from "../interface/store-error.ts";
import type { Completion } from "../interface/deletion.ts";

/** What a transaction that verifies or completes says of a deletion. */
type Verified =
  | Exclude<Completion, { readonly result: "again" | "scanning" }>
  | { readonly result: "clean" | "large" | "moved" }
  | { readonly result: "partly"; readonly isBehind?: boolean }
  | { readonly result: "found"; readonly isPart?: boolean }
  | { readonly result: "held"; readonly waitingFor: string };

export function isBehind(result: Verified): boolean {
  return result.result === "partly" && result.isBehind === true;
}

export function toCompletion(result: Verified): Completion {
  if (result.result === "completed" || result.result === "failed") return result;
  if (result.result === "partly") return { result: "scanning" };
  if (result.result === "found") return { result: "again", isPart: result.isPart === true };
  if (result.result !== "held") return { result: "again" };
  return { result: "failed", cause: heldMeanwhile(result.waitingFor) };
}

/** The reason to fail if a related record has arrived meanwhile that must not be erased. */
function heldMeanwhile(waitingFor: string): StoreError {
  return new StoreError(`A related record that arrived meanwhile waits for ${waitingFor}.`, {
    isTemporary: true,
  });
}

/** Deletions that are verified together: one with a large plan, or several with small ones. */
export interface PlanGroup {
  readonly ids: readonly string[];
  readonly isLarge: boolean;
}

export interface CompletionSteps {
  /** True for a deletion that shares no transaction. */
  readonly isAlone: (id: string) => boolean;
  /** The result for a deletion with a large plan that can't be completed yet. */
  readonly verifyLarge: (id: string) => Promise<Completion | undefined>;
  readonly completeTogether: (ids: readonly string[]) => Promise<readonly Completion[]>;
}

/** Completes the deletions of each group together, or one by one if that fails. Results are in the order of `ids`. */
export async function completeInGroups(
  ids: readonly string[],
  groups: readonly PlanGroup[],
  { isAlone, verifyLarge, completeTogether }: CompletionSteps,
): Promise<readonly Completion[]> {
  const outcomes = new Map<string, Completion>();
  const complete = async (some: readonly string[]): Promise<void> => {
    try {
      const results = await completeTogether(some);
      for (const [index, id] of some.entries()) outcomes.set(id, results[index] ?? again);
    } catch (cause) {
      // If the server can't be reached, each of them would wait for it.
      const isOneByOne = some.length > 1 && !(cause instanceof AppError);
      for (const id of some) {
        if (isOneByOne) await complete([id]);
        else outcomes.set(id, failed(cause));
      }
    }
  };
  for (const { ids: some, isLarge } of groups) {
    if (isLarge) {
      const [id = ""] = some;
      const outcome = await verifyLarge(id).catch((cause: unknown) => failed(cause));
      if (outcome !== undefined) {
        outcomes.set(id, outcome);
        continue;
      }
    }
    const together = some.filter((id) => !isAlone(id));
    for (const id of some) if (isAlone(id)) await complete([id]);
    if (together.length > 0) await complete(together);
  }
  return ids.map((id) => outcomes.get(id) ?? again);
}

const again: Completion = { result: "again" };

function failed(cause: unknown): Completion {
  return { result: "failed", cause };
}
