// Converts the result of completing a deletion between a value and an error, whichever the caller needs. Decides
// nothing.

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
  const message = `A related record that arrived meanwhile waits for ${result.waitingFor}.`;
  return { result: "failed", cause: new StoreError(message, { isTemporary: true }) };
}
